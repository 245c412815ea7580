// This file decides which files of formats that need rules are content: the files that a rule in _environment.yaml
// names, or without rules, Markdown where there is no JSON.

package source

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"contentedge/edgeserve/leftout"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/environment"
	"contentedge/generator/source/items"
)

// Environment has the settings of an environment, from _environment.yaml.
type Environment struct {
	*environment.Settings
	File string // as the user would type it; "" without the file

	sum  string   // of the bytes of File
	html []string // paths with the HTML of Markdown files
}

// SearchRules returns the paths of items that searches do not see.
func (e *Environment) SearchRules() leftout.Rules { return e.LeftOut(e.html) }

// candidate is a file of a format that needs a rule.
type candidate struct {
	file   File
	format *items.Format
}

// settingsName finds files that are probably meant to be _environment.yaml.
func settingsName(name string) bool {
	base := strings.TrimSuffix(environment.Name, path.Ext(environment.Name))
	return strings.EqualFold(strings.TrimSuffix(name, path.Ext(name)), base)
}

// misplaced reports a file with the name of settings where they have no effect.
func (w *walker) misplaced(at string) {
	if path.Base(at) != environment.Name {
		w.problem(at, "the settings of an environment are not read from a file of this name", "rename it to "+environment.Name)
		return
	}
	w.problem(at, "the settings of an environment have no effect here", "move "+environment.Name+" into the folder of the environment")
}

// settingsOf reads the settings of an environment before its other files, as they say what is ignored.
func (w *walker) settingsOf(env string, entries []fs.DirEntry) error {
	i := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return e.Name() == environment.Name })
	if i < 0 {
		return nil
	}
	err := w.settings(env, env+"/"+environment.Name, entries[i])
	if w.env = w.tree.Settings[env]; w.env != nil {
		w.ignored = make([]bool, len(w.env.Ignore))
	}
	return err
}

// settings reads _environment.yaml of an environment.
func (w *walker) settings(env, at string, entry fs.DirEntry) error {
	target := at
	w.broken = true // until the file is read
	switch mode := entry.Type(); {
	case mode&fs.ModeSymlink != 0:
		resolved, info, message := w.resolve(at)
		if message == "" && !info.Mode().IsRegular() {
			message = "this link leads to something that is not a file"
		}
		if message != "" {
			w.problem(at, message, "replace the link by what it should hold, or remove it")
			return nil
		}
		target = resolved
	case !mode.IsRegular():
		w.problem(at, "the settings of an environment are a file", "")
		return nil
	}
	f := File{Env: env, Path: at, Name: shown(w.dir, at), Format: settingsFormat, dir: w.dir, target: target}
	text, err := f.Read()
	if err == nil {
		text, err = documents.Decode(text)
	}
	var problem *Problem
	var fault *documents.FileFault
	switch {
	case errors.As(err, &problem):
		w.tree.Problems = append(w.tree.Problems, *problem)
	case errors.As(err, &fault):
		w.tree.Problems = append(w.tree.Problems, Problem{Path: f.Name, Line: fault.Line, Col: 1, Message: fault.Message, Hint: fault.Hint})
	case err != nil:
		return err
	default:
		w.parse(env, f.Name, text)
	}
	return nil
}

// settingsFormat bounds the size of the file.
var settingsFormat = &documents.Format{Extensions: []string{path.Ext(environment.Name)}, MaxSize: environment.MaxSize}

func (w *walker) parse(env, name string, text []byte) {
	settings, faults := environment.Parse(text)
	for _, f := range faults {
		p := Problem{Path: name, Line: f.Line, Col: f.Col, Message: f.Message, Hint: f.Hint}
		if f.Warning {
			w.tree.Skipped = append(w.tree.Skipped, p)
		} else {
			w.tree.Problems = append(w.tree.Problems, p)
		}
	}
	if w.broken = settings == nil; !w.broken {
		w.tree.Settings[env] = &Environment{Settings: settings, File: name, sum: release.HexSHA256(text)}
	}
}

