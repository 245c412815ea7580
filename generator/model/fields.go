// This file warns about paths whose values are of mixed kinds, which are searched as text, and about
// numbers that their path cannot hold.

package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/mapping"
	"contentedge/generator/source/jsonscan"
)

// counter counts the values of items: a survey, or a recorder where several selections may be built.
type counter interface {
	Begin(template string)
	Member(name string, text []byte, at int, base mapping.Place, added []mapping.Added)
	References() []mapping.RefersFrom
}

// survey counts an item's values.
func (p *parser) survey(d *draft, members []jsonscan.Member) {
	if p.out.report.errors > 0 {
		return
	}
	var to counter = p.recorder
	if p.opts.Cache == nil {
		if !p.opts.delivers(d.Item.Visibility()) {
			return
		}
		s := p.surveys[p.file.Env]
		if s == nil {
			s = mapping.NewSurvey()
			p.surveys[p.file.Env], p.counted[p.file.Env] = s, new(pathCount)
		}
		to = s
	}
	to.Begin(d.TemplateName)
	for i := range members {
		m := &members[i]
		name := jsoncursor.Unquote(m.Name)
		if field := fieldOf(name); field < 0 || field == fieldData && m.Value[0] == '{' {
			to.Member(string(name), p.text, m.ValueAt, p.base, p.added)
		}
	}
	if s, ok := to.(*mapping.Survey); ok && p.err == nil {
		p.err = p.counted[p.file.Env].check(p.opts, p.file.Env, s.Paths())
	}
	p.refersFrom(d, to.References())
	if p.opts.Cache != nil {
		before := len(p.records)
		p.records = p.recorder.Append(p.records)
		d.record = int32(len(p.records) - before)
	}
}

// refersFrom records where the references of an item are. Members outside of Data may look like references.
func (p *parser) refersFrom(d *draft, places []mapping.RefersFrom) {
	list := p.references[len(p.references)-int(d.references):]
	for _, from := range places {
		if !from.Node.Inside(FieldNames[fieldData]) {
			continue
		}
		for range min(from.IDs, len(list)) {
			list[0].from, list = from.Node, list[1:]
		}
	}
}

func (l *loader) fields(site *Site) {
	surveys := make(map[string][]*mapping.Survey, len(site.Envs))
	for _, p := range l.parsers {
		for env, s := range p.surveys {
			surveys[env] = append(surveys[env], s)
		}
		clear(p.surveys)
	}
	l.recorded(surveys)
	for i := range site.Envs {
		env := &site.Envs[i]
		if len(surveys[env.ID]) == 0 {
			continue // it has no items
		}
		env.Fields = l.leaveOut(env, mapping.Result(surveys[env.ID]...))
		env.surveys = surveys[env.ID]
		for path, typ := range mapping.Scalars {
			env.Fields = append(env.Fields, mapping.Field{Path: path, Type: typ})
		}
		slices.SortFunc(env.Fields, func(a, b mapping.Field) int { return strings.Compare(a.Path, b.Path) })
	}
	l.parsers = nil
}

func (l *loader) recorded(surveys map[string][]*mapping.Survey) {
	type key struct {
		env      string
		recorder *mapping.Recorder
	}
	all := map[key]*mapping.Survey{}
	for file := range l.results {
		from := l.results[file].parsed
		if l.opts.Cache == nil || from == nil {
			continue
		}
		item := 0
		for _, part := range from.records {
			k := key{l.files[file].Env, part.by}
			for rest := part.list; item < part.end; item++ {
				it := &from.items[item]
				if l.delivers(it) {
					if all[k] == nil {
						all[k] = mapping.NewSurvey()
						surveys[k.env] = append(surveys[k.env], all[k])
					}
					all[k].Add(part.by, rest[:it.record], mapping.Place{File: file, Offset: part.base})
				}
				rest = rest[it.record:]
			}
		}
	}
}

const maxPaths = 100 // paths reported of an environment for one reason; more are counted

// aboutFields warns about paths of mixed kinds and about numbers that the type of their path cannot hold.
func (l *loader) aboutFields(site *Site) (found []Diagnostic, err error) {
	for i := range site.Envs {
		env := &site.Envs[i]
		mixed := slices.DeleteFunc(slices.Clone(env.Fields), func(f mapping.Field) bool { return !f.Mixed() })
		outside := slices.DeleteFunc(slices.Clone(env.Fields), func(f mapping.Field) bool { return f.Outside == 0 })
		if len(mixed)+len(outside) > 0 {
			l.warn(env.ID)
		}
		shown, beyond := mixed[:min(len(mixed), maxPaths)], outside[:min(len(outside), maxPaths)]
		places, err := l.placesOf(slices.Concat(shown, beyond))
		if err != nil {
			return nil, err
		}
		for _, f := range shown {
			found = append(found, explainMixed(&f, places))
			env.Mixed = append(env.Mixed, mixedPath(&f, places))
		}
		found = append(found, more(len(mixed)-len(shown), "of mixed kinds in "+env.ID)...)
		for _, f := range beyond {
			found = append(found, explainOutside(&f, places))
		}
		found = append(found, more(len(outside)-len(beyond), "with numbers out of range in "+env.ID)...)
	}
	return found, nil
}

