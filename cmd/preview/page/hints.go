// This file finds what a request may have meant: unknown parameters, fields that no item has.

package page

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/wire/address"
)

const (
	maxHints = 20 // about one request
	// maxHintName is in bytes; longer names are shortened.
	maxHintName = 200 // bytes; longer names are shortened
	maxNear     = 200 // bytes of the longest name compared
	// lettersPerEdit is how many letters of a name justify a slip: short names differ by more.
	lettersPerEdit = 3
)

// Hint is a name that has no effect, and the one that may have been meant.
type Hint struct {
	Name    string `json:"name"`
	Meant   string `json:"meant"`             // "": none is near
	LeftOut string `json:"leftOut,omitempty"` // of a field: the rule that leaves it out of searches
}

// IgnoredParameters returns hints about the parameters of a list that do not exist.
func IgnoredParameters(rawQuery string) []Hint {
	return ignored(rawQuery, address.ParameterNames(), address.IsListParameter)
}

// IgnoredSearchParameters returns hints about the parameters of a search that do not exist.
func IgnoredSearchParameters(rawQuery string) []Hint {
	return ignored(rawQuery, answer.SearchParameterNames(), answer.IsSearchParameter)
}

func ignored(rawQuery string, known []string, exists func(name string) bool) []Hint {
	names := map[string]bool{}
	for pair := range strings.SplitSeq(rawQuery, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if name, err := url.QueryUnescape(name); err == nil && name != "" && !exists(name) {
			names[name] = true
		}
	}
	return hintsFor(names, known)
}

// UnknownFields returns hints about a search's fields that no item has; none for an invalid body.
func (p *Page) UnknownFields(env string, raw []byte) []Hint {
	b, err := body.ParsePart(raw)
	if err != nil {
		return []Hint{}
	}
	return p.unknown(env, query.Fields(b))
}

// UnknownPaths returns hints about a list's paths of Data that no item has: of its sort, its filters and its select. It
// returns none for an invalid list.
func (p *Page) UnknownPaths(env, rawQuery string) []Hint {
	l, err := address.ParseList(rawQuery, address.Standard)
	if err != nil {
		return []Hint{}
	}
	names := append(l.Show.Patterns(), l.Sort)
	for path := range l.Data.All() {
		names = append(names, path)
	}
	return p.unknown(env, slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, address.DataPrefix) }))
}

// unknown returns hints about the fields among names that no item has.
func (p *Page) unknown(env string, asked []string) []Hint {
	known := p.knownNames(env)
	if len(known) == 0 {
		return []Hint{}
	}
	names := map[string]bool{}
	for _, name := range asked {
		if !exists(name, known) {
			names[name] = true
		}
	}
	hints, rules := hintsFor(names, known), p.cfg.Site.LeftOut(env)
	for i := range hints {
		h := &hints[i]
		if h.LeftOut = shorten(rules.Rule(h.Name), maxHintName); h.LeftOut != "" {
			h.Meant = ""
		}
	}
	return hints
}

// knownNames are an environment's paths, then their sub-fields, listed once for each build.
func (p *Page) knownNames(env string) (names []string) {
	p.mu.Lock()
	listed := p.served.names
	p.mu.Unlock()
	if known, ok := listed.Load(env); ok {
		return known.([]string)
	}
	for _, f := range p.cfg.Site.Fields(env) {
		names = append(names, f.Path)
		for _, sub := range f.SubFields {
			names = append(names, f.Path+"."+sub)
		}
	}
	if names != nil {
		listed.Store(env, names)
	}
	return names
}

// exists reports whether a name or pattern is known, an object's, or special as _score is.
func exists(name string, known []string) bool {
	switch name {
	case "_id", "_score", "_doc", "*":
		return true
	}
	var matches func(string) bool
	if strings.Contains(name, "*") {
		w := pattern.CompileWildcard(name, pattern.FoldNone)
		matches = func(s string) bool { return w.Match([]byte(s)) }
	} else {
		matches = func(s string) bool { return s == name || strings.HasPrefix(s, name) && s[len(name)] == '.' }
	}
	return slices.ContainsFunc(known, matches)
}

func hintsFor(names map[string]bool, known []string) []Hint {
	hints := []Hint{}
	for name := range names {
		hints = append(hints, Hint{Name: name})
	}
	slices.SortFunc(hints, func(a, b Hint) int { return strings.Compare(a.Name, b.Name) })
	hints = hints[:min(len(hints), maxHints)]
	for i := range hints {
		h := &hints[i]
		h.Meant = shorten(nearest(h.Name, known), maxHintName)
		h.Name = shorten(strings.ToValidUTF8(h.Name, "\uFFFD"), maxHintName)
	}
	return hints
}

// nearest finds the known name most like name: in another case, without "Data.", or misspelt.
func nearest(name string, known []string) string {
	if len(name) > maxNear {
		return ""
	}
	best, least := "", pattern.MaxEdits+1
	for _, spelt := range []string{name, address.DataPrefix + name} {
		edits := min(pattern.MaxEdits, utf8.RuneCountInString(name)/lettersPerEdit)
		like := pattern.CompileFuzzy(strings.ToLower(spelt), edits, 0)
		for _, k := range known {
			if d, ok := like.Distance([]byte(strings.ToLower(k))); ok && d < least {
				best, least = k, d
			}
		}
	}
	return best
}

func (p *Page) sendIgnored(r *request, env string) *apiError {
	sendJSON(r.RequestCtx, struct {
		Ignored       []Hint `json:"ignored"`
		UnknownFields []Hint `json:"unknownFields"`
	}{IgnoredParameters(r.query), p.UnknownPaths(env, r.query)})
	return nil
}

func (p *Page) sendUnknown(r *request, env string) *apiError {
	sendJSON(r.RequestCtx, struct {
		UnknownFields []Hint `json:"unknownFields"`
	}{p.UnknownFields(env, r.Request.Body())})
	return nil
}
