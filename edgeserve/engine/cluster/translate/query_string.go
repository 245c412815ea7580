// This file translates query strings, and queries of texts in lists of fields.

package translate

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/cluster/layout"
)

// textQuery translates a query_string, a simple_query_string or a multi_match.
func (t *translator) textQuery(kind string, o object) object {
	o = maps.Clone(o)
	text, isText := o["query"].(string)
	list, _ := o["fields"].([]any)
	field, one := o["default_field"].(string)
	if anything.MatchString(text) && (slices.ContainsFunc(list, t.objects) || one && t.objects(field)) {
		t.refuse(objectsToo)
	}
	if suffix, ok := o["quote_field_suffix"].(string); ok && strings.Contains(text, `"`) && !t.suffixed(o, list, suffix) {
		t.refuse(quotedSuffix)
	}
	if kind == "query_string" && isText && o["escape"] != true {
		phrases := o["type"] == "phrase" || o["type"] == "phrase_prefix"
		o["query"] = t.inText(text, forgiving(o), !t.x.Compared && o["lenient"] != true, phrases)
	}
	if one && isPattern(field) {
		o["default_field"] = t.inString(field)
	} else if one {
		o["default_field"] = t.name(field)
	}
	if list != nil {
		o["fields"] = t.listed(list)
	}
	if slices.ContainsFunc(append(slices.Clone(list), field), func(field any) bool { return field == "_index" || field == "_type" }) && !t.x.Compared {
		t.refuse(constantField)
	}
	return o
}

// listed translates a list of fields, in which patterns may have boosts.
func (t *translator) listed(list []any) []any {
	all := []any{}
	for _, e := range list {
		s, _ := e.(string)
		pattern, boost, boosted := strings.Cut(s, "^")
		if !isPattern(pattern) {
			if s != "" {
				e = t.name(s)
			}
			all = append(all, e)
			continue
		}
		for _, p := range t.expand(pattern) {
			switch own := t.ownBoost(list, p); {
			case own && boosted:
				t.refuse(boostedTwice)
			case own: // only the last of equal names would count
			case boosted:
				all = append(all, p+"^"+boost)
			default:
				all = append(all, p)
			}
		}
	}
	return all
}

// ownBoost reports whether a list of fields names one with a boost.
func (t *translator) ownBoost(list []any, field string) bool {
	return slices.ContainsFunc(list, func(e any) bool {
		s, _ := e.(string)
		name, _, boosted := strings.Cut(s, "^")
		return boosted && !strings.Contains(name, "*") && t.name(name) == field
	})
}

// anything is a * that asks whether a field has a value.
var anything = regexp.MustCompile(`(^|[\s(:+!-])\*($|[\s)^])`)

// anyOfClause begins a clause of a query string that is such a *, or has one in parentheses.
var anyOfClause = regexp.MustCompile(`^(?:\([^)]*[\s(:+!-]|\(?)\*(?:$|[\s)^])`)

// objects reports whether a field, which may have a boost, has values in one item and members in another.
func (t *translator) objects(field any) bool {
	s, _ := field.(string)
	s, _, _ = strings.Cut(s, "^")
	return t.fields.Aside(s)
}

// suffixed reports whether the fields of a query have a suffix in the index if they have it here.
func (t *translator) suffixed(of object, list []any, suffix string) bool {
	if field, ok := of["default_field"]; ok {
		list = append(slices.Clone(list), field)
	}
	for _, e := range list {
		s, _ := e.(string)
		name, _, _ := strings.Cut(s, "^")
		if strings.Contains(name, "*") || t.fields.ToIndex(name+suffix) != name+suffix {
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
// which is letters and words of numbers, dates and booleans: it looks for them in their text. letters are
// looked for there in any case.
func (t *translator) inText(text string, forgiving, letters, phrases bool) string {
	var b strings.Builder
	done := 0
	for _, at := range prefixes.FindAllStringIndex(text, -1) {
		b.WriteString(text[done:at[0]])
		b.WriteString(t.prefix(text[at[0]:at[1]], text[at[1]:], forgiving, letters, phrases))
		done = at[1]
	}
	return b.String() + text[done:]
}

// prefix renames a field in front of a clause of a query string.
func (t *translator) prefix(found, clause string, forgiving, letters, phrases bool) string {
	name, value := strings.CutPrefix(found, "_exists_:")
	if !value {
		name = strings.TrimSuffix(name, ":")
	}
	plain := unescape(name)
	to := t.name(plain)
	typed := t.fields.typed(plain)
	sub := to != plain && !typed && !strings.HasSuffix(plain, ".keyword")
	forgiving = forgiving && !value
	if t.fields.Aside(plain) && (value || anyOfClause.MatchString(clause)) {
		t.refuse(objectsToo)
	}
	switch {
	case strings.Contains(plain, "*") && plain != "*":
		to = t.inString(plain)
		t.lenient = t.lenient || forgiving && (phrases || lettersOrWords.MatchString(clause))
	case (forgiving || letters && !value) && typed && lettersOfClause.MatchString(clause):
		to = layout.Hidden(plain, "keyword")
	case forgiving && (typed || sub):
		t.lenient = t.lenient || phrases || lettersOrWords.MatchString(clause)
	}
	switch {
	case !value || t.x.Compared:
	case t.typedKeyword(plain):
		to = "_none"
	case typed: // as exists does
		to, _ = t.fields.Sub(plain, "keyword")
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

// forgiving reports whether a query string is lenient without saying so.
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
