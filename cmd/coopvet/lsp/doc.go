// Package lsp shows coopvet's findings in editors.
//
// gopls cannot load analyzers of others. A [Proxy] therefore stands between the editor and
// a language server:
//
//	editor ⇄ session ⇄ gopls
//	            ↑
//	  driver (go vet), testdata/coop
//
// What the session does not look at it passes on, byte for byte. It looks at
//
//   - the text of open documents, which it follows;
//   - diagnostics, both published and pulled, to which it adds coopvet's and the failing
//     schedules that cooprun has saved;
//   - code actions, to which it adds the fixes of coopvet's findings;
//   - the handshake, so that the editor sends what this needs;
//   - those settings of gopls that change how packages are built.
//
// Without gopls ([Serve]) the server on the right is one that can do nothing.
//
// # Rules
//
// The editor never waits for the analysis: it runs in processes of its own, for the packages
// of which files are open, and is cancelled when a document changes. Messages are put into
// unbounded queues, so that neither side can block the other through the session.
//
// All of a session's state belongs to its mutex. Nothing waits for others while it is held.
// Messages are enqueued under the mutex, so that what the editor sees last is what was
// decided last.
//
// A panic in the session's own code makes it a pipe: from then on everything is passed on
// unchanged.
//
// # Limits
//
// Only packages with open files are analysed, as gopls does with its own analyzers; saved
// schedules are shown for whole workspace folders. While a document changes, its findings
// move with the text; their fixes are offered again when the analysis has seen the new text.
// Clients that do not know literal code actions get no fixes.
package lsp
