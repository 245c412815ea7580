// This file prints the address of preview, a line for each build that changed something, and problems.

package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator"
)

const maxFindings = 20 // about a screen

type console struct {
	out, err io.Writer
	url      string // where preview serves
	visitor  bool   // the first build is the view of a visitor

	mu       sync.Mutex // guards the fields below and keeps messages whole
	build    string     // of the served release; "" before the first
	broken   bool       // the last build failed
	partial  bool       // the served release lacks files that are wrong
	warnings string     // of the last build
}

func (c *console) show(o outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch o.phase {
	case built:
		c.built(o.report, o.took)
	case failed:
		c.failed(o.err)
	}
}

// built prints a successful build. The caller holds mu.
func (c *console) built(r *generator.Report, took time.Duration) {
	if text := list(slices.Concat(r.Bad, r.Warnings)); text != c.warnings {
		c.warnings = text
		fmt.Fprint(c.err, text)
		if len(r.Bad) > 0 {
			fmt.Fprintf(c.err, program+": %s; the files without them are served\n", count(len(r.Bad), "problem"))
		}
	}
	items := 0
	for _, e := range r.Environments {
		items += e.Items
	}
	what := fmt.Sprintf("%s in %.2f s", count(items, "item"), took.Seconds())
	switch {
	case c.build == "":
		c.welcome(r, what)
	case (c.broken || c.partial) && len(r.Bad) == 0:
		fmt.Fprintf(c.out, program+": mended; built %s\n", what)
	case c.build != r.Build:
		fmt.Fprintf(c.out, program+": built %s\n", what)
	}
	c.build, c.broken, c.partial = r.Build, false, len(r.Bad) > 0
}

func (c *console) welcome(r *generator.Report, what string) {
	env, who := r.Environments[0].ID, "drafts are served too"
	if c.visitor {
		who = "as visitors see it"
	}
	fmt.Fprintf(c.out, program+`: serving %s, built %s; %s
  curl %s%s
  curl %s%s -d '{"size":3,"query":{"wildcard":{"Name":"*"}}}'
`+program+`: watching the content; Ctrl-C ends this
`, c.url, what, who, c.url, address.Contents.Path(env), c.url, address.Search.Path(env))
}

func (c *console) address() {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(c.out, program+": the page is at %s/\n", c.url)
}

// Write prints lines of other parts of the program.
func (c *console) Write(lines []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.Write(lines)
}

// failed prints a failed build. The caller holds mu.
func (c *console) failed(err error) {
	c.broken = true
	problem := "the build failed"
	var content *generator.ContentError
	if errors.As(err, &content) {
		fmt.Fprint(c.err, list(content.Diagnostics))
		problem = count(problems(content.Diagnostics), "problem")
	} else {
		fmt.Fprintf(c.err, "%v\n", err)
	}
	switch {
	case c.build == "":
		fmt.Fprintf(c.err, program+": %s; until a build succeeds, %s answers 503\n", problem, c.url)
	case c.partial:
		c.warnings = "" // the next build lists again what is still wrong
		fmt.Fprintf(c.err, program+": %s; the last release, which lacks files, keeps answering\n", problem)
	default:
		fmt.Fprintf(c.err, program+": %s; the last good build keeps answering\n", problem)
	}
}

func (c *console) warn(message string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(c.err, program+": warning: %s\n", message)
}

func (c *console) warnPublic(addr net.Addr) {
	c.warn(fmt.Sprintf("%s can be reached from other machines, and drafts are served\n  hint: without --addr only this machine can; by a name others need --host NAME", addr))
}

func list(found []generator.Diagnostic) string {
	var b strings.Builder
	for _, d := range found[:min(len(found), maxFindings)] {
		b.WriteString(d.String() + "\n")
	}
	if more := len(found) - maxFindings; more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	return b.String()
}

func problems(found []generator.Diagnostic) (n int) {
	for _, d := range found {
		if !d.Warning {
			n++
		}
	}
	return n
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
