// This file checks the references that _environment.yaml includes by template.

package generator

import (
	"context"
	"fmt"

	"contentedge/edgeserve/bytesize"
	"contentedge/edgeserve/engine/include"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/generator/model"
	"contentedge/generator/plan"
	"contentedge/generator/related"
	"contentedge/generator/source"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/environment"
	"contentedge/generator/spill"
	"contentedge/generator/writer"
)

// includes are the references that the environments include, by environment.
type includes map[string]*source.Environment

// follow reports whether some file depends on other items than its own.
func (in includes) follow() bool {
	for _, settings := range in {
		if rules, used := settings.References(); len(rules) > 0 || used.Any() {
			return true
		}
	}
	return false
}

// planned returns what measures the items of a plan. Their texts are stored only if references are followed.
func (s *Session) planned() model.TextSink {
	if s.file == nil {
		return writer.FragmentSizer{}
	}
	return writer.NewFragmentSpiller(s.file)
}

// related finds the references of an environment that files depend on.
func (in includes) related(ctx context.Context, env *model.Env, p *plan.Env, file *spill.File) (*related.Env, error) {
	settings := in[env.ID]
	if settings == nil {
		return nil, nil
	}
	rules, used := settings.References()
	return related.New(ctx, rules, used, env, p.Docs, file)
}

// maxTooMany is how many items that include too many others are listed.
const maxTooMany = 10

func tooMany(e *related.TooMany) (found []Diagnostic) {
	for i, it := range e.Items {
		if i == maxTooMany {
			return append(found, Diagnostic{Message: fmt.Sprintf("and %d more items include too many others", len(e.Items)-i)})
		}
		found = append(found, Diagnostic{File: it.File.Name, Line: int(it.Line), Col: 1,
			Message: fmt.Sprintf("the item %s would include more than %d items, or %s of them", documents.Quoted(it.ContentID), include.MaxItems, bytesize.Format(include.MaxBytes)),
			Hint:    fmt.Sprintf("in _environment.yaml give its template %s fewer levels, or name the paths of the references to follow", documents.Quoted(it.TemplateName))})
	}
	return found
}

// check warns about templates that no item has, and paths at which no item of the template has a
// reference. It reads items until each path is found.
func (in includes) check(site *model.Site, file *spill.File) (found map[string][]Diagnostic, err error) {
	found = map[string][]Diagnostic{}
	for i := range site.Envs {
		env := &site.Envs[i]
		settings := in[env.ID]
		if settings == nil || len(env.Items) == 0 {
			continue
		}
		for _, of := range settings.Include {
			missing, items, err := missingPaths(of, env.Items, file)
			if err != nil {
				return nil, err
			}
			warn := func(line, col int, message, hint string) {
				found[env.ID] = append(found[env.ID], Diagnostic{File: settings.File, Line: line, Col: col, Message: message, Hint: hint, Warning: true, Note: true})
			}
			if items == 0 {
				warn(of.Line, of.Col, "include: no item has the template "+documents.Quoted(of.Template), "templates are compared exactly")
				continue
			}
			for _, path := range missing {
				warn(path.Line, path.Col, fmt.Sprintf("include: no item of the template %s refers to an item at %s", documents.Quoted(of.Template), path.Text), "name the path of a reference, for example Data.author; arrays add no key")
			}
		}
	}
	return found, nil
}

// missingPaths returns the paths at which no item of the template has a reference, and how many items of
// the template it met until each path was found.
func missingPaths(of environment.Include, items []model.Item, file *spill.File) (missing []environment.Path, n int, err error) {
	missing = of.Paths
	var text []byte
	for i := range items {
		it := &items[i]
		if it.TemplateName != of.Template {
			continue
		}
		if n++; len(missing) == 0 {
			break
		}
		text = append(text[:0], make([]byte, it.Text.Size)...)
		if _, err := file.ReadAt(text, it.Text.Offset); err != nil {
			return nil, 0, err
		}
		has := map[string]bool{}
		envelope.References(text, func(path, _ []byte) bool {
			has[string(path)] = true
			return true
		})
		var left []environment.Path
		for _, path := range missing {
			if !has[path.Text] {
				left = append(left, path)
			}
		}
		missing = left
	}
	return missing, n, nil
}
