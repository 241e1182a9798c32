package main

import (
	"encoding/json"
	"io"

	"github.com/coopvet/coop/cmd/coopvet/driver"
)

// jsonSchema is the version of the output of -json. It grows when a field changes its
// meaning or goes away, not when one is added.
const jsonSchema = 1

// jsonOutput is what -json prints.
type jsonOutput struct {
	Schema   int                 `json:"schema"`
	Findings []driver.Diagnostic `json:"findings"` // sorted by position
}

func printJSON(w io.Writer, diags []driver.Diagnostic) error {
	out := jsonOutput{Schema: jsonSchema, Findings: diags}
	if out.Findings == nil {
		out.Findings = []driver.Diagnostic{}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "\t")
	return enc.Encode(out)
}
