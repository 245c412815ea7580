// Package cli is the command line of the programs: commands, flags, settings, help.
//
// A command defines each flag once, in a group, with the word that stands for its value, a text
// and, by the variable that it sets, a default. Parsing, help, suggestions and completions follow
// from the definitions. So do the variable and the name in a file of settings, --print-config, man
// pages and the tables of the pages. A definition:
//
//	func buildCommand(c console) *cli.Command {
//		config, dry := generator.BuildConfig{Content: "content"}, false
//		cmd := &cli.Command{
//			Name: "build", Args: "[NAME]", Summary: "build a release and make it current",
//			Long:     "Reads the content and writes a release.\n\nIf it has errors, the current release stays.",
//			Examples: []cli.Example{{Line: "generator build --content content", Text: "with the default settings"}},
//		}
//		g := cmd.Group("Content")
//		g.String(&config.Content, "content", "DIR", "directory of the content")
//		g.Strings(&config.Envs, "env", "ID", "build only this environment").Default("all")
//		g.Func("page-size", "N", "items of a page", readPositive(&config.PageSize)).Default("10")
//		g.String(&config.BrokenRefs, "broken-refs", "WORD", "references to missing items").Values("warn", "error", "ignore")
//		g = cmd.Group("Output")
//		g.Bool(&dry, "dry-run", "write nothing and print the plan").CommandLineOnly()
//		cmd.Check = func() error { return config.Check() }
//		cmd.Run = func(ctx context.Context, args []string) error { … }
//		return cmd
//	}
//
// The program is a Command too, with the others in its Commands:
//
//	err := (&cli.Program{Root: root, Out: os.Stdout, Err: os.Stderr, Environ: os.Environ()}).Run(ctx, os.Args[1:])
//
// # Settings
//
// A flag that the command line leaves out is taken from the variable CONTENTEDGE_NAME (in capitals,
// with _ for -), else from the file that --config or CONTENTEDGE_CONFIG names. The file has lines
// of the form
//
//	name = value  # comment
//
// A value in double quotes has the escapes of Go's strings. A repeatable flag takes a line of the
// file, or of its variable, for each value. A source replaces the values of the sources below it
// and the default. An unknown name in the file is an error, an unknown variable a warning, as other
// programs may share the environment. Names of another command of the same program are neither, so
// that one file serves all commands.
//
// A flag is CommandLineOnly if it chooses what a single call does, and if a forgotten variable or
// line would do harm: a dry run that succeeds without publishing, a check that never runs again, an
// action that is repeated at every start. A variable or a line with such a name is an error, unless
// it is a setting of another command: then only that command takes it.
//
// A Secret is not a flag: other users of a machine can read command lines. It is a setting of the
// environment or the file, and --NAME-file names a file that has it.
//
// # Pages
//
// A page has the tables of flags and of exit codes between two comments, which package clitest fills
// in and compares. The other text is written by hand.
//
//	<!-- flags of edgeserve: Serving, Releases -->
//	<!-- flags of generator build, generator plan -->
//	<!-- exit codes of edgeserve -->
//	<!-- end -->
//
// # Names
//
// A name is in lower case with dashes. A file is named by FILE, a directory by DIR: completions
// offer them. Commands of one program may give a name different meanings; they should not.
package cli

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"contentedge/edgeserve/exitcode"
)

// UsageError is an error in a command line or in settings.
type UsageError struct{ Message, Hint string }

func (e *UsageError) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + hintLine + e.Hint
}

// ExitCode says that the command line or the settings are to blame.
func (*UsageError) ExitCode() int { return exitcode.Usage }

// hintLine begins the last line of an error, which says what to do.
const hintLine = "\n  hint: "

