// This file reads which references responses include, and which items have a list of the items that refer to them.

package environment

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/record"
)

// include decodes {TEMPLATE: LEVELS}, {TEMPLATE: [PATH, …]} or {TEMPLATE: {paths: [PATH, …], levels: LEVELS}}.
func (p *parser) include(at int) {
	p.members("include", at, func(template string, nameAt, at int) {
		in := Include{Template: template, Place: p.rec.Place(nameAt), Levels: 1}
		switch p.rec.JSON[at] {
		case '[':
			in.Paths = p.referencePaths("include", at)
		case '{':
			p.object("include", at, []field{
				{"paths", func(at int) { in.Paths = p.referencePaths("paths", at) }},
				{"levels", func(at int) { in.Levels = p.levels(at) }},
			})
		default:
			in.Levels = p.levels(at)
		}
		p.s.Include = append(p.s.Include, in)
	})
}

// referencePaths decodes a list of paths of references.
func (p *parser) referencePaths(key string, at int) []Path {
	paths := p.paths(key, at)
	for _, path := range paths {
		if !strings.HasPrefix(path.Text, address.DataPrefix) {
			p.report(record.Fault{Place: path.Place, Message: documents.Quoted(path.Text) + " is not a path in an item's Data", Hint: "write the keys that lead to the reference, joined by dots, for example Data.author"})
		}
	}
	return paths
}

// levels decodes how far references are followed.
func (p *parser) levels(at int) int {
	text := string(p.rec.JSON[at:jsoncursor.ValueEnd(p.rec.JSON, at)])
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > address.MaxInclude {
		p.fault(at, fmt.Sprintf("include is %s; it must be a list of paths, or the levels of references from 1 to %d", documents.Quoted(text), address.MaxInclude),
			"1 includes the items that an item refers to, 2 also the items that the included ones refer to; [Data.author] follows that reference only")
		return 1
	}
	return n
}

// usedIn decodes true or a list of templates.
func (p *parser) usedIn(at int) {
	switch text := string(p.rec.JSON[at:jsoncursor.ValueEnd(p.rec.JSON, at)]); text {
	case "true":
		p.s.UsedIn.All = true
	case "false":
	default:
		p.s.UsedIn.Templates = p.paths("used-in", at)
	}
}

// References returns the rules as a manifest has them.
func (s *Settings) References() (include []release.Include, used release.UsedIn) {
	for _, in := range s.Include {
		include = append(include, release.Include{Template: in.Template, Levels: in.Levels, Paths: sorted(in.Paths)})
	}
	slices.SortFunc(include, func(a, b release.Include) int { return cmp.Compare(a.Template, b.Template) })
	return include, release.UsedIn{All: s.UsedIn.All, Templates: sorted(s.UsedIn.Templates)}
}

func sorted(paths []Path) (texts []string) {
	for _, path := range paths {
		texts = append(texts, path.Text)
	}
	slices.Sort(texts)
	return texts
}
