// This file defines flags: their groups, kinds and values.

package cli

import (
	"encoding"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"contentedge/edgeserve/bytesize"
)

// Group is a group of flags of a command.
type Group struct {
	title   string
	command *Command
	flags   []*Flag
}

// Flag is a flag. Its methods refine the definition and return it.
type Flag struct {
	name, word, text string
	def              string   // what help shows; "": no default
	prose            bool     // def is not a value
	values           []string // the only values; nil: others too
	offer            func() []string
	needs            string // the flag without which this one does nothing
	lineOnly         bool
	secret           bool // a value that nothing prints; no flag

	group *Group
	value *value
	pair  *Flag    // a Secret's file, and the reverse
	shown string   // its value before Check
	from  string   // what set it: fromFlag, $VARIABLE or FILE:LINE; "": nothing did
	lines []string // what set each of its values, if no flags did
}

// fromFlag is the source of flags on the command line.
const fromFlag = "flag"

// Default sets the default that help shows, for a flag whose variable does not say it.
func (f *Flag) Default(text string) *Flag {
	f.def, f.prose = text, !f.value.byFunc
	return f
}

// Values sets the only values, which completions offer. Their case does not matter.
func (f *Flag) Values(values ...string) *Flag { f.values = values; return f }

// Offer sets a function whose words complete a value, which may be another one too.
func (f *Flag) Offer(words func() []string) *Flag { f.offer = words; return f }

// CommandLineOnly bars the flag from the environment and the file.
func (f *Flag) CommandLineOnly() *Flag { f.lineOnly = true; return f }

// Refuse sets a function that looks at the variable after a value was read, and refuses it by an error.
func (f *Flag) Refuse(wrong func() error) *Flag {
	parse := f.value.parse
	f.value.parse = func(s string) error {
		if err := parse(s); err != nil {
			return err
		}
		return wrong()
	}
	return f
}

// Needs refuses the flag unless the other flag is set too.
func (f *Flag) Needs(other string) *Flag { f.needs = other; return f }

// usage is the flag as help shows it.
func (f *Flag) usage() string {
	if f.word == "" || strings.HasPrefix(f.word, "[=") {
		return "--" + f.name + f.word
	}
	return "--" + f.name + " " + f.word
}

// variable is the name of the flag in the environment.
func (f *Flag) variable() string {
	return prefix + strings.ToUpper(strings.ReplaceAll(f.name, "-", "_"))
}

// value implements pflag.Value.
type value struct {
	flag  *Flag
	kind  string // of pflag, which cobra reads
	parse func(string) error
	clear func() // drops the default of a repeatable flag before its first value; nil: the flag is not repeatable
	show  func() string
	given []string

	byFunc bool // a function takes the value: Default says the default
}

// wordFile is the word of flags that name a file. They refuse an empty name, which is often a variable
// that a script did not set: no check of signatures and no TLS must be meant, not come about.
const wordFile = "FILE"

const (
	kindBool       = "bool"
	kindText       = "string"
	kindRepeatable = "stringArray"
)

// Set implements pflag.Value.
func (v *value) Set(s string) error { return v.set(s) }

// Type implements pflag.Value.
func (v *value) Type() string { return v.kind }

// String implements pflag.Value.
func (v *value) String() string { return v.show() }

func (v *value) set(s string) error {
	if s == "" && v.flag.word == wordFile {
		return errors.New("names no file: an empty value is often a variable that is not set, or that the shell has replaced; for none, leave the setting out")
	}
	if values := v.flag.values; values != nil {
		at := slices.IndexFunc(values, func(word string) bool { return strings.EqualFold(word, s) })
		if at < 0 {
			return errors.New("must be " + either(values))
		}
		s = values[at]
	}
	if v.clear != nil && len(v.given) == 0 {
		v.clear()
	}
	if err := v.parse(s); err != nil {
		return err
	}
	v.given = append(v.given, s)
	return nil
}

