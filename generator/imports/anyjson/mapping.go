// This file reads the member json of a mapping file.

package anyjson

import (
	"fmt"
	"regexp"
	"strings"

	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
	"contentedge/generator/source/csvtext"
)

// reader reads rules.
type reader struct{ *imports.Reader }

// The words of from that are not paths.
const (
	fromFile  = "file name"
	fromMarks = "marks"
)

func (in reader) rules(v *jsontree.Value, r *rules) {
	in.Object(v, "json", imports.Table{
		"items": in.to(&r.items), "more": in.to(&r.more), "id": in.to(&r.id), "key": in.to(&r.key), "name": in.to(&r.name),
		"data": in.to(&r.data), "also": in.to(&r.also), "value": in.to(&r.value),
		"created": in.to(&r.created), "updated": in.to(&r.updated), "published": in.to(&r.published), "expires": in.to(&r.expires),
		"type": in.toValue(&r.kind), "template": in.toValue(&r.template), "status": in.toStatus(&r.status),
		"sparse": func(v *jsontree.Value) { r.sparse = in.Yes(v, "sparse") },
		"links": func(v *jsontree.Value) {
			r.links = nil
			in.Each(v, "links", func(v *jsontree.Value) { r.links = append(r.links, in.link(v)) })
		},
		"media": func(v *jsontree.Value) {
			r.media = nil
			in.Each(v, "media", func(v *jsontree.Value) { r.media = append(r.media, in.media(v)) })
		},
		"textIDs":    func(v *jsontree.Value) { r.textIDs = in.pattern(v) },
		"references": in.toWords(&r.refs), "lists": in.toSeparators(&r.lists),
		"numbers": func(v *jsontree.Value) {
			in.Each(v, "numbers", func(v *jsontree.Value) { r.numbers[in.Text(v, "a field")] = true })
		},
		"group": func(v *jsontree.Value) { in.group(v, &r.group) }, "header": in.toNames("header", &r.header),
	})
}

func (in reader) link(v *jsontree.Value) (l link) {
	in.Object(v, "a link", imports.Table{
		"has": in.toPaths("has", &l.has), "where": in.toConditions(&l.where), "id": in.to(&l.id), "type": in.toValue(&l.kind),
		"inline": func(v *jsontree.Value) { l.inline = in.Yes(v, "inline") },
		"alt":    in.to(&l.alt), "width": in.to(&l.width), "height": in.to(&l.height),
	})
	in.complete(v, "a link", l.match, l.id, "id")
	return l
}

func (in reader) media(v *jsontree.Value) (m media) {
	in.Object(v, "a file", imports.Table{
		"has": in.toPaths("has", &m.has), "where": in.toConditions(&m.where), "pattern": func(v *jsontree.Value) { m.pattern = in.pattern(v) },
		"many": func(v *jsontree.Value) { m.many = in.Yes(v, "many") },
		"url":  in.to(&m.url), "id": in.to(&m.id), "alt": in.to(&m.alt), "file": in.to(&m.file),
		"width": in.to(&m.width), "height": in.to(&m.height), "size": in.to(&m.size),
	})
	switch {
	case m.pattern == nil:
		in.complete(v, "a file", m.match, m.url, "url")
	case m.pattern.SubexpIndex("url") < 0:
		in.Fail(v, "the pattern of a file has no group url", `write the part with the address as (?P<url>https://\S+)`)
	}
	return m
}

// complete refuses a rule that would find every object, or nothing in it.
func (in reader) complete(v *jsontree.Value, what string, m match, needs []route, name string) {
	if len(m.has) == 0 && len(m.where) == 0 {
		in.Fail(v, what+" has neither has nor where, so every object would be one", `name members that it has, as "has": ["id", "type"]`)
	}
	if len(needs) == 0 {
		in.Fail(v, what+" has no "+name, fmt.Sprintf(`write "%s": ".PATH"`, name))
	}
}

// pattern reads a regular expression that a whole text has to match.
func (in reader) pattern(v *jsontree.Value) *regexp.Regexp {
	re, err := regexp.Compile("^(?:" + in.Text(v, "a pattern") + ")")
	if err != nil {
		in.Fail(v, "this is not a regular expression: "+err.Error(), "write it in the syntax of RE2")
	}
	return re
}

// list returns the elements of an array, or a value that stands for a list of one.
func list(v *jsontree.Value) []*jsontree.Value {
	if v.IsArray() {
		return v.Items
	}
	return []*jsontree.Value{v}
}

func (in reader) path(v *jsontree.Value) route {
	p, err := parsePath(in.Text(v, "a path"))
	if err != nil {
		in.Fail(v, err.Error(), "")
	}
	return p
}

// to reads a path, or an array of paths, of which the first with a value counts.
func (in reader) to(to *[]route) func(*jsontree.Value) {
	return func(v *jsontree.Value) {
		*to = nil
		for _, item := range list(v) {
			*to = append(*to, in.path(item))
		}
	}
}

