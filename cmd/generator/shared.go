// This file defines the flags that several commands share, each once.

package main

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"contentedge/cmd/cli"
	"contentedge/generator"
)

// Titles of groups of flags.
const (
	groupContent = "Content"
	groupRelease = "Release"
	groupGuard   = "Removal guard"
	groupOutput  = "Output"
)

// addPublic adds the flag of the directory that holds a release.
func addPublic(g *cli.Group, to *string) *cli.Flag {
	return g.String(to, "public", "DIR", "the release, or the directory of releases")
}

// addJobs adds the flag of the requests at once.
func addJobs(g *cli.Group, to *int) { addCount(g, to, "jobs", "concurrent requests") }

// addCount adds a flag of a whole number of at least 1. If to is 0, the flag has no default.
func addCount(g *cli.Group, to *int, name, text string) *cli.Flag {
	f := g.Func(name, "N", text, readPositive(to))
	if *to > 0 {
		f.Default(strconv.Itoa(*to))
	}
	return f
}

// addRemoval adds the flags that bound what a release, or a mirror, may remove of the previous one.
func addRemoval(c *cli.Command, limit *generator.Removal) {
	most := generator.DefaultMaxRemoved
	limit.Max = &most
	g := c.Group(groupGuard)
	g.Func("max-removed", "PERCENT", "refuse to remove more of an environment's items than this, or all its items", readPercent(&most)).Default(strconv.Itoa(most))
	g.Bool(&limit.Allow, "allow-removal", "permit any removal").CommandLineOnly()
}

// addDryRun adds the flag of a call that writes nothing. A variable must not set it: a job that writes nothing
// would look like one that does.
func addDryRun(c *cli.Command, to *bool) {
	c.Group(groupOutput).Bool(to, "dry-run", "print what would be done, and write nothing").CommandLineOnly()
}

// output is how a command prints its result.
type output struct{ json, quiet bool }

func (o *output) addJSON(c *cli.Command) {
	c.Group(groupOutput).Bool(&o.json, "json", "print one JSON object instead of a summary")
}

func (o *output) addQuiet(c *cli.Command) {
	c.Group(groupOutput).Bool(&o.quiet, "quiet", "print only problems")
}

func readPositive(to *int) func(string) error {
	return func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return errors.New("must be a whole number of at least 1")
		}
		*to = n
		return nil
	}
}

// readMode reads permissions in octal digits, as chmod takes them.
func readMode(to *fs.FileMode) func(string) error {
	return func(s string) error {
		n, err := strconv.ParseUint(s, 8, 9)
		if err != nil || n == 0 {
			return errors.New("must be permissions in octal digits, for example 0640")
		}
		*to = fs.FileMode(n)
		return nil
	}
}

// readPercent reads a number from 0 to 100, with or without a percent sign.
func readPercent(to *int) func(string) error {
	return func(s string) error {
		n, err := strconv.Atoi(strings.TrimSuffix(s, "%"))
		if err != nil || n < 0 || n > 100 {
			return errors.New("must be a whole number from 0 to 100")
		}
		*to = n
		return nil
	}
}

// addTime adds a flag of a duration that is longer than nothing.
func addTime(g *cli.Group, to *time.Duration, name, text string) *cli.Flag {
	return g.Duration(to, name, text).Refuse(func() error {
		if *to == 0 {
			return errors.New("must be above 0")
		}
		return nil
	})
}
