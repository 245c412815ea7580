// This file reads the whole of _environment.yaml.

package environment

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"contentedge/edgeserve/leftout"
	"contentedge/edgeserve/timezone"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/markdown"
	"contentedge/generator/source/record"
	"contentedge/generator/source/yamltext"
)

const (
	// MaxSize bounds the file in bytes.
	MaxSize = 1 << 20
	// maxRules bounds the rules: the path of each file is compared with each rule.
	maxRules = 1000
)

// Endings are the ends of the names of files that rules take: lower-case extensions with their dots.
var Endings = []string{".md", ".markdown", ".mdx", ".yaml", ".yml", ".toml", ".csv"}

// parser reads settings. at are the offsets of what is checked at the end.
type parser struct {
	decoder
	s      *Settings
	ruleAt []int
}

// Parse reads the text of _environment.yaml, without a byte order mark. After a fault that is not a warning the
// settings are nil.
func Parse(text []byte) (*Settings, []record.Fault) {
	if len(text) > MaxSize {
		return nil, []record.Fault{{Place: record.Place{Line: 1, Col: 1}, Message: fmt.Sprintf("this file has %d bytes; it may have %d", len(text), MaxSize)}}
	}
	rec, faults := yamltext.Object(text, record.Place{Line: 1, Col: 1})
	if wrong(faults) {
		return nil, faults
	}
	p := &parser{decoder: decoder{rec: rec}, s: Default()}
	if len(rec.JSON) > len("{}") {
		p.settings()
	}
	faults = append(faults, p.faults...)
	if p.more > 0 {
		faults = append(faults, record.Fault{Place: faults[len(faults)-1].Place, Message: fmt.Sprintf("and %d more errors in this file", p.more)})
	}
	if wrong(faults) {
		return nil, faults
	}
	p.keys()
	return p.s, faults
}

func wrong(faults []record.Fault) bool {
	return slices.ContainsFunc(faults, func(f record.Fault) bool { return !f.Warning })
}

func (p *parser) settings() {
	p.object("the file", 0, []field{
		{"timezone", func(at int) { p.s.Timezone = p.timezone(at) }},
		{"people", func(at int) { p.s.People = p.people(at) }},
		{"html", func(at int) {
			if word := p.word("html", at, markdown.RawHTMLs); word != "" {
				p.s.HTML = markdown.RawHTML(word)
			}
		}},
		{"sources", p.sources},
		{"ignore", p.ignore},
		{"languages", func(at int) { p.s.Languages = p.languages(at) }},
		{"links", func(at int) { p.s.Links = p.links(at) }},
		{"include", p.include},
		{"used-in", p.usedIn},
		{"search", p.search},
	})
	p.unreachable()
	p.covered()
}

func (p *parser) timezone(at int) *time.Location {
	name := p.text("timezone", at)
	if name == "" {
		return time.UTC
	}
	zone, err := timezone.Load(name)
	if err != nil || name == "Local" {
		p.fault(at, "timezone is "+documents.Quoted(name)+", which is not a time zone", "write a name of the IANA database, for example Europe/Berlin or UTC")
		return time.UTC
	}
	return zone
}

func (p *parser) people(at int) (people People) {
	set := func(r Role, key string) field { return field{key, func(at int) { people[r] = p.text(key, at) }} }
	p.object("people", at, []field{set(Created, "created"), set(Updated, "updated"), set(Published, "published")})
	return people
}

func (p *parser) sources(at int) {
	n := 0
	p.elements("sources", at, func(at int) {
		if n++; n > maxRules {
			return
		}
		p.ruleAt = append(p.ruleAt, at)
		rule := p.rule(at)
		p.s.Rules, p.s.opens = append(p.s.Rules, rule), append(p.s.opens, rule.Files.underscored()...)
	})
	if n > maxRules {
		p.fault(at, fmt.Sprintf("sources has %d rules; it may have %d", n, maxRules), "a pattern such as {news,blog}/** takes the files of several folders")
	}
}

// unreachable reports rules whose files all belong to a rule before.
func (p *parser) unreachable() {
	for i := range p.s.Rules {
		for j := range i {
			if p.s.Rules[j].Files.covers(p.s.Rules[i].Files) {
				p.fault(p.ruleAt[i], fmt.Sprintf("no file can match this rule: the rule in line %d takes all files of %s", p.rec.Place(p.ruleAt[j]).Line, p.s.Rules[i].Files),
					"the first rule that matches wins: move this one before it, or remove it")
				break
			}
		}
	}
}

// paths decodes a list of paths of items. A path given twice is a fault.
func (p *parser) paths(key string, at int) (paths []Path) {
	seen := map[string]bool{}
	p.texts(key, at, func(text string, at int) {
		if seen[text] {
			p.fault(at, fmt.Sprintf("%s is given twice", documents.Quoted(text)), "")
			return
		}
		seen[text] = true
		paths = append(paths, Path{text, p.rec.Place(at)})
	})
	return paths
}

func (p *parser) search(at int) {
	s := &p.s.Search
	p.object("search", at, []field{
		{"exclude", func(at int) { s.Exclude = p.paths("exclude", at) }},
		{"include", func(at int) { s.Include = p.paths("include", at) }},
	})
}

// covered checks the paths of search against each other.
func (p *parser) covered() {
	defaults := []string{address.DataPrefix + DefaultHTML}
	for i := range p.s.Rules {
		if path := p.s.Rules[i].HTMLPath(); path != "" {
			defaults = append(defaults, path)
		}
	}
	_, err := p.s.rules(defaults)
	var wrong *leftout.RuleError
	if !errors.As(err, &wrong) {
		return
	}
	list := p.s.Search.Exclude
	if wrong.Include {
		list = p.s.Search.Include
	}
	p.report(record.Fault{Place: list[wrong.Index].Place, Message: "search: " + wrong.Message, Hint: wrong.Hint})
}

// rules returns the rules of search. defaults are paths that are left out unless search includes them.
func (s *Settings) rules(defaults []string) (leftout.Rules, error) {
	texts := func(paths []Path) (texts []string) {
		for _, path := range paths {
			texts = append(texts, path.Text)
		}
		return texts
	}
	needed := address.ScalarFields()
	slices.Sort(defaults)
	return leftout.New(texts(s.Search.Exclude), texts(s.Search.Include), slices.Compact(defaults), needed)
}

// LeftOut returns the paths that searches do not see. defaults are paths that are left out unless search
// includes them.
func (s *Settings) LeftOut(defaults []string) leftout.Rules {
	rules, _ := s.rules(defaults) // Parse checked them
	return rules
}

// key returns the settings outside of rules that items depend on.
func (s *Settings) key() string {
	return fmt.Sprintf("%s %q %s %q %q ", s.Timezone, s.People, s.HTML, s.Languages, s.Links.pattern)
}

// keys sets the Key of each rule: its text in the file, and the settings that items depend on.
func (p *parser) keys() {
	about := p.s.key()
	for i, at := range p.ruleAt {
		p.s.Rules[i].Key = about + string(p.rec.JSON[at:jsoncursor.ValueEnd(p.rec.JSON, at)])
	}
}
