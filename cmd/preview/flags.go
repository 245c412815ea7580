// This file parses and validates the command line, before anything is opened.

package main

import (
	"errors"
	"flag"
	"io"
	"slices"
	"strconv"

	"contentedge/cmd/preview/page"
	"contentedge/edgeserve"
	"contentedge/edgeserve/listenaddr"
	"contentedge/edgeserve/serve/httphead"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator"
)

const usage = `Usage: preview [flags]

Builds the content, serves it with a page to look at it, and builds again on every change.
A file that is wrong is shown here, on the page and in the header X-Content-Error, while
the last good release keeps answering. Drafts are served too, unless --as visitor.

  --content DIR   the content: a directory for each environment (default content)
  --addr ADDRESS  host:port to serve on; port 0 takes a free one (default 127.0.0.1:8080)
  --host NAME     answer requests for this host too, beside localhost and the address that
                  they come to; may be repeated
  --cors-origin ORIGIN
                  let pages of this origin, scheme://host[:port], read responses, beside
                  preview's own; may be repeated
  --as WHO        editor: everything is served; visitor: what visitors may see, until the
                  page changes that (default editor)
  --status STATUS
                  what visitors may see, if its PublishedAt has come; may be repeated
                  (default Published)
  --open          open the page in the system's browser
  --requests      print each request with its status and time
  --out DIR       keep the releases, in DIR/public; DIR must be new or preview's own
                  (default: a temporary directory, removed at the end)
`

// defaultStatus is what a visitor sees without --status, and the status of items that name none.
const defaultStatus = "Published"

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

type usageError struct{ message, hint string }

func (e *usageError) Error() string { return e.message + "\n  hint: " + e.hint }

// parse parses the arguments. For --help it prints the usage and returns flag.ErrHelp.
func parse(args []string, out io.Writer) (options, error) {
	var o options
	set := flag.NewFlagSet("preview", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&o.content, "content", "content", "")
	set.StringVar(&o.addr, "addr", "127.0.0.1:8080", "")
	set.StringVar(&o.out, "out", "", "")
	set.Func("host", "", func(name string) error { o.hosts = append(o.hosts, name); return nil })
	set.Func("cors-origin", "", func(origin string) error { o.origins = append(o.origins, origin); return nil })
	set.StringVar(&o.as, "as", page.Editor, "")
	set.Func("status", "", func(status string) error { o.statuses = append(o.statuses, status); return nil })
	set.BoolVar(&o.open, "open", false, "")
	set.BoolVar(&o.requests, "requests", false, "")
	err := set.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		_, e := io.WriteString(out, usage)
		return o, errors.Join(err, e)
	}
	if err == nil && set.NArg() > 0 {
		err = errors.New("unexpected argument " + set.Arg(0) + ": all settings are flags")
	}
	if err != nil {
		return o, &usageError{err.Error(), "see preview --help"}
	}
	if len(o.statuses) == 0 {
		o.statuses = []string{defaultStatus}
	}
	return o, o.check()
}

func (o options) check() error {
	if err := listenaddr.Check(o.addr); err != nil {
		return &usageError{"--addr: " + err.Error(), "for example 127.0.0.1:8080, or 127.0.0.1:0 for a free port"}
	}
	if slices.Contains(o.hosts, httphead.AnyHost) {
		return &usageError{"--host *: every website could read the drafts through a name of its own", "name the host, for example --host preview.example.org"}
	}
	if slices.Contains(o.origins, release.AnyOrigin) {
		return &usageError{"--cors-origin *: pages of every website could read the drafts", "name the origin, for example --cors-origin http://localhost:3000"}
	}
	if o.as != page.Editor && o.as != page.Visitor {
		return &usageError{"--as: " + strconv.Quote(o.as) + " is nobody", "it is editor or visitor"}
	}
	serving := edgeserve.Defaults()
	serving.Hosts, serving.Origins = o.hosts, o.origins
	if err := serving.Validate(); err != nil {
		return &usageError{err.Error(), "for example --host preview.example.org, --cors-origin http://localhost:3000"}
	}
	c := generator.BuildConfig{Content: o.content, Out: o.out, Statuses: o.statuses}
	return c.Check()
}
