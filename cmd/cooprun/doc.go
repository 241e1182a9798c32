/*
Cooprun runs the tests of Go packages under many schedules and finds concurrency bugs.

Usage:

	cooprun [flags] [packages] [-- arguments of the test binary]
	cooprun -replay file|token [flags] [package]
	cooprun doctor

Cooprun builds each package's unmodified tests with a patched copy of your own Go
installation, in which one scheduler decides at every step which goroutine runs. It
runs every top-level test, fuzz test (with its seed corpus) and example under many
schedules, chosen by a strategy. A schedule fails if the test fails, if a goroutine
panics, at a runtime fatal error, os.Exit, deadlock, data race, goroutine leak, or
endless loop. The failing schedule is repeated in a fresh process, made shorter,
explained step by step, and saved under testdata/coop in the package's directory, from
where later runs repeat it first.

A package main without tests, named alone, is run as a program, one process per
schedule, with the arguments after --.

Which schedules are explored:

	-trials n      schedules per test (default 1000)
	-time d        explore each test for this long; without -trials, no limit of number
	-strategy s    how schedules are chosen: portfolio (default), which takes turns between
	               several; random, rapos, pos, pct, urw, surw, history or lockstep;
	               noise or none, which leave the choice to the Go runtime; dfs, which
	               explores all schedules that differ in the order of dependent
	               operations, one of each (by default at most 1000000), with several
	               seeds if the test uses random numbers; parameters follow a colon,
	               as in pct:d=3, random:p=0.2
	-preemptions n with dfs: all schedules with at most n preemptions
	-seed n        seed of the run (default 1), or random; the same seed explores the
	               same schedules
	-switch p      probability of considering a switch at a step (strategy random), or
	               of making noise there (strategy noise)
	-clock c       idle (default): time passes when nothing else can happen;
	               race: a timer may fire at any step
	-replay s      repeat one schedule: a file under testdata/coop, or a token
	-isolate       a process for each schedule
	-keep-going    look for further failures of a test that has failed

What is a failure:

	-race          report data races (default true)
	-leak          report goroutines that can never proceed (default true)
	-maxsteps n    steps after which a schedule goes on without choices, for at most
	               20 times as many, then it is cut off (default 1000000)
	-hang d        real time that one step may take (default 20s)
	-memory n      megabytes that a process may use (default 4096)

What is run:

	-run regexp    tests to run
	-tags list     build tags
	-instrument p  comma-separated patterns of dependencies whose memory accesses are
	               observed, too; those of the main modules always are
	-classify c    which accesses to memory are scheduling points. static (default): those
	               to locations that an analysis of the program does not find to be
	               unshared, read-only, protected by a lock, or ordered; all; none
	-explain       print that analysis, and what it saves, instead of exploring
	-audit         check that analysis: make all accesses scheduling points and report
	               executions in which memory is not shared as it says, which would be
	               errors of cooprun
	-p n           processes that explore at once (default: number of CPUs)

Output:

	-v             every test, note and step
	-compare list  compare strategies, separated by commas, instead of reporting findings:
	               mean schedules to the first failure, partial orders; with -o a picture
	               (SVG): a file, or comparison.svg in a directory
	-seeds n       experiments that the means of -compare are taken over (default 20)
	-stats         per test: how many partial orders the schedules were of, what may still
	               be hidden, and PCT's guarantee
	-json          newline-delimited JSON events, see package runner/report
	-o dir         keep failing schedules there instead of in testdata/coop

Environment: COOPCACHE is the directory of patched toolchains and test binaries; the
default is cooprun in the user's cache directory.

Exit codes: 0 nothing was found; 1 a finding, or an error found by -audit; 2 a usage or
build error, nothing to run, or interrupted without a finding; 3 an internal error.
*/
package main

import (
	_ "embed"
	"strings"
)

//go:embed doc.go
var docSource string

// usage is the text above: documentation and help are one.
var usage, _, _ = strings.Cut(strings.TrimPrefix(docSource, "/*\n"), "*/")
