// This file translates names of fields and patterns of names.

package translate

import (
	"regexp"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/release"
)

// Fields are the fields of an environment, with their names in its index.
type Fields struct{ *layout.Names }

// NewFields returns the fields of an environment. Long are the paths of its index's Meta.
func NewFields(fields []release.Field, long ...string) Fields {
	return Fields{layout.NewNames(fields, long...)}
}

// typed reports whether a path holds numbers, dates or booleans.
func (f Fields) typed(path string) bool {
	field, ok := f.Field(path)
	return ok && field.Type != "text"
}

// typeOf returns the type of a path, "" if no item has it.
func (f Fields) typeOf(path string) string {
	field, _ := f.Field(path)
	return field.Type
}

// toRelease returns the name in the release of a field of the index.
func (f Fields) toRelease(name string) string {
	if f.Names == nil {
		return name
	}
	if field, ok := f.ToRelease(name); ok {
		return field
	}
	return name
}

// Why a body cannot be asked: nothing says it to Elasticsearch.
const (
	objectsToo    = "whether a path of values and objects exists, in a query string"
	patternOfBoth = "a pattern of sub-fields in a place for one field"
	quotedSuffix  = "a suffix of quoted text is a sub-field that patterns do not reach"
	boostedTwice  = "a pattern with a boost of a field that has its own"
)

// value translates the name of a field whose values are looked at.
func (t *translator) value(field string) string {
	if !t.x.Compared {
		switch field {
		case "_seq_no":
			return layout.Rank
		case "_id":
			return t.fields.ToIndex(snapshot.IDField + ".keyword")
		case "_index", "_type":
			t.refuse(constantValue)
		}
	}
	return t.fields.ToIndex(field)
}

// docValue translates the name of a field whose values are counted, sorted or shown.
func (t *translator) docValue(field string) string {
	if own, ok := t.fields.Sub(field, layout.Own); ok && !t.x.Compared {
		return own
	}
	return t.value(field)
}

// shared returns the value that all items have for a name: their environment, which is not the index, or their type,
// which OpenSearch does not have.
func (t *translator) shared(field string) (value string, ok bool) {
	switch {
	case t.x.Compared:
	case field == "_index":
		return t.x.Env, true
	case field == "_type":
		return snapshot.TypeName, true
	}
	return "", false
}

// name translates a name, which may have a boost.
func (t *translator) name(s string) string {
	field, boost, boosted := strings.Cut(s, "^")
	to := t.fields.ToIndex(field)
	if field == "_seq_no" && !t.x.Compared {
		to = layout.Rank
	}
	switch {
	case to == field:
		return s
	case boosted:
		return to + "^" + boost
	}
	return to
}

func isPattern(name string) bool { return strings.Contains(name, "*") }

// hiddenPattern returns the pattern of the sub-fields that a pattern spells, if it spells some. Patterns reach keywords of text
// only, which the index has under their own names.
func hiddenPattern(pattern string) (hidden string, ok bool) {
	dot := strings.LastIndexByte(pattern, '.')
	if dot < 0 || !slices.Contains([]string{"long", "double", "boolean", "date"}, pattern[dot+1:]) {
		return "", false
	}
	return layout.Hidden(pattern[:dot], pattern[dot+1:]), true
}

// reaches reports whether a pattern reaches a path, or the keyword of text.
func (t *translator) reaches(pattern string) bool {
	for path, f := range t.fields.Fields() {
		if matches(pattern, path) || f.Type == "text" && matches(pattern, path+".keyword") {
			return true
		}
	}
	return false
}

func matches(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile("^(?s:" + strings.Join(parts, ".*") + ")$").MatchString(name)
}

// one is a pattern in a place for one.
func (t *translator) one(pattern string) string {
	if pattern != "*" && strings.HasPrefix(pattern, "*") && strings.HasSuffix(pattern, "*") {
		t.refuse(patternOfBoth)
	}
	hidden, ok := hiddenPattern(pattern)
	switch {
	case !ok:
		return pattern
	case t.reaches(pattern):
		t.refuse(patternOfBoth)
	}
	return hidden
}

// inString is a pattern for one field of a query string, which Elasticsearch keeps from names that begin
// with _.
func (t *translator) inString(pattern string) string {
	if _, ok := hiddenPattern(pattern); ok {
		t.refuse(patternOfBoth)
	}
	return t.one(pattern)
}

// expand is a pattern in a list.
func (t *translator) expand(pattern string) (all []string) {
	if pattern == "*" || !strings.HasPrefix(pattern, "*") || !strings.HasSuffix(pattern, "*") {
		all = []string{pattern}
		if slices.ContainsFunc(metadata, func(name string) bool { return matches(pattern, name) }) && pattern != "*" {
			all = append([]string{"_none"}, t.everything(pattern, true)...)
		}
		if hidden, ok := hiddenPattern(pattern); ok {
			all = append(all, hidden)
		}
		return all
	}
	if strings.Trim(pattern, "*") != "" {
		t.refuse(patternOfBoth)
	}
	for path := range t.fields.Fields() { // not what begins with _
		first, _, _ := strings.Cut(path, ".")
		if !slices.Contains(all, first+"*") {
			all = append(all, first+"*")
		}
	}
	slices.Sort(all)
	return all
}

// metadata are names that a pattern other than * reaches only in Elasticsearch.
var metadata = []string{"_doc_count", "_field_names", "_id", "_ignored", "_index", "_nested_path", "_primary_term", "_routing", "_seq_no", "_source", "_type", "_version"}

// everything returns the fields of a release that a pattern reaches, texts if they count.
func (t *translator) everything(pattern string, texts bool) (names []string) {
	for path, f := range t.fields.Fields() {
		if matches(pattern, path) && (texts || f.Type != "text") {
			names = append(names, t.fields.ToIndex(path))
		}
		if f.Type == "text" && matches(pattern, path+".keyword") {
			names = append(names, t.fields.ToIndex(path+".keyword"))
		}
	}
	slices.Sort(names)
	return names
}
