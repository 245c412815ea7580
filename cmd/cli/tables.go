// This file makes the tables of the pages from the definitions. Only tests call it, so that programs
// do not link it.

package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// The patterns are functions, so that programs do not compile them at their start.
var (
	// tableOf begins a table: flags of commands, perhaps of some groups, or exit codes.
	tableOf = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^<!-- (flags|exit codes) of ([^:]+?)(?:: (.+))? -->$`)
	})
	// codeWords are the words that a page shows as code: flags, variables, addresses, elements, files.
	codeWords = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`--[a-z][a-z-]*[a-z]|CONTENTEDGE_[A-Z_]+|[a-z0-9]+://[^\s;,)]+|<[a-z]+>|[A-Z]*/[-a-z][-a-z/]*[a-z]|[a-z*]+\.(json|conf|ndjson|sha256)`)
	})
)

const endOfTable = "<!-- end -->"

// FillPage returns a page with its tables filled in. documented gets the names of the commands with
// each flag that the page has, as "tool push --public".
func (p *Program) FillPage(page string, documented map[string]bool) (string, error) {
	p.complete()
	var b strings.Builder
	inside := false
	for i, line := range strings.Split(strings.TrimSuffix(page, "\n"), "\n") {
		m := tableOf().FindStringSubmatch(line)
		switch {
		case line == endOfTable:
			inside = false
		case m != nil:
			table, err := p.table(m[1], strings.Split(m[2], ", "), m[3], documented)
			if err != nil {
				return "", fmt.Errorf("line %d: %w", i+1, err)
			}
			b.WriteString(line + "\n" + table)
			inside = true
			continue
		}
		if !inside {
			b.WriteString(line + "\n")
		}
	}
	if inside {
		return "", fmt.Errorf("a table has no %s", endOfTable)
	}
	return b.String(), nil
}

// Shadowed returns the flags whose variables Kubernetes sets in containers for a service named
// contentedge, so that users cannot set them.
func (p *Program) Shadowed() (names []string) {
	p.complete()
	p.Root.each(func(c *Command) {
		for _, f := range c.all() {
			if v := f.variable(); strings.HasPrefix(v, prefix+"PORT") || strings.HasPrefix(v, prefix+"SERVICE_") {
				names = append(names, c.path()+" --"+f.name)
			}
		}
	})
	return names
}

// Documentable returns the names of the commands with each flag that a page should have.
func (p *Program) Documentable() (names []string) {
	p.complete()
	p.Root.each(func(c *Command) {
		for _, f := range c.all() {
			if !f.isOwn() && !f.secret {
				names = append(names, c.path()+" --"+f.name)
			}
		}
	})
	return names
}

func (p *Program) table(what string, paths []string, groups string, documented map[string]bool) (string, error) {
	var commands []*Command
	for _, path := range paths {
		found := len(commands)
		p.Root.each(func(c *Command) {
			if c.path() == path {
				commands = append(commands, c)
			}
		})
		if len(commands) == found {
			return "", fmt.Errorf("unknown command %q", path)
		}
	}
	if what == "exit codes" {
		return exitTable(commands[0]), nil
	}
	var only []string
	if groups != "" {
		only = strings.Split(groups, ", ")
	}
	for _, title := range only {
		if !slices.ContainsFunc(commands, func(c *Command) bool {
			return slices.ContainsFunc(c.groups, func(g *Group) bool { return g.title == title })
		}) {
			return "", fmt.Errorf("%s has no group %q", strings.Join(paths, ", "), title)
		}
	}
	rows := flagRows(commands, only)
	for _, r := range rows {
		for _, c := range r.commands {
			documented[c.path()+" --"+r.flag.name] = true
		}
	}
	if !slices.ContainsFunc(rows, func(r *flagRow) bool { return len(r.commands) < len(commands) }) {
		return oneTable(rows), nil
	}
	return sharedTable(rows, commands), nil
}

// flagRow is a flag of one command, or of several that mean the same.
type flagRow struct {
	flag     *Flag
	commands []*Command
}

func flagRows(commands []*Command, groups []string) (rows []*flagRow) {
	for _, c := range commands {
		for _, f := range c.all() {
			if f.secret || groups == nil && f.isOwn() || groups != nil && !slices.Contains(groups, f.group.title) {
				continue
			}
			same := func(r *flagRow) bool { return r.flag.usage() == f.usage() && r.flag.description() == f.description() }
			if at := slices.IndexFunc(rows, same); at >= 0 {
				rows[at].commands = append(rows[at].commands, c)
				continue
			}
			rows = append(rows, &flagRow{f, []*Command{c}})
		}
	}
	return rows
}

func oneTable(rows []*flagRow) string {
	text := "| flag | default | meaning |\n|---|---|---|\n"
	for _, r := range rows {
		text += fmt.Sprintf("| `%s` | %s | %s |\n", cell(r.flag.usage()), r.flag.defaultCell(), markdown(r.flag.meaning()))
	}
	return text
}

// sharedTable names the commands of each row without the words that all of the table have in common.
func sharedTable(rows []*flagRow, commands []*Command) string {
	common := commonPath(commands)
	text := "| flag | commands | meaning |\n|---|---|---|\n"
	for _, r := range rows {
		var names []string
		for _, c := range r.commands {
			names = append(names, strings.TrimPrefix(c.path(), common))
		}
		if len(names) == len(commands) {
			names = []string{"all"}
		}
		meaning := markdown(r.flag.meaning())
		if r.flag.def != "" {
			meaning += " (default " + r.flag.defaultCell() + ")"
		}
		text += fmt.Sprintf("| `%s` | %s | %s |\n", cell(r.flag.usage()), strings.Join(names, ", "), meaning)
	}
	return text
}

// commonPath returns the words that begin the paths of all commands, with a space after each.
func commonPath(commands []*Command) (common string) {
	for word := range strings.FieldsSeq(commands[0].path()) {
		next := common + word + " "
		if slices.ContainsFunc(commands, func(c *Command) bool { return !strings.HasPrefix(c.path(), next) }) {
			break
		}
		common = next
	}
	return common
}

func exitTable(c *Command) string {
	text := "| exit code | meaning |\n|---|---|\n"
	for _, e := range c.Exits {
		text += fmt.Sprintf("| %s | %s |\n", e.Status, markdown(e.Text))
	}
	return text
}

// meaning is the text of a flag in a table.
func (f *Flag) meaning() string {
	text := f.text
	if f.value.kind == kindRepeatable {
		text += "; repeatable"
	}
	if f.lineOnly {
		text += "; on the command line only"
	}
	return text
}

func (f *Flag) defaultCell() string {
	switch {
	case f.def == "" && f.value.kind == kindBool:
		return "off"
	case f.def == "":
		return "none"
	case f.prose:
		return markdown(f.def)
	}
	return "`" + cell(f.def) + "`"
}

func markdown(text string) string { return codeWords().ReplaceAllString(cell(text), "`$0`") }

// cell escapes what would end a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
