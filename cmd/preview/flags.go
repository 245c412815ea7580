// This file defines the command line, and validates it before anything is opened.

package main

import (
	"context"
	"io"
	"slices"

	"contentedge/cmd/cli"
	"contentedge/cmd/preview/page"
	"contentedge/edgeserve"
	"contentedge/edgeserve/listenaddr"
	"contentedge/edgeserve/serve/httphead"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator"
	"contentedge/generator/visibility"
)

type options struct {
	content, addr, out string
	hosts, origins     []string
	as                 string   // page.Editor or page.Visitor
	statuses           []string // that a visitor may see
	open, requests     bool
}

func (o options) view() page.View {
	return page.View{As: o.as, Statuses: o.statuses}
}

// program is the name that the program has in its help, its version and its messages.
const program = "preview"

// newProgram returns the program. serve gets the options once they are valid.
func newProgram(out, problems io.Writer, environ []string, serve func(context.Context, options) error) *cli.Program {
	o := &options{content: "content", addr: "127.0.0.1:8080", as: page.Editor, statuses: []string{visibility.Published}}
	root := &cli.Command{
		Name: program, Summary: "show content while it is edited",
		Long: "Builds the content, serves it with a page to look at it, and builds again on every change. A file that is wrong is shown here, on the page and in the header " + httpfield.ContentError + ", while the last good release keeps answering; at the first start the other files are served. Drafts are served too, unless --as visitor.",
		Examples: []cli.Example{
			{Line: "preview --content content --open", Text: "look at the content in a browser"},
			{Line: "preview --as visitor --requests", Text: "what visitors may see, with each request in the terminal"},
		},
		Exits: []cli.Exit{
			{Status: "0", Text: "ended by SIGINT (Ctrl-C), SIGTERM or SIGHUP"},
			{Status: "1", Text: "the machine fails, for example the address is taken; or a fault of the program itself. Wrong content does not end preview"},
			{Status: "3", Text: "wrong settings"},
		},
	}
	g := root.Group("Content")
	g.String(&o.content, "content", "DIR", "the content: a directory for each environment")
	g.String(&o.out, "out", "DIR", "keep the releases, in DIR/public; DIR must be new or preview's own").Default("a temporary directory, removed at the end")
	g = root.Group("Serving")
	g.String(&o.addr, "addr", "HOST:PORT", "where to serve; port 0 takes a free one")
	g.Strings(&o.hosts, "host", "NAME", "answer requests for this name too, in addition to localhost and addresses")
	g.Strings(&o.origins, "cors-origin", "ORIGIN", "let pages of this origin, scheme://host[:port], read responses, in addition to preview's own")
	g = root.Group("View")
	g.String(&o.as, "as", "WHO", "editor: everything is served; visitor: what visitors may see, until the page changes that").Values(page.Editor, page.Visitor)
	g.Strings(&o.statuses, "status", "STATUS", "what visitors may see, from its "+address.FieldPublishedAt+" on")
	g = root.Group("Terminal")
	g.Bool(&o.open, "open", "open the page in the system's browser")
	g.Bool(&o.requests, "requests", "print each request with its status and time")
	root.Check = func() error { return o.check() }
	root.Run = func(ctx context.Context, _ []string) error { return serve(ctx, *o) }
	return &cli.Program{Root: root, Formats: cli.Formats(), Out: out, Err: problems, Environ: environ}
}

func (o options) check() error {
	if err := listenaddr.Check(o.addr); err != nil {
		return &cli.UsageError{Message: "--addr: " + err.Error(), Hint: "for example 127.0.0.1:8080, or 127.0.0.1:0 for a free port"}
	}
	if slices.Contains(o.hosts, httphead.AnyHost) {
		return &cli.UsageError{Message: "--host *: every website could read the drafts through a name of its own", Hint: "name the host, for example --host preview.example.org"}
	}
	if slices.Contains(o.origins, release.AnyOrigin) {
		return &cli.UsageError{Message: "--cors-origin *: pages of every website could read the drafts", Hint: "name the origin, for example --cors-origin http://localhost:3000"}
	}
	serving := edgeserve.Defaults()
	serving.Hosts, serving.Origins = o.hosts, o.origins
	if err := serving.Validate(); err != nil {
		return &cli.UsageError{Message: err.Error(), Hint: "for example --host preview.example.org, --cors-origin http://localhost:3000"}
	}
	c := generator.BuildConfig{Content: o.content, Out: o.out, Visible: visibility.Rules{Statuses: o.statuses}}
	return c.Check()
}
