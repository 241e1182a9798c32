package main

import (
	"encoding/json"
	"os"
	"sync"

	"github.com/coopvet/coop/runner/report"
)

// siteRecord is a site in the cache.
type siteRecord struct {
	ID   uint32
	Expr string
	File string
	Line int
	Func string
}

// writeSites writes the table of the sites of a binary.
func (e *edits) writeSites(file string, l *listed, deps []*listed) error {
	var table []siteRecord
	for _, p := range e.in(l, deps) {
		for _, s := range p.sites {
			table = append(table, siteRecord{s.ID, s.Expr, s.Pos.Filename, s.Pos.Line, p.path + "." + s.Func})
		}
	}
	text, err := json.Marshal(table)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o666)
}

// writeClaims writes what is claimed of the sites of a binary, see sched.Audit.
func (e *edits) writeClaims(file string, l *listed, deps []*listed) error {
	var claims []byte
	for _, p := range e.in(l, deps) {
		for _, s := range p.sites {
			for int(s.ID) >= len(claims) {
				claims = append(claims, 0)
			}
			claims[s.ID] = byte(s.Claim)
		}
	}
	return os.WriteFile(file, claims, 0o666)
}

// siteNames resolves the sites of a binary, reading its table when first asked.
type siteNames struct {
	file  string
	once  sync.Once
	table map[uint32]siteRecord
}

// Access implements runner.Names.
func (n *siteNames) Access(site uint32) (string, report.Position, bool) {
	n.once.Do(func() {
		var all []siteRecord
		text, err := os.ReadFile(n.file)
		if err == nil {
			err = json.Unmarshal(text, &all)
		}
		if err != nil {
			return // reports do without names
		}
		n.table = make(map[uint32]siteRecord, len(all))
		for _, s := range all {
			n.table[s.ID] = s
		}
	})
	s, ok := n.table[site]
	return s.Expr, report.Position{File: s.File, Line: s.Line, Func: s.Func}, ok
}