// toPaths reads names of members, or paths, which begin with a dot.
func (in reader) toPaths(what string, to *[]route) func(*jsontree.Value) {
	return func(v *jsontree.Value) {
		in.Each(v, what, func(v *jsontree.Value) { *to = append(*to, in.nameOrPath(in.Text(v, "a name"), v)) })
	}
}

func (in reader) nameOrPath(text string, v *jsontree.Value) route {
	if !strings.HasPrefix(text, ".") {
		return column(text)
	}
	p, err := parsePath(text)
	if err != nil {
		in.Fail(v, err.Error(), "")
	}
	return p
}

func (in reader) toNames(what string, to *[]string) func(*jsontree.Value) {
	return func(v *jsontree.Value) {
		*to = nil
		in.Each(v, what, func(v *jsontree.Value) { *to = append(*to, in.Text(v, "a name")) })
	}
}

func (in reader) toConditions(to *[]condition) func(*jsontree.Value) {
	return func(v *jsontree.Value) {
		in.words(v, func(name string, v *jsontree.Value) { *to = append(*to, condition{in.nameOrPath(name, v), v.Text()}) })
	}
}

func (in reader) toWords(to *map[string]string) func(*jsontree.Value) {
	return func(v *jsontree.Value) {
		in.words(v, func(name string, v *jsontree.Value) { (*to)[name] = v.Text() })
	}
}

// toSeparators reads what separates the values of fields. It may be white space.
func (in reader) toSeparators(to *map[string]string) func(*jsontree.Value) {
	return func(v *jsontree.Value) {
		in.Members(v, "lists", func(name string, v *jsontree.Value) { (*to)[name] = in.Text(v, "a separator") })
	}
}

// words calls do with each member of an object of texts, numbers and booleans.
func (in reader) words(v *jsontree.Value, do func(name string, v *jsontree.Value)) {
	in.Members(v, "this", func(name string, v *jsontree.Value) {
		if v.Text() == "" {
			in.Fail(v, "this must be a text, a number or a boolean, not "+v.Kind(), "")
		}
		do(name, v)
	})
}

// group reads a column, or {"by": COLUMN, "parts": {MEMBER: [COLUMN, …]}}.
func (in reader) group(v *jsontree.Value, to *csvtext.Group) {
	*to = csvtext.Group{}
	if !v.IsObject() {
		to.By = in.Text(v, "a column")
		return
	}
	in.Object(v, "group", imports.Table{
		"by": func(v *jsontree.Value) { to.By = in.Text(v, "a column") },
		"parts": func(v *jsontree.Value) {
			in.Members(v, "parts", func(name string, v *jsontree.Value) {
				part := csvtext.Part{Name: name}
				in.toNames("a part", &part.Columns)(v)
				to.Parts = append(to.Parts, part)
			})
		},
	})
	if to.By == "" {
		in.Fail(v, "group names no column", `write {"by": COLUMN}`)
	}
}

// toStatus reads a value, or an array of values of which the strictest counts.
func (in reader) toStatus(to *[]*value) func(*jsontree.Value) {
	return func(v *jsontree.Value) {
		*to = nil
		for _, item := range list(v) {
			one := &value{marks: true}
			if item.Get("from").Str() == fromMarks {
				in.Object(item, "marks", imports.Table{"from": func(*jsontree.Value) {}, "else": func(v *jsontree.Value) { one.quiet = in.null(v) }})
			} else {
				in.toValue(&one)(item)
			}
			*to = append(*to, one)
		}
	}
}

// null reports whether a value is null, which is all that marks may have for unknown values.
func (in reader) null(v *jsontree.Value) bool {
	if !v.IsNull() {
		in.Fail(v, "else of marks must be null, not "+v.Kind(), "write null to leave out unknown values, or leave else out")
	}
	return v.IsNull()
}

// toValue reads a word, a path, or {"from": PATH, VALUE: WORD, "else": WORD}.
func (in reader) toValue(to **value) func(*jsontree.Value) {
	return func(v *jsontree.Value) {
		if !v.IsObject() {
			parsed, err := parseValue(in.Text(v, "a word or a path"))
			if err != nil {
				in.Fail(v, err.Error(), "")
			}
			*to = parsed
			return
		}
		w := &value{words: map[string]string{}}
		for _, m := range v.Members {
			switch {
			case m.Name == "from":
				in.from(m.Value, w)
			case m.Name == "else" && m.Value.IsNull():
				w.quiet = true
			case m.Name == "else":
				w.other = in.Text(m.Value, "a word")
			case m.Value.IsNull():
				w.words[m.Name] = ""
			default:
				w.words[m.Name] = in.Text(m.Value, "a word")
			}
		}
		if len(w.from) == 0 && !w.file {
			in.Fail(v, "this says not which member it comes from", `write {"from": ".PATH"}`)
		}
		*to = w
	}
}

// from reads paths, of which the last may be the name of the file.
func (in reader) from(v *jsontree.Value, w *value) {
	for _, item := range list(v) {
		if item.Str() == fromFile {
			w.file = true
			continue
		}
		w.from = append(w.from, in.path(item))
	}
}
