// This file completes command lines in shells, and has the commands that every program has.

package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
)

// shells are the shells for which there are completions.
var shells = []string{"bash", "fish", "powershell", "zsh"}

// addBuiltIn adds the commands that every program has.
func (p *Program) addBuiltIn(root *Command) {
	help := &Command{
		Name: "help", Args: "[COMMAND...]", Summary: "print the help of a command",
		ArgValues: func(args []string) []string {
			c := root
			for _, a := range args {
				if c = c.sub(a); c == nil {
					return nil
				}
			}
			return c.commandNames()
		},
	}
	help.Run = func(_ context.Context, args []string) error {
		c := root
		for _, a := range args {
			next := c.sub(a)
			if next == nil {
				return c.unknownCommand(a)
			}
			c = next
		}
		_, err := p.Out.Write([]byte(c.help()))
		return err
	}
	for _, c := range []*Command{p.completionCommand(root.Name), p.manCommand(), help} {
		c.builtIn = true
		root.Commands = append(root.Commands, c)
	}
}

func (p *Program) completionCommand(name string) *Command {
	c := &Command{
		Name: "completion", Args: "SHELL", Summary: "print a script that completes command lines in a shell",
		Long: "Prints a script for " + either(shells) + ".",
		Examples: []Example{
			{name + " completion bash > /etc/bash_completion.d/" + name, "bash, with the package bash-completion"},
			{name + ` completion zsh > "${fpath[1]}/_` + name + `"`, "zsh, with compinit"},
			{name + " completion fish > ~/.config/fish/completions/" + name + ".fish", "fish"},
			{name + " completion powershell | Out-String | Invoke-Expression", "PowerShell, for this session"},
		},
		ArgValues: func(args []string) []string {
			if len(args) > 0 {
				return nil
			}
			return shells
		},
	}
	c.Run = func(_ context.Context, args []string) error {
		switch args[0] {
		case "bash":
			return p.top.GenBashCompletionV2(p.Out, true)
		case "zsh":
			return p.top.GenZshCompletion(p.Out)
		case "fish":
			return p.top.GenFishCompletion(p.Out, true)
		case "powershell":
			return p.top.GenPowerShellCompletionWithDesc(p.Out)
		}
		return &UsageError{"no completions for " + args[0], "there are for " + either(shells)}
	}
	return c
}

// completion completes the value of a flag; nil: the shell completes files.
func (f *Flag) completion() cobra.CompletionFunc {
	offer, directive := f.values, cobra.ShellCompDirectiveNoFileComp
	switch {
	case f.value.kind == kindBool:
		return nil
	case f.word == wordFile:
		return nil
	case f.word == "DIR":
		directive = cobra.ShellCompDirectiveFilterDirs
	}
	return func(_ *cobra.Command, _ []string, begin string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if f.offer != nil {
			offer = f.offer()
		}
		return beginning(offer, begin), directive
	}
}

// beginning returns the words that begin with a text: some shells leave that to the program.
func beginning(words []string, begin string) (found []cobra.Completion) {
	for _, w := range words {
		if strings.HasPrefix(w, begin) {
			found = append(found, w)
		}
	}
	return found
}

// completeArgs completes an argument.
func (c *Command) completeArgs(_ *cobra.Command, args []string, begin string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if c.ArgValues != nil {
		if offers := beginning(c.ArgValues(args), begin); offers != nil {
			return offers, cobra.ShellCompDirectiveNoFileComp
		}
	}
	if _, most := c.arity(); most >= 0 && len(args) >= most {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveDefault
}
