// This file writes the help of commands.

package cli

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	helpWidth  = 88 // of lines, in characters
	helpIndent = 26 // of the texts of flags
)

// help returns the help of a command.
func (c *Command) help() string {
	var b strings.Builder
	b.WriteString(c.usage())
	b.WriteString(paragraphs(c.Long))
	c.helpExamples(&b)
	purpose := ""
	for _, s := range c.Commands {
		if next := cmp.Or(s.Purpose, "Commands"); next != purpose {
			purpose = next
			b.WriteString("\n" + purpose + ":\n")
		}
		b.WriteString(entry(s.Name, s.Summary))
	}
	for _, g := range c.groups {
		title := "\n" + g.title + ":\n"
		for _, f := range g.flags {
			if !f.secret {
				b.WriteString(title + entry(f.usage(), f.description()))
				title = ""
			}
		}
	}
	b.WriteString(paragraphs(c.Notes))
	for i, e := range c.Exits {
		if i == 0 {
			b.WriteString("\nExit status:\n")
		}
		b.WriteString(entry(e.Status, e.Text))
	}
	b.WriteString(paragraphs(c.settingsNote()))
	return b.String()
}

func (c *Command) usage() string {
	return "Usage: " + strings.Join(c.usageLines(), "\n       ") + "\n"
}

// usageLines are the forms of a call.
func (c *Command) usageLines() (lines []string) {
	if c.Run != nil {
		lines = append(lines, strings.TrimSpace(c.path()+" "+c.Args)+" [flags]")
	}
	if len(c.Commands) > 0 {
		lines = append(lines, c.path()+" COMMAND")
	}
	return lines
}

func (c *Command) helpExamples(b *strings.Builder) {
	title := "\nExamples:\n"
	for _, e := range c.Examples {
		b.WriteString(title)
		if title = ""; e.Text != "" {
			fmt.Fprintf(b, "  # %s\n", e.Text)
		}
		fmt.Fprintf(b, "  %s\n", e.Line)
	}
}

// settingsNote says how else flags are set, with one flag as the example.
func (c *Command) settingsNote() string {
	if c.flags[flagConfig] == nil {
		return ""
	}
	for _, f := range c.all() {
		if f.lineOnly || f.secret || f.word == "" {
			continue
		}
		text := fmt.Sprintf("Each flag is also a setting: --%s is the variable %s and, in the file, %s = %s. A flag wins over its variable, the variable over the file.", f.name, f.variable(), f.name, f.word)
		if barred := c.lineOnlyFlags(); barred != "" {
			text += "\n\nOn the command line only: " + barred + "."
		}
		return text
	}
	return ""
}

func (c *Command) lineOnlyFlags() string {
	var names []string
	for _, f := range c.all() {
		if f.lineOnly {
			names = append(names, "--"+f.name)
		}
	}
	return strings.Join(names, ", ")
}

// description is the text of a flag with what its definition says beyond it.
func (f *Flag) description() string {
	text := f.text
	if f.value.kind == kindRepeatable {
		text += "; may be repeated"
	}
	if f.def != "" {
		text += " (default " + f.def + ")"
	}
	return text
}

// entry formats a name with its text in a column to the right.
func entry(name, text string) string {
	column := "  " + name
	lines := wrap(text, helpWidth-helpIndent)
	if utf8.RuneCountInString(column) > helpIndent-2 {
		lines = append([]string{""}, lines...)
	}
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			column = ""
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-*s%s", helpIndent, column, line), " ") + "\n")
	}
	return b.String()
}

// paragraphs wraps a text and puts an empty line before it. Indented lines stay as they are.
func paragraphs(text string) string {
	if text == "" {
		return ""
	}
	var b strings.Builder
	var words []string
	flush := func() {
		if len(words) > 0 {
			b.WriteString(strings.Join(wrap(strings.Join(words, " "), helpWidth), "\n") + "\n")
		}
		words = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.HasPrefix(line, " "):
			flush()
			b.WriteString(line + "\n")
		case line == "":
			flush()
			b.WriteByte('\n')
		default:
			words = append(words, line)
		}
	}
	flush()
	return "\n" + b.String()
}

// wrap breaks a text into lines between its words.
func wrap(text string, width int) (lines []string) {
	line, length := "", 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		if length > 0 && length+1+n > width {
			lines, line, length = append(lines, line), "", 0
		}
		if length > 0 {
			line, length = line+" ", length+1
		}
		line, length = line+word, length+n
	}
	return append(lines, line)
}
