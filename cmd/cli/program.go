// This file runs a program: it finds the command, sets its flags, and calls it.

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"contentedge/edgeserve/terminal"
)

// call has the flags that every command takes.
type call struct {
	help, print     bool
	config, version string
}

// Run runs the command that the arguments name. It returns what the command returns, or a
// UsageError. Help, versions and settings that are asked for are printed to p.Out.
func (p *Program) Run(ctx context.Context, args []string) error {
	p.complete()
	completes := len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd)
	top := p.tree(p.Root, completes)
	top.CompletionOptions.DisableDefaultCmd = true
	for _, sub := range top.Commands() {
		if sub.Name() == "help" {
			top.SetHelpCommand(sub)
		}
	}
	p.top = top
	top.SetOut(p.Out)
	top.SetErr(p.Err)
	if !completes {
		var err error
		if args, err = p.normalize(args); err != nil {
			return err
		}
	}
	top.SetArgs(append([]string{}, args...))
	return top.ExecuteContext(ctx)
}

// complete adds the commands and flags that no definition names, once.
func (p *Program) complete() {
	if p.calls != nil {
		return
	}
	p.calls = map[*Command]*call{}
	p.addBuiltIn(p.Root)
	p.Root.each(func(c *Command) {
		for _, sub := range c.Commands {
			sub.parent = c
		}
		p.calls[c] = &call{}
		c.addOwn(p.calls[c])
	})
}

// tree makes cobra's command of a command and of all below it. Cobra keeps functions that complete values until the process
// ends, so tree registers them only where completes is true.
func (p *Program) tree(c *Command, completes bool) *cobra.Command {
	of := p.calls[c]
	cc := &cobra.Command{
		Use: strings.TrimSpace(c.Name + " " + c.Args), Short: c.Summary, SilenceErrors: true, SilenceUsage: true, DisableSuggestions: true,
		Args: cobra.ArbitraryArgs, ValidArgsFunction: c.completeArgs,
		RunE: func(cc *cobra.Command, args []string) error { return p.call(cc, c, of, args) },
	}
	cc.Flags().AddFlagSet(c.set)
	cc.Flags().SortFlags = false
	cc.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return c.flagError(err) })
	cc.SetHelpFunc(func(*cobra.Command, []string) { fmt.Fprint(p.Out, c.help()) })
	for _, f := range c.all() {
		if complete := f.completion(); completes && complete != nil {
			// The flag is there and has no other function.
			_ = cc.RegisterFlagCompletionFunc(f.name, complete)
		}
	}
	for _, sub := range c.Commands {
		cc.AddCommand(p.tree(sub, completes))
	}
	return cc
}

// addOwn adds the flags that every command has.
func (c *Command) addOwn(of *call) {
	g := c.Group("Settings")
	if c.Run != nil && c.takesSettings() {
		g.String(&of.config, flagConfig, wordFile, "read settings that neither flags nor variables set from a file with lines NAME = VALUE (default: the variable "+variableOfConfig+")")
		g.Bool(&of.print, flagPrintConfig, "print the settings as such a file, with the source of each, and exit")
	}
	g.Bool(&of.help, flagHelp, "print this help")
	g.command.set.Lookup(flagHelp).Shorthand = "h"
	if c.parent == nil {
		f := g.String(&of.version, flagVersion, "[=json]", "print the version, perhaps as JSON").Values("text", "json")
		c.set.Lookup(f.name).NoOptDefVal = "text"
	}
}

// takesSettings reports whether the command has flags that the environment or a file may set.
func (c *Command) takesSettings() bool {
	return slices.ContainsFunc(c.all(), func(f *Flag) bool { return !f.lineOnly })
}

// call runs a command whose command line is parsed.
func (p *Program) call(cc *cobra.Command, c *Command, of *call, args []string) error {
	cc.Flags().Visit(func(f *pflag.Flag) { c.flags[f.Name].from = fromFlag })
	if of.version != "" {
		return p.printVersion(of.version)
	}
	if c.Run == nil {
		return &UsageError{"no command given", c.anyCommand()}
	}
	for _, f := range c.all() {
		if f.secret && f.from != "" {
			return &UsageError{"--" + f.name + " would show a secret to all users of the machine", "set $" + f.variable() + ", or name a file by --" + f.pair.name}
		}
	}
	if at := cc.ArgsLenAtDash(); at >= 0 {
		if c.dashes = true; c.AfterDashes != nil {
			args, *c.AfterDashes = args[:at], args[at:]
		}
	}
	warnings, err := p.resolve(c, of.config)
	if err == nil && !of.print {
		err = c.checkArgs(args)
	}
	for _, f := range c.all() {
		f.shown = f.value.show()
	}
	if err == nil && c.Check != nil {
		err = asUsage(c.Check(), c.Hint())
	}
	p.warn(c, warnings, err == nil && !of.print)
	switch {
	case err != nil:
		return err
	case of.print:
		return c.printSettings(p.Out)
	}
	return c.Run(cc.Context(), args)
}

// warn prints warnings, or gives them to Warn if the command runs.
func (p *Program) warn(c *Command, warnings []string, runs bool) {
	for _, w := range warnings {
		if runs && c.Warn != nil {
			c.Warn(w)
			continue
		}
		fmt.Fprintf(p.Err, "%s: warning: %s\n", p.Root.Name, w)
	}
}

