package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"

	"github.com/coopvet/coop/cmd/coopvet/driver"
)

// baselineSchema is the version of the file format.
const baselineSchema = 1

// A baseline is a set of known findings. They are told apart by check, package, function
// and message, not by file and line, so that code may move.
type baseline struct {
	Schema   int     `json:"schema"`
	Findings []known `json:"findings"`
}

// known is a finding of which there may be several: two in the same function may read the
// same.
type known struct {
	Check    string `json:"check"`
	Package  string `json:"package"`
	Function string `json:"function,omitempty"`
	Message  string `json:"message"`
	Count    int    `json:"count"`
}

// identity returns what tells d apart; its count is 0.
func identity(d driver.Diagnostic) known {
	return known{Check: d.Check, Package: d.Package, Function: d.Function, Message: d.Message}
}

// fingerprint is identity as a hash, which SARIF's consumers compare.
func fingerprint(d driver.Diagnostic) string {
	k := identity(d)
	sum := sha256.Sum256([]byte(k.Check + "\x00" + k.Package + "\x00" + k.Function + "\x00" + k.Message))
	return hex.EncodeToString(sum[:16])
}

// writeBaseline writes diags to file, sorted, so that changes of the file are easy to read.
func writeBaseline(file string, diags []driver.Diagnostic) error {
	counts := make(map[known]int)
	for _, d := range diags {
		counts[identity(d)]++
	}
	b := baseline{Schema: baselineSchema, Findings: []known{}}
	for k, n := range counts {
		k.Count = n
		b.Findings = append(b.Findings, k)
	}
	slices.SortFunc(b.Findings, func(x, y known) int {
		return cmp.Or(cmp.Compare(x.Package, y.Package), cmp.Compare(x.Function, y.Function),
			cmp.Compare(x.Check, y.Check), cmp.Compare(x.Message, y.Message))
	})
	data, err := json.MarshalIndent(b, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, append(data, '\n'), 0o666); err != nil {
		return &exitError{codeUsage, err}
	}
	return nil
}

func readBaseline(file string) (*baseline, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, &exitError{codeUsage, err}
	}
	b := new(baseline)
	if err := json.Unmarshal(data, b); err != nil {
		return nil, usageError("%s: %w", file, err)
	}
	if b.Schema != baselineSchema {
		return nil, usageError("%s: schema %d is not %d, the one of this coopvet", file, b.Schema, baselineSchema)
	}
	return b, nil
}

// remove returns diags without those that are known. Of findings that read the same as many
// are removed as are known.
func (b *baseline) remove(diags []driver.Diagnostic) []driver.Diagnostic {
	left := make(map[known]int)
	for _, k := range b.Findings {
		n := k.Count
		k.Count = 0
		left[k] += n
	}
	var fresh []driver.Diagnostic
	for _, d := range diags {
		if k := identity(d); left[k] > 0 {
			left[k]--
		} else {
			fresh = append(fresh, d)
		}
	}
	return fresh
}
