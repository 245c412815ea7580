// This file reads which files and folders are not part of an environment.

package environment

import (
	"fmt"
	"slices"

	"contentedge/generator/source/documents"
)

// maxIgnored bounds the patterns: the path of each file and folder is compared with each pattern.
const maxIgnored = 1000

// ignore decodes a list of patterns.
func (p *parser) ignore(at int) {
	seen := map[string]bool{}
	p.texts("ignore", at, func(text string, at int) {
		g, err := parseIgnore(text)
		switch {
		case err != nil:
			p.fault(at, err.message, err.hint)
		case seen[text]:
			p.fault(at, documents.Quoted(text)+" is given twice", "")
		case len(p.s.Ignore) < maxIgnored:
			p.s.Ignore = append(p.s.Ignore, Ignored{g, p.rec.Place(at)})
		default:
			p.fault(at, fmt.Sprintf("ignore has more than %d patterns", maxIgnored), "a pattern such as {drafts,notes}/** matches several folders")
		}
		seen[text] = true
	})
}

// Ignoring returns the index of the first pattern that matches the path of a file, link or folder below the environment;
// -1 if none does.
func (s *Settings) Ignoring(path string) int {
	return slices.IndexFunc(s.Ignore, func(i Ignored) bool { return i.Match(path) })
}

// Opens reports whether a rule names a file or folder whose name begins with "_". Other files and folders of such names
// are passed over.
func (s *Settings) Opens(name string) bool {
	return slices.ContainsFunc(s.opens, func(g Glob) bool { return g.Match(name) })
}
