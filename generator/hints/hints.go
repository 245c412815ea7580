// Package hints finds the names of a request that have no effect, and what they may mean: unknown parameters, and fields
// that no item has.
package hints

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/leftout"
	"contentedge/edgeserve/wire/address"
)

const (
	maxHints = 20  // about one request
	maxNear  = 200 // bytes of the longest name compared
	// lettersPerEdit is how many letters of a name justify a slip: short names differ by more.
	lettersPerEdit = 3
)

// Hint is a name that has no effect, and the one that may have been meant.
type Hint struct {
	Name    string `json:"name"`
	Meant   string `json:"meant"`             // "" without a similar field
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

// FieldsOf returns the names of the fields of a search. ok is false for an invalid body.
func FieldsOf(raw []byte) (names []string, ok bool) {
	b, err := body.ParsePart(raw)
	if err != nil {
		return nil, false
	}
	return query.Fields(b), true
}

// PathsOf returns the paths of Data of a list: of its sort, its filters and its select. ok is false for an invalid list.
func PathsOf(rawQuery string) (names []string, ok bool) {
	l, err := address.ParseList(rawQuery, address.Standard)
	if err != nil {
		return nil, false
	}
	names = append(l.Show.Patterns(), l.Sort)
	for path := range l.Data.All() {
		names = append(names, path)
	}
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, address.DataPrefix) }), true
}

// Unknown returns hints about the asked fields that are not among the known ones. rules say which paths are left out of
// the index. Without a known field nothing is a mistake: the environment has no items.
func Unknown(asked, known []string, rules leftout.Rules) []Hint {
	if len(known) == 0 {
		return []Hint{}
	}
	names := map[string]bool{}
	for _, name := range asked {
		if !exists(name, known) {
			names[name] = true
		}
	}
	found := hintsFor(names, known)
	for i := range found {
		h := &found[i]
		if h.LeftOut = rules.Rule(h.Name); h.LeftOut != "" {
			h.Meant = ""
		}
	}
	return found
}

// WithSubFields appends to names a path and the names of its sub-fields.
func WithSubFields(names []string, path string, subFields []string) []string {
	names = append(names, path)
	for _, sub := range subFields {
		names = append(names, path+"."+sub)
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
		h.Meant = nearest(h.Name, known)
		h.Name = strings.ToValidUTF8(h.Name, "\uFFFD")
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
