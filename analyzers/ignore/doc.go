/*
Package ignore lets comments switch off findings of the checks, and sees to it that the
comments stay honest.

# Analyzer ignore

ignore: report //coopvet:ignore comments that have no reason or do nothing

A finding that is known and accepted is switched off by a comment, at the end of its line
or alone on the line before:

	//coopvet:ignore check reason
	//coopvet:ignore check1,check2 reason

The reason is required: it is what the next reader needs. A comment that switches off
nothing is reported, so that none outlives what it was written for.

Categories: syntax, reason, unknown (there is no such check), unused.
*/
package ignore
