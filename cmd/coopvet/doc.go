/*
Coopvet reports concurrency bugs in Go packages without running them.

As an analysis tool of the go command, with build tags, test files and vendoring as usual:

	go vet -vettool=$(which coopvet) ./...

On its own, which adds baselines and output formats:

	coopvet [flags] [packages]

The flags are:

	-fix
		apply the first suggested fix of each finding, then report what is left; needs
		the go command of Go 1.26 or later
	-json
		print the findings as JSON
	-sarif
		print the findings as SARIF 2.1.0, for upload to code scanning
	-checks list
		report only findings of these checks, separated by commas
	-tests=false
		leave out findings in _test.go files
	-tags list
		build tags, as of the go command
	-write-baseline file
		write all findings to the file; nothing is reported
	-baseline file
		report only findings that are not in the file

A finding that is accepted is switched off by a comment with a reason, on its line or on the
line before:

	//coopvet:ignore unprotected written before the goroutines start

In editors, as gopls, which it starts and adds to, or beside gopls; see "coopvet help editors":

	coopvet gopls [arguments of gopls]
	coopvet lsp

The exit code is 0 if nothing is reported, 1 if something is, 2 for a usage or build error
and 3 for an internal error.

That of "coopvet gopls" is gopls's.

"coopvet help" lists the checks; "coopvet help check" explains one.
*/
package main
