// Package searches reads saved searches and computes their pages, with the bytes that the edge server
// sends.
package searches

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/model"
	"contentedge/generator/source"
)

const (
	// maxBytes bounds the text of a saved search: the manifest has its body.
	maxBytes = 64 << 10
	// maxSearches bounds the saved searches of an environment: each build evaluates all.
	maxSearches = 1000
)

// Search is a saved search.
type Search struct {
	Name string
	body.Saved

	file string // as the user would type it
	text []byte
}

// Load reads the saved searches of a tree, by environment and in order of names. Faults are
// diagnostics; the error is one of the system.
func Load(tree *source.Tree) (map[string][]Search, []model.Diagnostic, error) {
	all := map[string][]Search{}
	var found []model.Diagnostic
	twins := map[string]string{}
	for _, f := range tree.Searches {
		s, fault, err := read(f)
		if err != nil {
			return nil, nil, err
		}
		folded := f.Env + "/" + strings.ToLower(s.Name)
		if other := twins[folded]; fault == nil && other != "" {
			fault = &model.Diagnostic{File: f.Name, Message: fmt.Sprintf("the saved searches %s and %s differ only by case", other, s.Name), Hint: "rename one"}
		}
		if twins[folded] = s.Name; fault != nil {
			found = append(found, *fault)
			continue
		}
		all[f.Env] = append(all[f.Env], *s)
	}
	for env, list := range all {
		slices.SortFunc(list, func(a, b Search) int { return cmp.Compare(a.Name, b.Name) })
		if len(list) > maxSearches {
			found = append(found, model.Diagnostic{File: list[maxSearches].file, Message: fmt.Sprintf("environment %s has %d saved searches, at most %d are allowed", env, len(list), maxSearches), Hint: "remove some"})
		}
	}
	return all, found, nil
}

func read(f source.File) (*Search, *model.Diagnostic, error) {
	s := &Search{Name: strings.TrimSuffix(path.Base(f.Path), path.Ext(f.Path)), file: f.Name}
	if !address.ValidSearch(s.Name) || path.Ext(f.Path) != ".json" {
		return s, &model.Diagnostic{File: f.Name, Message: "this cannot be the name of a saved search",
			Hint: `a name is 1 to 64 letters, digits, "_" or "-", the first a letter or a digit, and then .json`}, nil
	}
	text, err := f.Read()
	if problem, ok := errors.AsType[*source.Problem](err); ok {
		return s, &model.Diagnostic{File: problem.Path, Message: problem.Message, Hint: problem.Hint}, nil
	}
	if err != nil {
		return s, nil, err
	}
	if len(text) > maxBytes {
		return s, &model.Diagnostic{File: f.Name, Message: fmt.Sprintf("this saved search has %d bytes; it may have %d", len(text), maxBytes), Hint: "shorten it"}, nil
	}
	s.text = text
	if len(bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))) == 0 { // cut off, rather than the default list
		d := s.diagnostic(0, "this saved search is empty")
		d.Hint = "write a search body; {} is the default list"
		return s, d, nil
	}
	saved, err := body.ParseSaved(text)
	if wrong, ok := errors.AsType[*query.Error](err); ok {
		return s, s.diagnostic(body.Locate(text, wrong), wrong.Message), nil
	}
	if err != nil {
		return s, nil, err
	}
	s.Saved = *saved
	return s, nil, nil
}

const (
	bodyHint = `a saved search is a search body, which may also have "pages"`
	nowHint  = "write the date, or a seed: the file would be right only at the time of the build"
)

// diagnostic is a fault of the body at a byte of the text, or at its beginning if that is negative.
func (s *Search) diagnostic(at int, message string) *model.Diagnostic {
	before := s.text[:max(0, at)]
	return &model.Diagnostic{File: s.file, Message: message, Hint: bodyHint, Line: 1 + bytes.Count(before, []byte("\n")),
		Col: 1 + utf8.RuneCount(bytes.TrimPrefix(before[bytes.LastIndexByte(before, '\n')+1:], []byte("\ufeff")))}
}

// Error reports saved searches that the snapshot cannot answer.
type Error struct{ Diagnostics []model.Diagnostic }

// Error is the first fault.
func (e *Error) Error() string { return e.Diagnostics[0].String() }

// Environment computes the pages of the saved searches of one environment.
type Environment struct {
	id      string
	content *answer.Release
}

// Open returns the Environment of a snapshot, which the caller closes.
func Open(env string, r *snapshot.Reader) *Environment {
	m := &release.Manifest{Environments: []release.Environment{{ID: env}}}
	return &Environment{env, answer.FromSnapshots(m, map[string]*snapshot.Reader{env: r})}
}

// Render computes the pages of a search and calls page with the name and the body of each, in byte
// order of names. The error is an *Error, one of page, or one of the system.
func (e *Environment) Render(s *Search, page func(name string, body []byte) error) (release.Search, error) {
	out := release.Search{Name: s.Name, Body: json.RawMessage(s.Body), Files: s.Pages}
	e.content.Manifest.Environments[0].Searches = []release.Search{out}
	first, err := e.page(s, 1)
	if err != nil {
		return out, err
	}
	out.TotalItems, out.Files = first.Total, s.Files(first.Total)
	for _, n := range byName(s.Name, out.Files) {
		response := first
		if n > 1 {
			if response, err = e.page(s, n); err != nil {
				return out, err
			}
		}
		out.Bytes += int64(len(response.Body))
		if err := page(address.SavedFile(e.id, s.Name, n), response.Body); err != nil {
			return out, err
		}
	}
	return out, nil
}

// byName is the pages in byte order of their files' names.
func byName(name string, files int) []int {
	pages := make([]int, files)
	for i := range pages {
		pages[i] = i + 1
	}
	slices.SortFunc(pages, func(a, b int) int { return strings.Compare(address.SavedPage(name, a), address.SavedPage(name, b)) })
	return pages
}

func (e *Environment) page(s *Search, n int) (answer.Response, error) {
	response, p, cause := e.content.Respond("/"+address.SavedFile(e.id, s.Name, n), nil)
	switch {
	case cause != nil:
		return response, fmt.Errorf("%s: %w", s.file, cause)
	case p != nil:
		at := body.Locate(s.text, &query.Error{Parameter: p.Parameter, Position: p.Position})
		return response, &Error{[]model.Diagnostic{*s.diagnostic(at, p.Message)}}
	case response.Timed:
		d := s.diagnostic(s.now(), "this search depends on the clock: it uses now, or random numbers without a seed")
		d.Hint = nowHint
		return response, &Error{[]model.Diagnostic{*d}}
	}
	return response, nil
}

// now finds what depends on the clock: a string or a word that begins with now, or random_score.
func (s *Search) now() int {
	for _, word := range [...]string{`"now`, `"random_score"`, "now"} {
		if at := bytes.Index(s.text, []byte(word)); at >= 0 {
			return at
		}
	}
	return 0
}
