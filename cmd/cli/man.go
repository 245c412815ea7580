// This file writes manual pages. It writes them itself: package cobra/doc would add a library of YAML
// and one of Markdown to the programs, and knows no groups of flags.

package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"contentedge/cmd/outfile"
)

// epochVariable has the date of reproducible builds, in seconds since 1970.
const epochVariable = "SOURCE_DATE_EPOCH"

func (p *Program) manCommand() *Command {
	name := p.Root.Name
	c := &Command{
		Name: "man", Args: "DIR", Summary: "write the manual pages to a directory",
		Long:     "Writes a page for the program and one for each command, as " + name + ".1. Their date comes from $" + epochVariable + ", else from the commit.",
		Examples: []Example{{Line: name + " man /usr/local/share/man/man1"}},
	}
	c.Run = func(_ context.Context, args []string) error {
		date, err := p.date()
		if err != nil {
			return err
		}
		if err := os.MkdirAll(args[0], 0o755); err != nil {
			return err
		}
		p.Root.each(func(c *Command) {
			if err == nil && c.Name != "help" {
				err = outfile.Write(filepath.Join(args[0], c.manName()+".1"), []byte(p.manPage(c, date)), p.Out)
			}
		})
		return err
	}
	return c
}

// date returns the day of the pages; "" if nothing says it.
func (p *Program) date() (string, error) {
	for _, entry := range p.Environ {
		if text, ok := strings.CutPrefix(entry, epochVariable+"="); ok {
			seconds, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return "", &UsageError{"$" + epochVariable + " is not a number of seconds", "for example 1767225600"}
			}
			return time.Unix(seconds, 0).UTC().Format(time.DateOnly), nil
		}
	}
	day, _, _ := strings.Cut(VersionOf("", nil).Time, "T")
	return day, nil
}

// manName is the name of the command's page.
func (c *Command) manName() string { return strings.ReplaceAll(c.path(), " ", "-") }

// manPage is a command's page in the macros of man(7).
func (p *Program) manPage(c *Command, date string) string {
	m := &manWriter{}
	m.line(".TH %s 1 %q %q %q", roff(strings.ToUpper(c.manName())), date, "contentedge "+VersionOf("", nil).Version, "Contentedge manual")
	m.section("NAME")
	m.line(`%s \- %s`, roff(c.manName()), roff(c.Summary))
	m.section("SYNOPSIS")
	for i, line := range c.usageLines() {
		if i > 0 {
			m.line(".br")
		}
		m.line(".B %s", roff(line))
	}
	if c.Long != "" {
		m.section("DESCRIPTION")
		m.paragraphs(c.Long)
	}
	if len(c.Commands) > 0 {
		m.section("COMMANDS")
		for _, s := range c.Commands {
			m.entry(s.Name, s.Summary)
		}
	}
	m.section("OPTIONS")
	for _, g := range c.groups {
		m.line(".SS %s", roff(g.title))
		for _, f := range g.flags {
			if !f.secret {
				m.entry(f.usage(), f.description())
			}
		}
	}
	if text := cmp.Or(c.settingsNote(), c.Notes); text != "" {
		m.section("NOTES")
		m.paragraphs(c.Notes)
		m.paragraphs(c.settingsNote())
	}
	m.exits(c)
	m.examples(c)
	m.related(c)
	return m.String()
}

// manWidth bounds lines, as tools for manual pages advise.
const manWidth = 78

type manWriter struct {
	strings.Builder
	fresh bool // a section has begun: a paragraph begins by itself
}

func (m *manWriter) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

func (m *manWriter) section(title string) {
	m.line(".SH %s", title)
	m.fresh = true
}

// text writes words of a paragraph.
func (m *manWriter) text(text string) {
	for _, line := range wrap(text, manWidth) {
		m.line("%s", roff(line))
	}
	m.fresh = false
}

func (m *manWriter) paragraph() {
	if !m.fresh {
		m.line(".PP")
	}
	m.fresh = true
}

// literal writes an indented line as it is.
func (m *manWriter) literal(line string) {
	m.line(".RS\n.nf\n%s\n.fi\n.RE", roff(line))
	m.fresh = false
}

// entry is a name with its text.
func (m *manWriter) entry(name, text string) {
	m.line(".TP\n.B %s", roff(name))
	m.text(text)
}

// paragraphs writes a text in the form of Command.Long.
func (m *manWriter) paragraphs(text string) {
	if text == "" {
		return
	}
	m.paragraph()
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case line == "":
			m.paragraph()
		case strings.HasPrefix(line, " "):
			m.literal(strings.TrimSpace(line))
		default:
			m.text(line)
		}
	}
}

func (m *manWriter) exits(c *Command) {
	for i, e := range c.Exits {
		if i == 0 {
			m.section("EXIT STATUS")
		}
		m.entry(e.Status, e.Text)
	}
}

func (m *manWriter) examples(c *Command) {
	for i, e := range c.Examples {
		if i == 0 {
			m.section("EXAMPLES")
		}
		if m.paragraph(); e.Text != "" {
			m.text(e.Text)
		}
		m.literal(e.Line)
	}
}

// related names the pages of the commands above and below.
func (m *manWriter) related(c *Command) {
	var names []string
	if c.parent != nil {
		names = append(names, c.parent.manName())
	}
	for _, s := range c.Commands {
		if s.Name != "help" {
			names = append(names, s.manName())
		}
	}
	if len(names) == 0 {
		return
	}
	m.section("SEE ALSO")
	for i, name := range names {
		end := map[bool]string{true: ",", false: ""}[i < len(names)-1]
		m.line(".BR %s (1)%s", roff(name), end)
	}
}

// roff escapes a line of text: hyphens are to be copied as they are, and no line is a macro.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}
