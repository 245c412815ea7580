// This file checks the references that _environment.yaml includes by template.

package generator

import (
	"fmt"
	"regexp"

	"contentedge/generator/model"
	"contentedge/generator/source"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/environment"
	"contentedge/generator/spill"
)

// includes are the references that the environments include, by environment.
type includes map[string]*source.Environment

// check warns about templates that no item has, and paths at which no item of the template has a
// reference. It reads items until each path is found.
func (in includes) check(site *model.Site, file *spill.File) (found []Diagnostic, err error) {
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
				found = append(found, Diagnostic{File: settings.File, Line: line, Col: col, Message: message, Hint: hint, Warning: true, Note: true})
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
// the template were read.
func missingPaths(of environment.Include, items []model.Item, file *spill.File) (missing []environment.Path, n int, err error) {
	missing = of.Paths
	var text []byte
	for i := range items {
		it := &items[i]
		if it.TemplateName != of.Template || len(missing) == 0 {
			continue
		}
		n++
		text = append(text[:0], make([]byte, it.Text.Size)...)
		if _, err := file.ReadAt(text, it.Text.Offset); err != nil {
			return nil, 0, err
		}
		has := map[string]bool{}
		for _, r := range model.References(text) {
			has[withoutElements(r.Path)] = true
		}
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

var elements = regexp.MustCompile(`\[\d+\]`)

// withoutElements takes the positions in arrays out of a path.
func withoutElements(path string) string { return elements.ReplaceAllString(path, "") }