// either lists words: a, b or c.
func either(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func (g *Group) add(name, word, text string, v *value) *Flag {
	c := g.command
	if c.set == nil {
		c.set = pflag.NewFlagSet(c.Name, pflag.ContinueOnError)
		c.flags = map[string]*Flag{}
	}
	f := &Flag{name: name, word: word, text: text, group: g, value: v}
	v.flag = f
	if f.def = v.show(); slices.Contains([]string{"0", "0s", "false"}, f.def) {
		f.def = "" // the text says what nothing means
	}
	brief, _, _ := strings.Cut(text, "; ") // for completions, which show a line
	p := c.set.VarPF(v, name, "", brief)
	if v.kind == kindBool {
		p.NoOptDefVal = "true"
	}
	g.flags, c.flags[name] = append(g.flags, f), f
	return f
}

// String adds a flag of a text.
func (g *Group) String(to *string, name, word, text string) *Flag {
	return g.add(name, word, text, &value{kind: kindText, show: func() string { return *to }, parse: func(s string) error { *to = s; return nil }})
}

// Strings adds a flag that may be repeated.
func (g *Group) Strings(to *[]string, name, word, text string) *Flag {
	return g.add(name, word, text, &value{kind: kindRepeatable, show: func() string { return strings.Join(*to, ", ") },
		clear: func() { *to = nil }, parse: func(s string) error { *to = append(*to, s); return nil }})
}

// Bool adds a flag without a value. In the environment and the file it is true or false.
func (g *Group) Bool(to *bool, name, text string) *Flag {
	return g.add(name, "", text, &value{kind: kindBool, show: func() string { return strconv.FormatBool(*to) }, parse: func(s string) (err error) {
		if *to, err = strconv.ParseBool(s); err != nil {
			err = errors.New("must be true or false")
		}
		return err
	}})
}

// Int adds a flag of a whole number.
func (g *Group) Int(to *int, name, word, text string) *Flag {
	return g.add(name, word, text, &value{kind: kindText, show: func() string { return strconv.Itoa(*to) }, parse: func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil {
			return errors.New("must be a whole number")
		}
		*to = n
		return nil
	}})
}

// Duration adds a flag of a duration.
func (g *Group) Duration(to *time.Duration, name, text string) *Flag {
	return g.add(name, "DURATION", text, &value{kind: kindText, show: func() string { return shortDuration(*to) }, parse: func(s string) error {
		d, err := time.ParseDuration(s)
		if err != nil {
			return errors.New("must be a duration with its unit, for example 30s or 5m")
		}
		*to = d
		return nil
	}})
}

// shortDuration writes a duration without its zeros.
func shortDuration(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = strings.TrimSuffix(text, zero[1:])
		}
	}
	return text
}

// Size adds a flag of a number of bytes, with a unit or without; 0 is one too.
func (g *Group) Size(to *int64, name, text string) *Flag { return addSize(g, to, name, text) }

// IntSize is Size for an int.
func (g *Group) IntSize(to *int, name, text string) *Flag { return addSize(g, to, name, text) }

func addSize[T int | int64](g *Group, to *T, name, text string) *Flag {
	return g.add(name, "SIZE", text, &value{kind: kindText, show: func() string { return bytesize.Exact(int64(*to)) }, parse: func(s string) error {
		var n int64
		if s != "0" {
			if err := bytesize.Flag(&n)(s); err != nil {
				return err
			}
		}
		if *to = T(n); int64(*to) != n {
			return errors.New("is too large")
		}
		return nil
	}})
}

// Text adds a flag of a type that has its own text.
func (g *Group) Text(to interface {
	encoding.TextMarshaler
	encoding.TextUnmarshaler
}, name, word, text string) *Flag {
	show := func() string { b, _ := to.MarshalText(); return strings.ToLower(string(b)) }
	return g.add(name, word, text, &value{kind: kindText, show: show, parse: func(s string) error { return to.UnmarshalText([]byte(s)) }})
}

// Func adds a flag whose value set takes. Its default is what Default says.
func (g *Group) Func(name, word, text string, set func(string) error) *Flag {
	f := g.add(name, word, text, &value{kind: kindText, show: func() string { return "" }, parse: set, byFunc: true})
	f.value.show = func() string { return f.def }
	return f
}

// Each adds a flag that may be repeated, and whose values set takes one by one.
func (g *Group) Each(name, word, text string, set func(string) error) *Flag {
	f := g.Func(name, word, text, set)
	f.value.kind, f.value.clear = kindRepeatable, func() {}
	return f
}

// Secret adds a setting that is not a flag, and the flag --NAME-file for a file that has it. It returns
// that flag.
func (g *Group) Secret(to *string, name, text string) *Flag {
	secret := g.String(to, name, "SECRET", text)
	secret.secret = true
	g.command.set.Lookup(name).Hidden = true
	file := g.Func(name+"-file", wordFile, "file with "+text, func(path string) (err error) {
		*to, err = readSecret(path)
		return err
	})
	secret.pair, file.pair = file, secret
	return file
}

// maxSecret bounds a file with a secret, in bytes: keys and tokens are far shorter.
const maxSecret = 64 << 10

// readSecret reads a file with a secret, without the end of its line.
func readSecret(path string) (string, error) {
	b, err := readLimited(path, maxSecret)
	if err != nil {
		return "", err
	}
	text := strings.TrimRight(string(b), "\r\n")
	if text == "" {
		return "", errors.New("the file is empty")
	}
	return text, nil
}
