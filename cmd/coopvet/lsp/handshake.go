package lsp

import (
	"encoding/json"
	"slices"
	"strings"
)

// initialize notes what the editor can do, and has the answer amended.
func (s *session) initialize(m *message) {
	var p initializeParams
	if err := json.Unmarshal(m.Params, &p); err != nil {
		s.log("initialize: %v", err) // what could be decoded counts
	}
	s.client = p.Client
	s.settings.merge(p.Options)
	for _, f := range p.Folders {
		s.addFolder(f)
	}
	if len(p.Folders) == 0 {
		switch {
		case p.RootURI != "":
			s.addFolder(folder{p.RootURI})
		case p.RootPath != "":
			s.addFolder(folder{uriOf(p.RootPath)})
		}
	}
	s.answers[string(m.ID)] = s.initialized
}

func (s *session) addFolder(f folder) {
	if path := pathOf(f.URI); path != "" && !slices.Contains(s.folders, path) {
		s.folders = append(s.folders, path)
	}
}

// initialized amends the server's capabilities: the editor must send what we need.
func (s *session) initialized(m *message) []byte {
	if m.failed() {
		return nil
	}
	result := objectOf(m.Result)
	capabilities := objectOf(result["capabilities"])
	var enc encoding
	if json.Unmarshal(capabilities["positionEncoding"], &enc) == nil && enc != "" {
		s.enc = enc
	}
	mergeSync(capabilities)
	if s.client.TextDocument.CodeAction.Literals != nil {
		mergeActions(capabilities)
	}
	result.set("capabilities", capabilities)
	return response(m.ID, result)
}

// mergeSync sees to it that opening, changing, saving and closing of documents are notified.
func mergeSync(capabilities object) {
	const full = 1
	raw := capabilities["textDocumentSync"]
	sync := objectOf(raw)
	var kind int
	if json.Unmarshal(raw, &kind) == nil && kind != 0 { // the short form
		sync.set("change", kind)
	}
	if json.Unmarshal(sync["change"], &kind) != nil || kind == 0 {
		sync.set("change", full)
	}
	sync.set("openClose", true)
	if save := string(sync["save"]); save == "" || save == "false" || save == "null" {
		sync.set("save", true)
	}
	capabilities.set("textDocumentSync", sync)
}

// mergeActions adds quick fixes to the kinds of code actions.
func mergeActions(capabilities object) {
	raw := capabilities["codeActionProvider"]
	if string(raw) == "true" {
		return // of any kind
	}
	provider := objectOf(raw)
	var kinds []string
	known := json.Unmarshal(provider["codeActionKinds"], &kinds) == nil && len(kinds) > 0
	if len(provider) > 0 && !known {
		return // of any kind, too
	}
	if !slices.Contains(kinds, kindQuickFix) {
		provider.set("codeActionKinds", append(kinds, kindQuickFix))
		capabilities.set("codeActionProvider", provider)
	}
}

// watch asks the editor to tell about files that change outside of it, those that gopls does
// not watch itself.
func (s *session) watch() {
	if !s.client.Workspace.WatchedFiles.DynamicRegistration {
		return
	}
	type watcher struct {
		Glob string `json:"globPattern"`
	}
	watchers := []watcher{{"**/" + savedDir + "/**"}}
	if s.standalone {
		watchers = append(watchers, watcher{"**/*.go"}, watcher{"**/go.{mod,sum,work}"})
	}
	s.ask("client/registerCapability", map[string]any{
		"registrations": []any{map[string]any{
			"id": "coopvet", "method": "workspace/didChangeWatchedFiles",
			"registerOptions": map[string]any{"watchers": watchers},
		}},
	})
}

// settings are those of gopls that change how packages are built.
type settings struct {
	buildFlags []string
	env        []string
}

// merge takes the settings from an object as gopls reads it: names may be qualified,
// "build.buildFlags", also by nesting.
func (s *settings) merge(raw json.RawMessage) {
	for name, value := range objectOf(raw) {
		switch name[strings.LastIndexByte(name, '.')+1:] {
		case "build", "gopls":
			s.merge(value)
		case "buildFlags":
			var flags []string
			if json.Unmarshal(value, &flags) == nil {
				s.buildFlags = flags
			}
		case "env":
			var env map[string]any
			if json.Unmarshal(value, &env) == nil {
				s.env = nil
				for k, v := range env {
					if text, ok := v.(string); ok {
						s.env = append(s.env, k+"="+text)
					}
				}
				slices.Sort(s.env)
			}
		}
	}
}

func sectionsOf(params json.RawMessage) []string {
	var p struct {
		Items []struct {
			Section string `json:"section"`
		} `json:"items"`
	}
	if json.Unmarshal(params, &p) != nil {
		return nil
	}
	sections := make([]string, len(p.Items))
	for i, item := range p.Items {
		sections[i] = item.Section
	}
	return sections
}

// configured reads the editor's answer to a request of settings. All folders have the
// settings of the last one.
func (s *session) configured(sections []string, result json.RawMessage) {
	var values []json.RawMessage
	if json.Unmarshal(result, &values) != nil {
		return
	}
	before := s.settings
	for i, value := range values {
		if i < len(sections) && sections[i] == "gopls" {
			s.settings.merge(value)
		}
	}
	if !slices.Equal(before.buildFlags, s.settings.buildFlags) || !slices.Equal(before.env, s.settings.env) {
		s.analyseAfter(s.cfg.Delays.Change)
	}
}
