module github.com/coopvet/coop

go 1.25.0
