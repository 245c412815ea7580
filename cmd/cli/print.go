// This file prints the settings of a command as a file of settings.

package cli

import (
	"io"
	"strconv"
	"strings"
)

// printSettings prints a file that sets what is set now. Defaults are comments, so that the file
// follows those of later versions. So are secrets, which are hidden.
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

// settingLines returns the lines of a flag, each with a comment that says what set it.
func (f *Flag) settingLines() string {
	begin, source, values := "", f.from, f.value.given
	switch {
	case f.secret && f.from == "":
		return "# " + f.name + " =  # default\n"
	case f.secret:
		begin, values = "# ", []string{"(hidden)"}
	case f.from == "":
		shown := f.value.show()
		if begin, source = "# ", "default"; shown != f.shown {
			source = "computed"
		}
		values = []string{shown}
	case f.value.clear == nil:
		values = values[len(values)-1:]
	}
	if strings.ContainsFunc(source, isControl) {
		source = strconv.Quote(source)
	}
	text := ""
	for _, v := range values {
		text += strings.TrimSpace(begin+f.name+" = "+writeValue(v)) + "  # " + source + "\n"
	}
	return text
}