// warn records that an environment has warnings about paths or rules.
func (l *loader) warn(env string) {
	if l.warned == nil {
		l.warned = map[string]bool{}
	}
	l.warned[env] = true
}

// more counts the paths that are not reported.
func more(rest int, what string) []Diagnostic {
	if rest <= 0 {
		return nil
	}
	return []Diagnostic{{Message: "and " + count(rest, "more path") + " " + what, Warning: true}}
}

// explainOutside says what a path cannot hold.
func explainOutside(f *mapping.Field, places map[mapping.Place]Diagnostic) Diagnostic {
	d := places[f.FirstOutside]
	d.Warning, d.Count = true, f.Outside
	d.Message = fmt.Sprintf("%s: %s out of range: %s", f.Path, count(f.Outside, "number"), f.Range())
	d.Hint = fmt.Sprintf("searches, sorts and aggregations of numbers do not find such values; write all of the path as strings, or use %s.keyword or %[1]s.double", f.Path)
	return d
}

// MixedPath is a path with values of several kinds, the most frequent first.
type MixedPath struct {
	Path  string
	Kinds []MixedKind
}

// MixedKind is the values of one kind, with the place of the first.
type MixedKind struct {
	Kind      mapping.Kind
	Count     int // values
	File      string
	Line, Col int
}

func mixedPath(f *mapping.Field, places map[mapping.Place]Diagnostic) MixedPath {
	m := MixedPath{Path: f.Path}
	for _, k := range kindsOf(f) {
		first := places[f.First[k]]
		m.Kinds = append(m.Kinds, MixedKind{k, f.Count[k], first.File, first.Line, first.Col})
	}
	return m
}

func kindsOf(f *mapping.Field) (kinds []mapping.Kind) {
	for k := range mapping.Kinds {
		if f.Count[k] > 0 {
			kinds = append(kinds, k)
		}
	}
	slices.SortStableFunc(kinds, func(a, b mapping.Kind) int { return cmp.Compare(f.Count[b], f.Count[a]) })
	return kinds
}

// explainMixed returns a path's kinds, the most frequent first. The rarest's place is the
// diagnostic's.
func explainMixed(f *mapping.Field, places map[mapping.Place]Diagnostic) Diagnostic {
	kinds := kindsOf(f)
	parts := make([]string, len(kinds))
	common, rarest := kinds[0], kinds[len(kinds)-1]
	for i, k := range kinds {
		parts[i] = count(f.Count[k], k.String())
		if k != common && k != rarest {
			parts[i] += " (first: " + places[f.First[k]].place() + ")"
		}
	}
	d := places[f.First[rarest]]
	d.Warning, d.Count = true, f.Count[rarest]
	d.Message = f.Path + ": " + strings.Join(parts, ", ")
	d.Hint = fmt.Sprintf("all values are searched as text; write them alike, for example as %ss, like the first %s at %s", common, common, places[f.First[common]].place())
	return d
}

// placesOf finds the lines of the places that the diagnostics of paths name.
func (l *loader) placesOf(list []mapping.Field) (map[mapping.Place]Diagnostic, error) {
	byFile := map[int]map[int64]bool{}
	add := func(n int, first mapping.Place) {
		if n == 0 {
			return
		}
		if byFile[first.File] == nil {
			byFile[first.File] = map[int64]bool{}
		}
		byFile[first.File][first.Offset] = true
	}
	for _, f := range list {
		add(f.Outside, f.FirstOutside)
		for k, n := range f.Count {
			if f.Mixed() {
				add(n, f.First[k])
			}
		}
	}
	places := map[mapping.Place]Diagnostic{}
	for file, set := range byFile {
		offsets := slices.Sorted(maps.Keys(set))
		err := l.eachPlace(&l.files[file], offsets, func(i int, v view) {
			d := Diagnostic{File: l.files[file].Name}
			d.Line, d.Col = v.place()
			places[mapping.Place{File: file, Offset: offsets[i]}] = d
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.files[file].Name, err)
		}
	}
	return places, nil
}