// choose adds the candidates of the current environment that are content. first is its first other file.
func (w *walker) choose(env string, first int) error {
	settings := w.tree.Settings[env]
	if settings == nil {
		settings = &Environment{Settings: environment.Default()}
		w.tree.Settings[env] = settings
	}
	if w.broken {
		return nil // its faults are reported, and its rules are unknown
	}
	w.translations(settings)
	if err := w.foreign(settings, first); err != nil {
		return err
	}
	if len(settings.Rules) == 0 && len(w.tree.Files) > first {
		for _, c := range w.records {
			w.skipRecord(c)
		}
		return nil
	}
	used := map[*environment.Rule]bool{}
	formats := map[formatKey]*documents.Format{}
	markdown := settings.DefaultRule()
	for _, c := range w.records {
		rule := settings.RuleOf(c.file.below())
		if len(settings.Rules) == 0 && c.format.Markdown {
			rule = markdown
			if ext := path.Ext(c.file.Path); !slices.Contains(w.markdown, ext) {
				w.markdown = append(w.markdown, ext)
			}
		}
		if rule == nil {
			if w.skipRecord(c); w.ruled(env) {
				w.unread = ""
			}
			continue
		}
		w.take(settings, c, rule, formats)
		used[rule] = true
	}
	w.unused(settings, used)
	return nil
}

// translations finds the languages that names of the candidates end in, and drops the pages of folders whose names end in
// another word.
func (w *walker) translations(settings *Environment) {
	w.languages = settings.Languages
	if w.languages == nil {
		var paths []string
		for _, c := range w.records {
			if c.format.Markdown {
				paths = append(paths, c.file.below())
			}
		}
		w.languages = environment.FindLanguages(paths, items.IsFolderPage)
	}
	w.records = slices.DeleteFunc(w.records, func(c candidate) bool {
		return w.hidden(path.Base(c.file.Path)) && !c.format.IsFolderPage(c.file.below(), w.languages)
	})
}

// skipRecord counts a candidate that is not read. The hint names Markdown first, then the least extension,
// as folders list their files in any order.
func (w *walker) skipRecord(c candidate) {
	kind := extension(c.file.Path)
	w.skippedFiles[kind]++
	if w.unread == "" || before(kind, w.unread) {
		w.unread = kind
	}
}

// before reports whether a hint names an extension rather than another.
func before(kind, other string) bool {
	a, b := items.FormatOf(kind), items.FormatOf(other)
	if a.Markdown != b.Markdown {
		return a.Markdown
	}
	return kind < other
}

// formatKey is a format by a rule.
type formatKey struct {
	rule   *environment.Rule
	format *items.Format
}

// take adds a candidate by a rule.
func (w *walker) take(settings *Environment, c candidate, rule *environment.Rule, formats map[formatKey]*documents.Format) {
	f, key := c.file, formatKey{rule, c.format}
	f.rules, f.records, f.Rule = items.Rules{Settings: settings.Settings, Rule: rule, Lenient: w.owner.DateFromFile, Languages: w.languages}, c.format, fmt.Sprintf("%s %q", rule.Key, w.languages)
	if formats[key] == nil {
		formats[key] = &documents.Format{
			Extensions: c.format.Extensions, MaxSize: c.format.MaxSize, MayBeEmpty: c.format.Markdown,
			NewReader: func() documents.Reader { return c.format.NewReader(f.rules) },
		}
	}
	f.Format = formats[key]
	if html := rule.HTMLPath(); c.format.Markdown && html != "" && !slices.Contains(settings.html, html) {
		settings.html = append(settings.html, html)
	}
	w.tree.Files = append(w.tree.Files, f)
}

// maxUnused is how many rules without a file are reported.
const maxUnused = 10

// unused reports rules that no file matches: their pattern is often misspelt.
func (w *walker) unused(settings *Environment, used map[*environment.Rule]bool) {
	more := 0
	for i := range settings.Rules {
		rule := &settings.Rules[i]
		if used[rule] {
			continue
		}
		if more++; more <= maxUnused {
			w.tree.Skipped = append(w.tree.Skipped, Problem{Path: settings.File, Line: rule.Line, Col: rule.Col, Message: fmt.Sprintf("no file matches this rule: %s", Show(rule.Files.String())),
				Hint: "rules take " + strings.Join(environment.Endings, ", ") + " files; items in JSON need no rule"})
		}
	}
	if more > maxUnused {
		w.tree.Skipped = append(w.tree.Skipped, Problem{Path: settings.File, Message: fmt.Sprintf("and %d more rules that no file matches", more-maxUnused)})
	}
}
