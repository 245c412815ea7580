// This file is the command line: each flag with its meaning, and what cannot be meant.

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"contentedge/edgeserve"
	"contentedge/edgeserve/follow"
	"contentedge/edgeserve/store"
)

// options is what the flags ask for.
type options struct {
	edgeserve.Config
	follow follow.Config // without a store: the release is put into Public by somebody else
	accept bool          // the store's pointer, and serve nothing
}

// parseFlags returns the configuration that the arguments ask for, and how to log. Usage
// goes to out when it is asked for; errors are the caller's to print.
func parseFlags(args []string, out io.Writer) (options, logOptions, error) {
	c := options{Config: edgeserve.Defaults(), follow: follow.Defaults()}
	var logging logOptions
	fs := flag.NewFlagSet("edgeserve", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&c.Public, "public", c.Public, "`directory` with the release (its manifest.json, or a link to it)")
	fs.StringVar(&c.Addr, "addr", c.Addr, "`host:port` to listen on")
	fs.StringVar(&c.Admin, "admin", c.Admin, "`host:port` for probes, metrics and POST /-/reload; not for clients; empty: none")
	addLogging(fs, &logging)
	addLimits(fs, &c.Config)
	openStore := addFollowing(fs, &c)
	fs.DurationVar(&c.Scrub, "scrub", c.Scrub, "for one pass over the snapshots being served, which compares them with their checksums; 0: only on a suspicion")
	fs.DurationVar(&c.PollInterval, "poll", c.PollInterval, "between looks for a new release; 0: only on SIGHUP and POST /-/reload")
	fs.Func("cache-control", "`class=value`: Cache-Control of a class of answers (item, list, search, not-found, bad-request, error); may be repeated", func(text string) error {
		class, value, ok := strings.Cut(text, "=")
		if !ok {
			return fmt.Errorf("%q is not class=value", text)
		}
		return c.Cache.Set(class, value)
	})
	named := false // whether the default has made way
	fs.Func("cors-origin", "`origin` whose pages may read answers, scheme://host[:port]; may be repeated (default *)", func(origin string) error {
		if !named {
			c.Origins, named = nil, true
		}
		c.Origins = append(c.Origins, origin)
		return nil
	})
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		fs.SetOutput(out)
		fs.Usage()
		return c, logging, err
	} else if err != nil {
		return c, logging, fmt.Errorf("%w; see --help", err)
	}
	if fs.NArg() > 0 {
		return c, logging, fmt.Errorf("unexpected argument %q; all settings are flags", fs.Arg(0))
	}
	return c, logging, errors.Join(openStore(), c.Config.Validate(), c.follow.Validate(), logging.validate())
}

// addLogging adds the flags of logs.
func addLogging(fs *flag.FlagSet, o *logOptions) {
	fs.StringVar(&o.format, "log-format", "auto", "json, text, or auto: text on a terminal, else json")
	fs.TextVar(&o.level, "log-level", slog.LevelInfo, "least `level` that is logged: debug, info, warn, error")
	fs.BoolVar(&o.access, "access-log", false, "write a line for each request to standard output")
}

// addFollowing adds the flags of a node that follows a store. What it returns opens the
// store once all flags are known.
func addFollowing(fs *flag.FlagSet, o *options) (openStore func() error) {
	var from string
	var insecure bool
	c := &o.follow
	fs.StringVar(&from, "follow", "", "keep --public at what the `store` names: s3://BUCKET/PREFIX or https://HOST/PREFIX")
	fs.BoolVar(&insecure, "follow-insecure", false, "follow http:// on other machines too: anybody on the way can then replace the content")
	fs.BoolVar(&o.accept, "accept-pointer", false, "make the node that keeps --public believe the pointer that the store shows now, though it is older than one before or its number is too high; then exit")
	fs.DurationVar(&c.Interval, "follow-interval", c.Interval, "between questions to the store")
	fs.DurationVar(&c.Timeout, "follow-timeout", c.Timeout, "for fetching one release")
	fs.DurationVar(&c.StaleAfter, "stale-after", c.StaleAfter, "without an answer of the store, until the release counts as stale")
	fs.DurationVar(&c.MaxAge, "max-pointer-age", c.MaxAge, "of the store's pointer, until the release counts as stale; 0: any age will do")
	return func() (err error) {
		if from == "" {
			if o.accept || insecure {
				return errors.New("--accept-pointer and --follow-insecure need --follow")
			}
			return nil
		}
		c.Store, err = store.Open(from, store.Options{Insecure: insecure})
		if errors.Is(err, store.ErrInsecure) {
			err = fmt.Errorf("%w, or add --follow-insecure", err)
		}
		return err
	}
}

// addLimits adds the flags that bound what clients can take.
func addLimits(fs *flag.FlagSet, c *edgeserve.Config) {
	fs.IntVar(&c.HeadLimit, "head-limit", c.HeadLimit, "longest request line and headers together, in `bytes`")
	fs.IntVar(&c.BodyLimit, "body-limit", c.BodyLimit, "largest search body in `bytes`")
	fs.DurationVar(&c.HeaderTimeout, "header-timeout", c.HeaderTimeout, "for a request's line and headers")
	fs.DurationVar(&c.ReadTimeout, "read-timeout", c.ReadTimeout, "for a request's body")
	fs.DurationVar(&c.WriteTimeout, "write-timeout", c.WriteTimeout, "for one whole answer")
	fs.DurationVar(&c.IdleTimeout, "idle-timeout", c.IdleTimeout, "between two requests of a connection")
	fs.DurationVar(&c.DrainTimeout, "drain-timeout", c.DrainTimeout, "for requests in flight when stopping")
	fs.IntVar(&c.MaxConns, "max-conns", c.MaxConns, "open connections; more are answered 503")
	fs.IntVar(&c.MaxConnsPerIP, "max-conns-per-ip", c.MaxConnsPerIP, "open connections of one address; more are answered 503; 0: no limit")
	fs.Int64Var(&c.ResponseBytes, "response-memory", c.ResponseBytes, "memory for bodies of 32 KiB and more on their way to clients, in `bytes`; beyond it requests are answered 503")
	fs.DurationVar(&c.SearchTimeout, "search-timeout", c.SearchTimeout, "for one search; up to half of it may be waiting for a turn")
	fs.IntVar(&c.MaxSearches, "max-searches", c.MaxSearches, "searches at the same time that take more than 1.5 ms")
	fs.Int64Var(&c.CacheBytes, "cache-bytes", c.CacheBytes, "memory for answers that are kept: from files, and of what is asked for again, in `bytes`")
}
