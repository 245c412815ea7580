// This file lists the formats of files that become items by rules.

package items

import (
	"path"
	"slices"
	"strings"

	"contentedge/generator/source/csvtext"
	"contentedge/generator/source/environment"
	"contentedge/generator/source/markdown"
	"contentedge/generator/source/record"
	"contentedge/generator/source/tomltext"
	"contentedge/generator/source/yamltext"
	"contentedge/generator/visibility"
)

// Formats are all formats.
var Formats = []*Format{
	{Extensions: []string{".md", ".markdown"}, MaxSize: markdown.MaxFile, Markdown: true, read: readMarkdown},
	{Extensions: []string{".mdx"}, MaxSize: markdown.MaxFile, Markdown: true, components: true, read: readMarkdown},
	{Extensions: []string{".yaml", ".yml"}, MaxSize: yamltext.MaxText, read: readYAML},
	{Extensions: []string{".toml"}, MaxSize: tomltext.MaxText, read: readTOML},
	{Extensions: []string{".csv"}, Rows: true, MaxSize: csvtext.MaxText, read: readCSV},
}

// FormatOf returns the format of a file with that name, or nil for other kinds of files.
func FormatOf(name string) *Format {
	extension := strings.ToLower(path.Ext(name))
	for _, f := range Formats {
		if slices.Contains(f.Extensions, extension) {
			return f
		}
	}
	return nil
}

func readMarkdown(text []byte, _ *environment.Rule) ([]entry, []record.Fault) {
	found, faults := markdown.Split(text)
	if slices.ContainsFunc(faults, func(f record.Fault) bool { return !f.Warning }) {
		return nil, faults
	}
	return []entry{{rec: found.FrontMatter, text: found.Body, textAt: found.BodyAt}}, faults
}

func readTOML(text []byte, _ *environment.Rule) ([]entry, []record.Fault) {
	rec, faults := tomltext.Object(text, record.Place{Line: 1, Col: 1})
	if len(faults) > 0 {
		return nil, faults
	}
	return []entry{{rec: rec}}, nil
}

func readYAML(text []byte, _ *environment.Rule) ([]entry, []record.Fault) {
	records, list, faults := yamltext.Records(text)
	return entriesOf(records, list), faults
}

func readCSV(text []byte, rule *environment.Rule) ([]entry, []record.Fault) {
	options := csvtext.Options{Types: map[string]csvtext.Type{}, Lists: map[string]string{}, Group: csvtext.Group{By: rule.Group, Single: decides(rule)}}
	for _, c := range rule.Types {
		options.Types[c.Name] = csvtext.Type(c.Value)
	}
	for _, c := range rule.Lists {
		options.Lists[c.Name] = c.Value
	}
	records, faults := csvtext.Records(text, options)
	return entriesOf(records, true), faults
}

// decides returns a function that reports whether a column says who sees an item, or gives a field that is not in Data.
func decides(rule *environment.Rule) func(column string) bool {
	columns := []string{rule.ID, rule.Name, rule.Status.From, rule.Template.From}
	columns = append(columns, rule.People[:]...)
	for _, d := range rule.Dates {
		columns = append(columns, d.Members[:]...)
	}
	return func(column string) bool { return visibility.IsMark(column) || slices.Contains(columns, column) }
}

func entriesOf(records []record.Record, listed bool) []entry {
	entries := make([]entry, len(records))
	for i, r := range records {
		entries[i] = entry{rec: r, listed: listed}
	}
	return entries
}
