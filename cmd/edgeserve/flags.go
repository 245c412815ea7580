// This file is the command line: each flag with its meaning, and what cannot be meant.

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"

	"contentedge/edgeserve"
)

// parseFlags returns the configuration that the arguments ask for. Usage goes to out when
// it is asked for; errors are the caller's to print.
func parseFlags(args []string, out io.Writer) (edgeserve.Config, error) {
	c := edgeserve.Defaults()
	fs := flag.NewFlagSet("edgeserve", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&c.Public, "public", c.Public, "`directory` with the release (its manifest.json, or a link to it)")
	fs.StringVar(&c.Addr, "addr", c.Addr, "`host:port` to listen on")
	fs.IntVar(&c.BodyLimit, "body-limit", c.BodyLimit, "largest search body in `bytes`")
	fs.DurationVar(&c.ReadTimeout, "read-timeout", c.ReadTimeout, "for one whole request")
	fs.DurationVar(&c.WriteTimeout, "write-timeout", c.WriteTimeout, "for one whole answer")
	fs.DurationVar(&c.IdleTimeout, "idle-timeout", c.IdleTimeout, "between two requests of a connection")
	fs.DurationVar(&c.DrainTimeout, "drain-timeout", c.DrainTimeout, "for requests in flight when stopping")
	fs.IntVar(&c.MaxConns, "max-conns", c.MaxConns, "open connections; more are answered 503")
	fs.DurationVar(&c.SearchTimeout, "search-timeout", c.SearchTimeout, "for one search, waiting included")
	fs.IntVar(&c.MaxSearches, "max-searches", c.MaxSearches, "searches evaluated at the same time")
	fs.Int64Var(&c.CacheBytes, "cache-bytes", c.CacheBytes, "memory for the bodies of files, in `bytes`")
	fs.DurationVar(&c.PollInterval, "poll", c.PollInterval, "between looks for a new release; 0: only on SIGHUP")
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		fs.SetOutput(out)
		fs.Usage()
		return c, err
	} else if err != nil {
		return c, fmt.Errorf("%w; see --help", err)
	}
	if fs.NArg() > 0 {
		return c, fmt.Errorf("unexpected argument %q; all settings are flags", fs.Arg(0))
	}
	return c, c.Validate()
}
