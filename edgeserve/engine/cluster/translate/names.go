// This file translates names of fields: those of a body into names of the index, those of a response
// back into names of the release.

package translate

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/release"

	"contentedge/edgeserve/engine/cluster/layout"
)

// Fields are the fields of an environment, with their names in its index.
type Fields struct{ *layout.Names }

// NewFields returns the fields of an environment, which are in order of their paths.
func NewFields(fields []release.Field) Fields { return Fields{layout.NewNames(fields)} }

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

// Why a body cannot be asked: nothing says it to Elasticsearch.
const (
	objectsToo    = "a * beside a path of values and objects"
	patternOfBoth = "a pattern of sub-fields in a place for one field"
	quotedSuffix  = "a suffix of quoted text is a sub-field that patterns do not reach"
	boostedTwice  = "a pattern with a boost of a field that has its own"
)

// namer renames the fields of a body.
type namer struct {
	fields  Fields
	shown   []string   // names and patterns whose values the body asks for, as an index has them
	marked  [][]string // the same of each highlight
	refused string
	left    bool // a lenient query string may leave out letters or words of typed values, which it looks for
}

// texts are members that are no names, in one place or in all.
var texts = []string{"_source", "buckets_path", "doc", "text", "value", "like", "unlike", "path"}

// rename returns a value of a body with the names of an index; in is the member that it is of.
func (n *namer) rename(v any, in string) any {
	switch v := v.(type) {
	case object:
		if in == "query_string" || in == "simple_query_string" || in == "multi_match" {
			n.listed(v, in)
		}
		out := object{}
		for name, inner := range v {
			text, isText := inner.(string)
			_, list := inner.([]any)
			switch {
			case slices.Contains(texts, name):
			case name == "range" && n.aside(inner) != nil:
				out["exists"] = n.aside(inner)
				continue
			case name == "query" && isText:
				if in == "query_string" && v["escape"] != true {
					inner = n.inText(text, forgiving(v), v["type"] == "phrase" || v["type"] == "phrase_prefix")
				}
			case (name == "fields" || name == "docvalue_fields") && list && !strings.HasSuffix(in, "_string") && in != "multi_match" && in != "more_like_this":
				inner = n.retrieved(name, inner.([]any))
			case name == "field" && in == "exists" && n.fields.Aside(text):
				inner = text + "*" // the objects too
			case name == "field" && isText && strings.Contains(text, "*") && in != "field_masking_span": // nor is a span's field a pattern
				inner = n.one(text)
			case name == "field" && in == "collapse":
				n.shown = append(n.shown, n.name(text))
				inner = n.name(text)
			case name == "fields" && in == "highlight":
				inner = n.rename(inner, name)
				fields, _ := inner.(object)
				n.highlighted(slices.Collect(maps.Keys(fields)))
			default:
				inner = n.rename(inner, name)
			}
			out[n.name(name)] = inner
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = n.rename(inner, in)
		}
		return out
	case string:
		return n.name(v)
	}
	return v
}

// aside returns the exists that a range without bounds is, of a path that is an object in some items.
func (n *namer) aside(ranges any) object {
	of, _ := ranges.(object)
	for path, options := range of {
		options, ok := options.(object)
		for _, bound := range []string{"gt", "gte", "lt", "lte", "from", "to"} {
			ok = ok && options[bound] == nil
		}
		if !ok || !n.fields.Aside(path) {
			return nil
		}
		exists := object{"field": path + "*"}
		for _, name := range []string{"boost", "_name"} {
			if options[name] != nil {
				exists[name] = options[name]
			}
		}
		return exists
	}
	return nil
}

// name returns a field's name, which may have a boost.
func (n *namer) name(s string) string {
	field, boost, boosted := strings.Cut(s, "^")
	to := n.fields.ToIndex(field)
	switch {
	case to == field:
		return s
	case boosted:
		return to + "^" + boost
	}
	return to
}

