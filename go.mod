module github.com/coopvet/coop

go 1.25.0

require (
	github.com/rogpeppe/go-internal v1.14.1
	golang.org/x/term v0.42.0
	golang.org/x/tools v0.44.0
)

require (
	golang.org/x/mod v0.35.0 // indirect
	golang.org/x/sync v0.20.0 // indirect
	golang.org/x/sys v0.43.0 // indirect
)
