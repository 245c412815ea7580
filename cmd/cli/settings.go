// This file sets the flags that the command line leaves out, from the environment and a file.

package cli

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// prefix begins the names of variables.
const prefix = "CONTENTEDGE_"

const variableOfConfig = prefix + "CONFIG"

// The flags that every command has. They are of the command line only; but see variableOfConfig.
const (
	flagHelp        = "help"
	flagConfig      = "config"
	flagPrintConfig = "print-config"
	flagVersion     = "version"
)

// foreign matches the variables that Kubernetes gives all containers for a service whose name begins
// with contentedge. No program means them.
var foreign = regexp.MustCompile(`_SERVICE_HOST$|_SERVICE_PORT(_[A-Z0-9_]+)?$|_PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$`)

// resolver sets the flags of a command.
type resolver struct {
	command  *Command
	known    map[string][]*Flag // the flags of all commands of the program, by name
	environ  map[string]string
	faults   []error
	warnings []string
}

// resolve sets flags from the environment, then the others from the file. It returns
// warnings. An empty path means no file.
func (p *Program) resolve(c *Command, path string) (warnings []string, err error) {
	r := &resolver{command: c, known: map[string][]*Flag{}, environ: map[string]string{}}
	p.Root.each(func(c *Command) {
		for _, f := range c.all() {
			r.known[f.name] = append(r.known[f.name], f)
		}
	})
	for _, entry := range p.Environ {
		if name, value, ok := strings.Cut(entry, "="); ok && strings.HasPrefix(name, prefix) {
			r.environ[name] = value
		}
	}
	if path == "" {
		path = r.environ[variableOfConfig]
	}
	r.fromEnvironment()
	if path != "" {
		settings, err := readFile(path)
		if err != nil {
			return nil, err
		}
		r.fromFile(path, settings)
	}
	r.needs()
	return r.warnings, faultsError(r.faults, c.Hint())
}

func (r *resolver) fail(source string, err error) {
	r.faults = append(r.faults, fmt.Errorf("%s: %w", source, err))
}

func (r *resolver) fromEnvironment() {
	var set []*Flag
	for _, f := range r.command.all() {
		text, ok := r.environ[f.variable()]
		if !ok || f.isOwn() || f.lineOnly || f.from != "" || f.pair != nil && f.pair.from == fromFlag {
			continue
		}
		values := []string{text}
		if f.value.clear != nil {
			values = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		}
		if r.set(f, "$"+f.variable(), values...); f.pair != nil && slices.Contains(set, f.pair) {
			r.fail("$"+f.variable(), errors.New("$"+f.pair.variable()+" is set too: give only one"))
		}
		set = append(set, f)
	}
	r.checkVariables()
}

// checkVariables finds variables that set nothing.
func (r *resolver) checkVariables() {
	byVariable := map[string]*Flag{}
	for _, flags := range r.known {
		for _, f := range flags {
			byVariable[f.variable()] = f
		}
	}
	for _, name := range sortedKeys(r.environ) {
		switch f := byVariable[name]; {
		case name == variableOfConfig:
		case f != nil && !f.isOwn() && r.isLineOnly(f.name):
			r.fail("$"+name, errors.New("--"+f.name+" can be given on the command line only"))
		case f != nil && !f.isOwn() || foreign.MatchString(name):
		default:
			warning := "$" + name + " is not a setting"
			if near := nearest(name, sortedKeys(byVariable)); near != "" {
				warning += ": did you mean " + near + "?"
			}
			r.warnings = append(r.warnings, warning)
		}
	}
}

// isLineOnly reports whether no command takes the name from the environment or the file.
func (r *resolver) isLineOnly(name string) bool {
	return !slices.ContainsFunc(r.known[name], func(f *Flag) bool { return !f.lineOnly })
}

func (r *resolver) fromFile(path string, settings []setting) {
	set := map[*Flag]int{} // the lines of flags that the file sets
	for _, s := range settings {
		source := fmt.Sprintf("%s:%d", path, s.line)
		f := r.command.flags[s.name]
		switch {
		case len(r.known[s.name]) == 0 || r.known[s.name][0].isOwn():
			r.unknown(source, s.name)
		case r.isLineOnly(s.name):
			r.fail(source, errors.New(s.name+" can be given on the command line only, as --"+s.name))
		case f == nil || f.lineOnly: // of another command
		case set[f] > 0 && f.value.clear == nil:
			r.fail(source, fmt.Errorf("%s is set in line %d already", s.name, set[f]))
		case f.pair != nil && set[f.pair] > 0:
			r.fail(source, fmt.Errorf("line %d sets %s: give only one", set[f.pair], f.pair.name))
		case set[f] > 0:
			r.set(f, source, s.value)
		case f.from == "" && (f.pair == nil || f.pair.from == ""):
			r.set(f, source, s.value)
			set[f] = s.line
		}
	}
}

func (r *resolver) unknown(source, name string) {
	text := "unknown setting " + name
	if near := nearest(strings.TrimLeft(name, "-"), sortedKeys(r.known)); near != "" {
		text += ": did you mean " + near + "?"
	}
	r.fail(source, errors.New(text))
}

func (r *resolver) set(f *Flag, source string, values ...string) {
	for _, v := range values {
		if err := f.value.set(v); err != nil {
			r.fail(source, f.invalid(f.name, v, err))
		}
		f.lines = append(f.lines, source)
	}
	if f.from == "" {
		f.from = source
	}
}

// invalid is the error for a value that a flag refuses.
func (f *Flag) invalid(name, v string, err error) error {
	if f.secret {
		return errors.New("invalid value of " + name)
	}
	return fmt.Errorf("invalid value %q for %s: %w", v, name, err)
}

// needs refuses flags that do nothing without another one.
func (r *resolver) needs() {
	for _, f := range r.command.all() {
		if f.needs != "" && f.from != "" && r.command.flags[f.needs].from == "" {
			text := f.name + " needs " + f.needs
			if f.from == fromFlag {
				r.faults = append(r.faults, errors.New("--"+f.name+" needs --"+f.needs))
				continue
			}
			r.fail(f.from, errors.New(text))
		}
	}
}

// isOwn reports whether the flag is one that every command has.
func (f *Flag) isOwn() bool {
	return slices.Contains([]string{flagHelp, flagConfig, flagPrintConfig, flagVersion}, f.name)
}