func asUsage(err error, hint string) error {
	if _, ok := errors.AsType[*UsageError](err); ok || err == nil {
		return err
	}
	if text := err.Error(); strings.Contains(text, hintLine) {
		return &UsageError{Message: text}
	}
	return &UsageError{err.Error(), hint}
}

func (c *Command) checkArgs(args []string) error {
	least, most := c.arity()
	switch {
	case len(args) < least:
		return &UsageError{"missing argument " + strings.Fields(c.Args)[len(args)], c.Hint()}
	case most == 0 && len(args) > 0 && slices.ContainsFunc(c.Commands, func(s *Command) bool { return !s.builtIn }):
		return c.unknownCommand(args[0])
	case most >= 0 && len(args) > most:
		hint := c.Hint()
		if most == 0 {
			hint = "all settings are flags; " + hint
		}
		return &UsageError{fmt.Sprintf("unexpected argument %q", args[most]), hint}
	}
	return nil
}

// anyCommand is a hint to the commands.
func (c *Command) anyCommand() string {
	names := c.commandNames()
	if len(names) > maxOthers {
		return c.Hint()
	}
	return "it is " + either(names) + "; " + c.Hint()
}

func (c *Command) unknownCommand(name string) error {
	hint := c.anyCommand()
	if near := nearest(name, c.commandNames()); near != "" {
		hint = "did you mean " + near + "? Else " + c.Hint()
	}
	if c.Meant != nil {
		hint = cmp.Or(c.Meant(name), hint)
	}
	return &UsageError{fmt.Sprintf("unknown command %q", name), hint}
}

// flagError makes a UsageError of an error of package pflag.
func (c *Command) flagError(err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name, dashes := unknown.GetSpecifiedName(), "--"
		if group := unknown.GetSpecifiedShortnames(); group != "" {
			name, dashes = group, "-"
		}
		name, _, _ = strings.Cut(name, "=")
		hint := c.Hint()
		if others := c.havingFlag(name); others != nil {
			hint = "it is a flag of " + either(others)
		} else if near := nearest(name, sortedKeys(c.flags)); near != "" {
			hint = "did you mean --" + near + "? Else " + hint
		}
		return &UsageError{"unknown flag " + dashes + terminal.Text(name), hint}
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		f := c.flags[invalid.GetFlag().Name]
		return &UsageError{f.invalid("--"+f.name, invalid.GetValue(), errors.Unwrap(invalid)).Error(), c.Hint()}
	}
	if valueless, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		f := c.flags[valueless.GetFlag().Name]
		return &UsageError{fmt.Sprintf("--%s needs a value: %s", f.name, f.usage()), c.Hint()}
	}
	return &UsageError{err.Error(), c.Hint()}
}

// maxOthers bounds the commands that an error names.
const maxOthers = 8

// havingFlag returns the commands that have a flag: siblings of this command, else others of the program.
func (c *Command) havingFlag(name string) (paths []string) {
	for at := c.parent; at != nil && paths == nil; at = at.parent {
		at.each(func(other *Command) {
			if f := other.flags[name]; f != nil && !f.isOwn() && !f.secret && len(paths) < maxOthers {
				paths = append(paths, other.path())
			}
		})
	}
	return paths
}

// normalize returns the arguments with two dashes before the names of flags that have one, which
// programs once took. It moves flags between a command and its action to after the action, as the action
// was an argument once. It refuses an unknown command.
func (p *Program) normalize(args []string) ([]string, error) {
	c, descends := p.Root, true
	var out, single, early []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			out = append(out, args[i:]...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			if sub := c.sub(arg); descends && sub != nil {
				c = sub
			} else if descends = false; c.Run == nil {
				return nil, c.unknownCommand(arg)
			}
			out = append(out, arg)
			if c.Run != nil {
				out, early = append(out, early...), nil
			}
			continue
		}
		name, _, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		f, to := c.flags[name], &out
		if f == nil && c.Run == nil {
			f, to = c.flagOfActions(name), &early
		}
		if f == nil && c.Run == nil && arg[1] == '-' {
			return nil, &UsageError{"unknown flag --" + name + " before the command", "write flags after the command that has them; " + c.Hint()}
		}
		if f != nil && arg[1] != '-' {
			single = append(single, arg[:len(name)+1])
			arg = "-" + arg
		}
		*to = append(*to, arg)
		if f != nil && !hasValue && f.takesNext() && i+1 < len(args) {
			i++
			*to = append(*to, args[i])
		}
	}
	out = append(out, early...)
	if len(single) > 0 {
		fmt.Fprintf(p.Err, "%s: warning: write flags with two dashes: -%s for %s\n", p.Root.Name, strings.Join(single, ", -"), strings.Join(single, ", "))
	}
	return out, nil
}

// flagOfActions is a flag that commands below a command have, or nil.
func (c *Command) flagOfActions(name string) (found *Flag) {
	if c.parent == nil {
		return nil
	}
	c.each(func(action *Command) {
		if f := action.flags[name]; f != nil && action != c {
			found = f
		}
	})
	return found
}

// takesNext reports whether the value of the flag is the next argument, unless a = gives it.
func (f *Flag) takesNext() bool { return f.group.command.set.Lookup(f.name).NoOptDefVal == "" }
