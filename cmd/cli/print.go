// This file prints the settings of a command as a file of settings.

package cli

import (
	"io"
	"strconv"
	"strings"
)

// printSettings prints a file that sets what is set now. Defaults are comments, so that the file
// follows the defaults of later versions. So are secrets, which are hidden.
func (c *Command) printSettings(w io.Writer) error {
	var b strings.Builder
	for _, g := range c.groups {
		title := "# " + g.title + "\n"
		for _, f := range g.flags {
			if f.lineOnly || f.isOwn() {
				continue
			}
			b.WriteString(title + f.settingLines())
			title = ""
		}
		if title == "" {
			b.WriteByte('\n')
		}
	}
	_, err := io.WriteString(w, strings.TrimSuffix(b.String(), "\n"))
	return err
}

// Setting is a value that a flag has, and what set it: flag, a variable, a line of a file, computed or default.
type Setting struct {
	Name, Value, Source string

	comment bool // in a file: a default, or hidden
}

// Settings returns the settings of a command as --print-config prints them: secrets are hidden, and a
// flag that was set several times has several.
func (c *Command) Settings() (all []Setting) {
	for _, f := range c.all() {
		if !f.lineOnly && !f.isOwn() {
			all = append(all, f.settings()...)
		}
	}
	return all
}

func (f *Flag) settings() (all []Setting) {
	s, values := Setting{Name: f.name, Source: f.from}, f.value.given
	switch {
	case f.secret && f.from == "":
		return []Setting{{Name: f.name, Source: "default", comment: true}}
	case f.secret:
		s.comment, values = true, []string{"(hidden)"}
	case f.from == "":
		shown := f.value.show()
		if s.comment, s.Source = true, "default"; shown != f.shown {
			s.Source = "computed"
		}
		values = []string{shown}
	case f.value.clear == nil:
		values = values[len(values)-1:]
	}
	for i := range values {
		s.Value = values[i]
		if i < len(f.lines) {
			s.Source = f.lines[i]
		}
		all = append(all, s)
	}
	return all
}

// settingLines returns the lines of a flag, each with a comment that says what set it.
func (f *Flag) settingLines() (text string) {
	for _, s := range f.settings() {
		begin, source := "", s.Source
		if s.comment {
			begin = "# "
		}
		if strings.ContainsFunc(source, isControl) {
			source = strconv.Quote(source)
		}
		text += strings.TrimSpace(begin+s.Name+" = "+writeValue(s.Value)) + "  # " + source + "\n"
	}
	return text
}