// hiddenPattern returns the pattern of the sub-fields that a pattern spells, if it spells some.
func (n *namer) hiddenPattern(pattern string) (hidden string, ok bool) {
	dot := strings.LastIndexByte(pattern, '.')
	if dot < 0 || !slices.Contains([]string{"keyword", "long", "double", "boolean", "date"}, pattern[dot+1:]) {
		return "", false
	}
	return layout.Hidden(pattern[:dot], pattern[dot+1:]), true
}

// reaches tells whether a pattern reaches a path, or the keyword of text.
func (n *namer) reaches(pattern string) bool {
	for path, f := range n.fields.Fields() {
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
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$").MatchString(name)
}

// one is a pattern in a place for one.
func (n *namer) one(pattern string) string {
	if pattern != "*" && strings.HasPrefix(pattern, "*") && strings.HasSuffix(pattern, "*") {
		n.refused = patternOfBoth
	}
	hidden, ok := n.hiddenPattern(pattern)
	switch {
	case !ok:
		return pattern
	case n.reaches(pattern):
		n.refused = patternOfBoth
	}
	return hidden
}

// inString is a pattern for one field of a query string, which Elasticsearch keeps from names that begin
// with _.
func (n *namer) inString(pattern string) string {
	if _, ok := n.hiddenPattern(pattern); ok {
		n.refused = patternOfBoth
	}
	return n.one(pattern)
}

// expand is a pattern in a list.
func (n *namer) expand(pattern string) (all []string) {
	if pattern == "*" || !strings.HasPrefix(pattern, "*") || !strings.HasSuffix(pattern, "*") {
		all = []string{pattern}
		if slices.ContainsFunc(metadata, func(name string) bool { return matches(pattern, name) }) && pattern != "*" {
			all = append([]string{"_none"}, n.everything(pattern, true)...)
		}
		if hidden, ok := n.hiddenPattern(pattern); ok {
			all = append(all, hidden)
		}
		return all
	}
	if strings.Trim(pattern, "*") != "" {
		n.refused = patternOfBoth
	}
	for path := range n.fields.Fields() { // not what begins with _
		first, _, _ := strings.Cut(path, ".")
		if !slices.Contains(all, first+"*") {
			all = append(all, first+"*")
		}
	}
	return all
}

// retrieved is a list of fields whose values are asked for.
func (n *namer) retrieved(member string, list []any) (out []any) {
	out = []any{}
	for _, e := range list {
		o, _ := e.(object)
		field, ok := e.(string)
		if o != nil {
			field, ok = o["field"].(string)
		}
		all := []string{n.name(field)}
		switch {
		case !ok:
			out = append(out, e)
			continue
		case strings.HasPrefix(field, "*") && member == "docvalue_fields":
			all = n.everything(field, false) // as many as it reaches in a release
			if hidden, ok := n.hiddenPattern(field); ok {
				all = append(all, hidden)
			}
		case strings.Contains(field, "*"):
			all = n.expand(field)
		}
		for _, name := range all {
			n.shown = append(n.shown, name)
			if o == nil {
				out = append(out, name)
				continue
			}
			same := object{}
			for k, v := range o {
				same[k] = v
			}
			same["field"] = name
			out = append(out, same)
		}
	}
	return out
}

// metadata are names that a pattern other than * reaches in Elasticsearch alone.
var metadata = []string{"_doc_count", "_field_names", "_id", "_ignored", "_index", "_nested_path", "_primary_term", "_routing", "_seq_no", "_source", "_type", "_version"}

// everything returns the fields of a release that a pattern reaches, texts if they count.
func (n *namer) everything(pattern string, texts bool) (names []string) {
	for path, f := range n.fields.Fields() {
		if matches(pattern, path) && (texts || f.Type != "text") {
			names = append(names, n.name(path))
		}
		if f.Type == "text" && matches(pattern, path+".keyword") {
			names = append(names, n.name(path+".keyword"))
		}
	}
	return names
}

// listed is a query with a list of fields.
func (n *namer) listed(of object, query string) {
	text, _ := of["query"].(string)
	list, _ := of["fields"].([]any)
	if field, _ := of["default_field"].(string); anything.MatchString(text) && slices.ContainsFunc(append(slices.Clone(list), field), n.objects) {
		n.refused = objectsToo
	}
	if field, ok := of["default_field"].(string); ok && strings.Contains(field, "*") {
		of["default_field"] = n.inString(field)
	}
	if suffix, ok := of["quote_field_suffix"].(string); ok && strings.Contains(text, `"`) && !n.suffixed(of, list, suffix) {
		n.refused = quotedSuffix
	}
	if list == nil {
		return
	}
	all := []any{}
	for _, e := range list {
		s, _ := e.(string)
		pattern, boost, boosted := strings.Cut(s, "^")
		if !strings.Contains(pattern, "*") {
			all = append(all, e)
			continue
		}
		for _, p := range n.expand(pattern) {
			switch own := n.ownBoost(list, p); {
			case own && boosted:
				n.refused = boostedTwice
			case own: // the last of equal names would count alone
			case boosted:
				all = append(all, p+"^"+boost)
			default:
				all = append(all, p)
			}
		}
	}
	of["fields"] = all
}

// ownBoost tells whether a list of fields names one with a boost.
func (n *namer) ownBoost(list []any, field string) bool {
	return slices.ContainsFunc(list, func(e any) bool {
		s, _ := e.(string)
		name, _, boosted := strings.Cut(s, "^")
		return boosted && !strings.Contains(name, "*") && n.name(name) == field
	})
}

// anything is a * that asks whether a field has a value.
var anything = regexp.MustCompile(`(^|[\s(:+!-])\*($|[\s)^])`)

// objects tells whether a field, which may have a boost, has values in one item and members in another.
func (n *namer) objects(field any) bool {
	s, _ := field.(string)
	s, _, _ = strings.Cut(s, "^")
	return n.fields.Aside(s)
}

// suffixed tells whether the fields of a query have a suffix in the index if they have it here.
func (n *namer) suffixed(of object, list []any, suffix string) bool {
	if field, ok := of["default_field"]; ok {
		list = append(slices.Clone(list), field)
	}
	for _, e := range list {
		s, _ := e.(string)
		name, _, _ := strings.Cut(s, "^")
		if strings.Contains(name, "*") || n.fields.ToIndex(name+suffix) != name+suffix {
			return false
		}
	}
	known := suffix == ".keyword" || suffix == ".long" || suffix == ".double" || suffix == ".boolean" || suffix == ".date"
	text, _ := of["query"].(string)
	return !known || list != nil && !strings.Contains(text, ":")
}

// prefixes finds what a query string has in front of a colon, and the field that must exist.
var prefixes = regexp.MustCompile(`_exists_:((?:\\.|[^\s\\:()"])+)|((?:\\.|[^\s\x{3000}\\+\-!():^\[\]"{}~*?/<>=|&])(?:\\.|[^\s\x{3000}\\!():^\[\]"{}~*?/])*|\*):`)

// inText renames the fields of a query string. A forgiving one leaves out what Elasticsearch refuses,
// which is letters and words of numbers, dates and booleans: it looks for them in their text.
func (n *namer) inText(text string, forgiving, phrases bool) string {
	var b strings.Builder
	done := 0
	for _, at := range prefixes.FindAllStringIndex(text, -1) {
		b.WriteString(text[done:at[0]])
		b.WriteString(n.prefix(text[at[0]:at[1]], text[at[1]:], forgiving, phrases))
		done = at[1]
	}
	return b.String() + text[done:]
}

// prefix renames a field in front of a clause of a query string.
func (n *namer) prefix(found, clause string, forgiving, phrases bool) string {
	name, value := strings.CutPrefix(found, "_exists_:")
	if !value {
		name = strings.TrimSuffix(name, ":")
	}
	plain := unescape(name)
	to := n.name(plain)
	typed := n.fields.typed(plain)
	sub := to != plain && !typed && !strings.HasSuffix(plain, ".keyword")
	forgiving = forgiving && !value
	switch {
	case strings.Contains(plain, "*") && plain != "*":
		to = n.inString(plain)
		n.left = n.left || forgiving && (phrases || lettersOrWords.MatchString(clause))
	case forgiving && typed && lettersOfClause.MatchString(clause):
		to = layout.Hidden(plain, "keyword")
	case forgiving && (typed || sub):
		n.left = n.left || phrases || lettersOrWords.MatchString(clause)
	}
	switch {
	case to == plain:
		return found
	case value:
		return "_exists_:" + escape(to)
	}
	return escape(to) + ":"
}

// lettersOrWords begins a clause of a query string, in parentheses too, that has patterns or texts.
var lettersOrWords = regexp.MustCompile(`^(?:\([^)]*|[^\s():]*)["~*?/]`)

// lettersOfClause begins a clause of a query string that is a pattern or a misspelt word.
var lettersOfClause = regexp.MustCompile(`^(?:/|(?:\\.|[^[{<>\s\\():^"~*?])*(?:~|\*[^\s)^]|[^[{\s\\():^"~*?]\*|\?))`)

// forgiving tells whether a query string is lenient without saying so.
func forgiving(of object) bool {
	list, _ := of["fields"].([]any)
	_, said := of["lenient"]
	field, one := of["default_field"]
	return !said && (slices.Contains(list, any("*")) || list == nil && (!one || field == "*"))
}

var escaped = regexp.MustCompile(`\\(.)`)

func unescape(s string) string { return escaped.ReplaceAllString(s, "$1") }

var special = regexp.MustCompile(`[\s+\-!():^\[\]"{}~*?\\/&|]`)

func escape(s string) string { return special.ReplaceAllString(s, `\$0`) }

// shows tells whether a list of names and patterns has a field.
func shows(list []string, field string) bool {
	return slices.ContainsFunc(list, func(s string) bool {
		return s == field || strings.Contains(s, "*") && layout.IsHidden(s[:max(strings.IndexByte(s, '.'), 0)]) && matches(s, field)
	})
}

// shownAs returns the name in the release of a field of the index.
func (n *namer) shownAs(name string) string {
	if n.fields.Names == nil {
		return name
	}
	if field, ok := n.fields.ToRelease(name); ok {
		return field
	}
	return name
}

// inside matches the name of a sub-field in a text, such as an explanation.
var inside = regexp.MustCompile(layout.Hidden("[^\\s:·]+", "[a-z]+"))

// restore gives the fields of a response their names in the release and removes those that a
// pattern of the body reaches only in the layout.
func (n *namer) restore(v any) any { return n.restored(v, n.shown) }

func (n *namer) restored(v any, shown []string) any {
	switch v := v.(type) {
	case object:
		for name, inner := range v {
			before, some := inner.(object)
			some = some && len(before) > 0
			list := shown
			if name == "highlight" {
				list = slices.Concat(n.marked...)
			}
			inner = n.restored(inner, list)
			if some && len(before) == 0 && (name == "highlight" || name == "fields") {
				delete(v, name)
				continue
			}
			switch to := n.shownAs(name); {
			case to == name && !layout.IsHidden(name):
				v[name] = inner
			case layout.IsHidden(name) && !shows(shown, name):
				delete(v, name)
			default:
				delete(v, name)
				if v[to] == nil || layout.IsHidden(name) {
					v[to] = inner // beside objects, values are not shown
				}
			}
		}
	case []any:
		for i := range v {
			v[i] = n.restored(v[i], shown)
		}
	case string:
		return inside.ReplaceAllStringFunc(v, func(name string) string {
			return n.shownAs(name)
		})
	}
	return v
}