// Command is a command of a program, or the program itself. Its flags are in Groups.
type Command struct {
	Name string
	// Args are the words of its arguments, as "STORE [BUILD]" or "FILE...": words in brackets can be
	// omitted, and a last word with dots can be repeated. Their number is checked.
	Args    string
	Summary string // in the list of commands: a line that begins in lower case
	Purpose string // heads the command in that list, and those after it that have the same; "": Commands
	Long    string // paragraphs, between empty lines. Indented lines are not wrapped
	// Notes end the help, in the form of Long.
	Notes    string
	Examples []Example
	Exits    []Exit
	Commands []*Command
	// Meant returns the hint for a word that is not one of Commands but names something that they do, and "" for
	// other words. It may be nil.
	Meant func(word string) string
	// ArgValues returns the words that complete the argument after args. Nil means that files complete it.
	ArgValues func(args []string) []string
	// AfterDashes takes the arguments after --, if it is not nil. Else they are as others.
	AfterDashes *[]string

	// Check validates the settings before Run and before --print-config; nil: nothing to validate.
	// Errors that are no UsageError are made one.
	Check func() error
	// Warn takes warnings about the settings after Check; nil: they are lines on standard error.
	Warn func(message string)
	// Run runs the command. It is nil if there are only Commands.
	Run func(ctx context.Context, args []string) error

	parent *Command
	groups []*Group
	set    *pflag.FlagSet
	flags  map[string]*Flag
	dashes bool // -- was given

	builtIn bool // every program has it
}

// Example is a call, and what it is for.
type Example struct{ Line, Text string }

// Exit is an exit status, or several as "130, 143", and what it means.
type Exit struct{ Status, Text string }

// Program runs commands.
type Program struct {
	Root    *Command
	Formats []Format // shown by --version
	Out     io.Writer
	Err     io.Writer
	Environ []string

	calls map[*Command]*call // of each command
	top   *cobra.Command     // of Root, while it runs
}

// Format is the version of a file's format.
type Format struct {
	Name    string
	Version int
}

// Group adds a group of flags, which help shows below the title.
func (c *Command) Group(title string) *Group {
	for _, g := range c.groups {
		if g.title == title {
			return g
		}
	}
	g := &Group{title: title, command: c}
	c.groups = append(c.groups, g)
	return g
}

// IsSet reports whether a flag was set, by the command line, a variable or the file.
func (c *Command) IsSet(name string) bool { return c.flags[name].from != "" }

// OnCommandLine reports whether a flag was set on the command line.
func (c *Command) OnCommandLine(name string) bool { return c.flags[name].from == fromFlag }

// Source returns what set a flag, for messages: --NAME, $VARIABLE or FILE:LINE; "" if nothing did.
func (c *Command) Source(name string) string {
	if f := c.flags[name]; f.from != fromFlag {
		return f.from
	}
	return "--" + name
}

// Given returns the names of the flags on the command line, in the order of their definitions.
func (c *Command) Given() (names []string) {
	for _, f := range c.all() {
		if f.from == fromFlag {
			names = append(names, f.name)
		}
	}
	return names
}

// HasDashes reports whether -- stood on the command line.
func (c *Command) HasDashes() bool { return c.dashes }

// Set sets a flag as the command line would. It serves commands that compute a setting from others.
func (c *Command) Set(name, value string) error { return c.flags[name].value.set(value) }

// Value returns the text of a flag's value.
func (c *Command) Value(name string) string { return c.flags[name].value.String() }

// all returns the flags in the order of their definitions.
func (c *Command) all() (flags []*Flag) {
	for _, g := range c.groups {
		flags = append(flags, g.flags...)
	}
	return flags
}

// path returns the words that call the command.
func (c *Command) path() string {
	if c.parent == nil {
		return c.Name
	}
	return c.parent.path() + " " + c.Name
}

// Hint is what most errors of settings hint at: the help of the command.
func (c *Command) Hint() string { return "run " + c.path() + " --help" }

func (c *Command) sub(name string) *Command {
	for _, s := range c.Commands {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// commandNames returns the names of the commands below the command.
func (c *Command) commandNames() (names []string) {
	for _, s := range c.Commands {
		names = append(names, s.Name)
	}
	return names
}

// each calls f for the command and all below it.
func (c *Command) each(f func(*Command)) {
	f(c)
	for _, s := range c.Commands {
		s.each(f)
	}
}

// arity returns the least and the largest number of arguments; -1: no limit.
func (c *Command) arity() (least, most int) {
	for word := range strings.FieldsSeq(c.Args) {
		if !strings.HasPrefix(word, "[") {
			least++
		}
		if most++; strings.HasSuffix(strings.TrimSuffix(word, "]"), "...") {
			return least, -1
		}
	}
	return least, most
}
