// This file reads a rule: an entry of sources.

package environment

import (
	"fmt"
	"strings"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source/csvtext"
	"contentedge/generator/source/documents"
)

// maxMember bounds the name of a member in bytes.
const maxMember = 1000

func newRule() Rule {
	return Rule{Files: Everything(), Body: Body{DefaultText, DefaultHTML}, Dates: DefaultDates}
}

func (p *parser) rule(at int) Rule {
	r := newRule()
	r.Place = p.rec.Place(at)
	p.object("a rule", at, []field{
		{"files", func(at int) { r.Files = p.files(at) }},
		{"template", func(at int) { r.Template = p.template(at) }},
		{"id", func(at int) { r.ID = p.from("id", at) }},
		{"name", func(at int) { r.Name = p.from("name", at) }},
		{"dates", func(at int) { r.Dates = p.dates(at) }},
		{"status", func(at int) { r.Status = p.status(at) }},
		{"people", func(at int) { r.People = p.people(at) }},
		{"body", func(at int) { p.body(at, &r.Body) }},
		{"references", func(at int) { r.References = p.references(at) }},
		{"types", func(at int) { r.Types = p.types(at) }},
		{"lists", func(at int) { r.Lists = p.lists(at) }},
		{"group", func(at int) { r.Group = p.member("group", at) }},
	})
	return r
}

func (p *parser) files(at int) Glob {
	text := p.text("files", at)
	if text == "" {
		return Glob{}
	}
	g, err := parseGlob(text, Endings)
	if err != nil {
		p.fault(at, err.message, err.hint)
	}
	return g
}

// member decodes the name of a member.
func (p *parser) member(key string, at int) string {
	name := p.text(key, at)
	if len(name) > maxMember {
		p.fault(at, fmt.Sprintf("the name of a member has %d bytes; it may have %d", len(name), maxMember), "")
		return ""
	}
	return name
}

// from decodes {from: member}.
func (p *parser) from(key string, at int) (member string) {
	if p.rec.JSON[at] == '"' {
		name := string(jsoncursor.StringAt(p.rec.JSON, at))
		p.fault(at, key+" must be a mapping, not a text", "to take it from a member, write {from: "+name+"}")
		return ""
	}
	p.object(key, at, []field{{"from", func(at int) { member = p.member("from", at) }}})
	return member
}

func (p *parser) template(at int) (t Template) {
	if p.rec.JSON[at] == '{' {
		t.From = p.from("template", at)
	} else {
		t.Name = p.text("template", at)
	}
	return t
}

// dateWords are the words for sources of dates.
var dateWords = []string{DateFrontMatter: "front matter", DateName: "name", DateGit: "git", DateFile: "file"}

func (p *parser) dates(at int) (dates []DateSource) {
	p.elements("dates", at, func(at int) {
		if p.rec.JSON[at] == '{' {
			dates = append(dates, DateSource{DateMembers, p.people(at)})
			return
		}
		word := p.word("a source of dates", at, dateWords[DateFrontMatter:])
		for kind := DateFrontMatter; kind <= DateFile; kind++ {
			if dateWords[kind] == word {
				dates = append(dates, DateSource{Kind: kind})
			}
		}
	})
	for i := range dates[:max(len(dates)-1, 0)] {
		if dates[i].Kind == DateFile {
			p.fault(at, "no source of dates is asked after file: every file has one", "write file last")
		}
	}
	return dates
}

func (p *parser) status(at int) (s Status) {
	s.Place = p.rec.Place(at)
	if p.rec.JSON[at] != '{' {
		s.Name = p.text("status", at)
		return s
	}
	p.members("status", at, func(name string, nameAt, at int) {
		switch {
		case name == "from":
			s.From = p.member("from", at)
		case name == "else":
			s.Else = p.text("else", at)
		default:
			if s.Table == nil {
				s.Table = map[string]string{}
			}
			s.Table[name] = p.text("the status of "+documents.Quoted(name), at)
		}
	})
	if s.From == "" {
		p.fault(at, "status has no from", `name the member, for example {from: draft, "true": Draft, else: Published}`)
	}
	return s
}

func (p *parser) body(at int, body *Body) {
	p.object("body", at, []field{
		{"text", func(at int) { body.Text = p.member("text", at) }},
		{"html", func(at int) {
			if body.HTML = ""; string(p.rec.JSON[at:jsoncursor.ValueEnd(p.rec.JSON, at)]) != "false" {
				body.HTML = p.member("html", at)
			}
		}},
	})
	if body.Text == body.HTML {
		p.fault(at, "the text and its HTML cannot both be the member "+documents.Quoted(body.Text), "give them two names, or write html: false")
	}
}

func (p *parser) references(at int) (list []Reference) {
	p.members("references", at, func(name string, _, at int) {
		folder := strings.TrimSuffix(p.text("the folder of "+documents.Quoted(name), at), "/")
		if folder == "" {
			return
		}
		if err := checkGlob(folder); err != nil || strings.ContainsAny(folder, "*?{}") {
			p.fault(at, fmt.Sprintf("%s is not a folder below the environment", documents.Quoted(folder)), "write the folder of the items, for example people, or a file of items without its extension")
			return
		}
		list = append(list, Reference{name, folder})
	})
	return list
}

// columnTypes are the types of columns of CSV files.
func columnTypes() (words []string) {
	for _, t := range csvtext.Types {
		words = append(words, string(t))
	}
	return words
}

func (p *parser) types(at int) (list []Column) {
	p.members("types", at, func(name string, _, at int) {
		if kind := p.word("the type of "+documents.Quoted(name), at, columnTypes()); kind != "" {
			list = append(list, Column{name, kind})
		}
	})
	return list
}

func (p *parser) lists(at int) (list []Column) {
	p.members("lists", at, func(name string, _, at int) {
		if separator := p.separator(name, at); separator != "" {
			list = append(list, Column{name, separator})
		}
	})
	return list
}

// separator decodes what stands between the values of a list; it may be white space.
func (p *parser) separator(name string, at int) string {
	if !p.kind("the separator of "+documents.Quoted(name), at, '"', "a text") {
		return ""
	}
	text := string(jsoncursor.StringAt(p.rec.JSON, at))
	if text == "" {
		p.fault(at, "the separator of "+documents.Quoted(name)+" is empty", `write what stands between the values, for example "|"`)
	}
	return text
}
