package lsp

import "encoding/json"

// The types of LSP 3.17 that the session looks into, with the members that it uses.

type position struct {
	Line      int `json:"line"`      // from 0
	Character int `json:"character"` // from 0, in units of the session's encoding
}

func (p position) before(q position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Character < q.Character
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"` // exclusive
}

// touches tells whether s and t have a position in common, their ends included.
func (s span) touches(t span) bool { return !s.End.before(t.Start) && !t.End.before(s.Start) }

type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
}

const (
	severityWarning     = 2
	severityInformation = 3
)

type relatedInformation struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

type codeDescription struct {
	Href string `json:"href"`
}

type diagnostic struct {
	Range       span                 `json:"range"`
	Severity    int                  `json:"severity"`
	Code        string               `json:"code,omitempty"`
	Description *codeDescription     `json:"codeDescription,omitempty"`
	Source      string               `json:"source"`
	Message     string               `json:"message"`
	Related     []relatedInformation `json:"relatedInformation,omitempty"`
}

type publishParams struct {
	URI         string            `json:"uri"`
	Version     *int              `json:"version,omitempty"`
	Diagnostics []json.RawMessage `json:"diagnostics"`
}

type documentID struct {
	URI     string `json:"uri"`
	Version *int   `json:"version"` // null for a file that is not open
}

type textEdit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

type documentEdit struct {
	Document documentID `json:"textDocument"`
	Edits    []textEdit `json:"edits"`
}

type workspaceEdit struct {
	Changes         map[string][]textEdit `json:"changes,omitempty"`
	DocumentChanges []documentEdit        `json:"documentChanges,omitempty"`
}

const kindQuickFix = "quickfix"

type codeAction struct {
	Title       string        `json:"title"`
	Kind        string        `json:"kind"`
	Diagnostics []diagnostic  `json:"diagnostics"`
	IsPreferred bool          `json:"isPreferred,omitempty"`
	Edit        workspaceEdit `json:"edit"`
	Data        actionData    `json:"data"`
}

// actionData marks an action as ours when the editor asks to resolve it.
type actionData struct {
	Coopvet bool `json:"coopvet"`
}

type codeActionParams struct {
	Document documentID `json:"textDocument"`
	Range    span       `json:"range"`
	Context  struct {
		Only        []string          `json:"only"`
		Diagnostics []json.RawMessage `json:"diagnostics"`
	} `json:"context"`
}

type folder struct {
	URI string `json:"uri"`
}

type initializeParams struct {
	RootURI  string             `json:"rootUri"`
	RootPath string             `json:"rootPath"`
	Folders  []folder           `json:"workspaceFolders"`
	Options  json.RawMessage    `json:"initializationOptions"`
	Client   clientCapabilities `json:"capabilities"`
}

type clientCapabilities struct {
	General struct {
		PositionEncodings []string `json:"positionEncodings"`
	} `json:"general"`
	Workspace struct {
		WorkspaceEdit struct {
			DocumentChanges bool `json:"documentChanges"`
		} `json:"workspaceEdit"`
		WatchedFiles struct {
			DynamicRegistration bool `json:"dynamicRegistration"`
		} `json:"didChangeWatchedFiles"`
		Diagnostics struct {
			RefreshSupport bool `json:"refreshSupport"`
		} `json:"diagnostics"`
	} `json:"workspace"`
	TextDocument struct {
		CodeAction struct {
			Literals *struct{} `json:"codeActionLiteralSupport"`
		} `json:"codeAction"`
		PublishDiagnostics struct {
			RelatedInformation bool `json:"relatedInformation"`
		} `json:"publishDiagnostics"`
	} `json:"textDocument"`
}

type openParams struct {
	Document struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
		Text    string `json:"text"`
	} `json:"textDocument"`
}

type changeParams struct {
	Document struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
	} `json:"textDocument"`
	Changes []contentChange `json:"contentChanges"`
}

type contentChange struct {
	Range *span  `json:"range"` // nil: Text is the whole document
	Text  string `json:"text"`
}

// documentParams are those of didSave, didClose and textDocument/diagnostic.
type documentParams struct {
	Document struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
}

type foldersParams struct {
	Event struct {
		Added   []folder `json:"added"`
		Removed []folder `json:"removed"`
	} `json:"event"`
}

type watchedParams struct {
	Changes []struct {
		URI string `json:"uri"`
	} `json:"changes"`
}
