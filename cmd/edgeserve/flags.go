// This file parses the command line.

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"contentedge/edgeserve"
	"contentedge/edgeserve/bytesize"
	"contentedge/edgeserve/serve/follow"
	"contentedge/edgeserve/wire/store"
)

type options struct {
	edgeserve.ServerConfig
	memory int64                 // limit of the process, in bytes
	follow follow.FollowerConfig // without a store, something else updates Public
	accept bool                  // accept the store's pointer and exit
}

// parseFlags parses the command line. For --help it prints the usage to out. The caller prints errors.
func parseFlags(args []string, out io.Writer) (options, logOptions, error) {
	c := options{ServerConfig: edgeserve.Defaults(), follow: follow.Defaults()}
	var memory int64
	var logging logOptions
	fs := flag.NewFlagSet("edgeserve", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&c.Public, "public", c.Public, "`directory` that contains the release's manifest.json or a link to it")
	fs.StringVar(&c.Addr, "addr", c.Addr, "`host:port` to listen on")
	fs.StringVar(&c.Admin, "admin", c.Admin, "`host:port` for probes, metrics and POST /-/reload; must not be reachable by clients; empty: off")
	addLogging(fs, &logging)
	fs.StringVar(&c.FastPath, "fast-path", c.FastPath, "`auto`: an event loop serves frequent requests before Fiber (Linux only); off: Fiber serves every request")
	addLimits(fs, &c.ServerConfig)
	openStore := addFollowing(fs, &c)
	fs.DurationVar(&c.Scrub, "scrub", c.Scrub, "duration of a pass that verifies the checksums of the served snapshots; 0: verify only after a sign of damage")
	fs.Func("memory-limit", "`size` of the memory limit, for example 256MiB; it sets the memory budgets that no flag sets. GOMEMLIMIT and the control group count too: the lowest limit wins", bytesize.Flag(&memory))
	fs.DurationVar(&c.PollInterval, "poll", c.PollInterval, "interval between checks for a new release; 0: only on SIGHUP and POST /-/reload")
	fs.Func("cache-control", "`class=value`: Cache-Control of a class of responses (item, list, search, not-found, bad-request, error); may be repeated", func(text string) error {
		class, value, ok := strings.Cut(text, "=")
		if !ok {
			return fmt.Errorf("%q is not class=value", text)
		}
		return c.Cache.Set(class, value)
	})
	fs.BoolVar(&c.StrictParameters, "strict-parameters", false, "refuse unknown parameters of lists and searches")
	fs.BoolVar(&c.ListEnvironments, "list-environments", false, "name the environments in the document at /")
	named := false // the first --cors-origin replaces the default
	fs.Func("cors-origin", "`origin` whose pages may read responses, scheme://host[:port]; may be repeated (default *)", func(origin string) error {
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
	var err error
	if c.memory, err = fitMemory(&c.ServerConfig, memory, fs); err != nil {
		return c, logging, err
	}
	return c, logging, errors.Join(openStore(), c.ServerConfig.Validate(), c.follow.Validate(), logging.validate())
}

func addLogging(fs *flag.FlagSet, o *logOptions) {
	fs.StringVar(&o.format, "log-format", "auto", "json, text, or auto: text on a terminal, else json")
	fs.TextVar(&o.level, "log-level", slog.LevelInfo, "lowest `level` to log: debug, info, warn, error")
	fs.BoolVar(&o.access, "access-log", false, "write a line for each request to standard output")
}

// addFollowing adds the flags for following a store, which openStore opens once they are parsed.
func addFollowing(fs *flag.FlagSet, o *options) (openStore func() error) {
	var from string
	var insecure bool
	c := &o.follow
	fs.StringVar(&from, "follow", "", "follow this `store` and install its current release in --public: s3://BUCKET/PREFIX or https://HOST/PREFIX")
	fs.BoolVar(&insecure, "follow-insecure", false, "allow http:// to other machines, although attackers on the network can then replace the content")
	fs.BoolVar(&o.accept, "accept-pointer", false, "make the node that fills --public trust the store's current pointer, even if it is older than the last one or its sequence number is too high; then exit")
	fs.DurationVar(&c.Interval, "follow-interval", c.Interval, "interval between polls of the store")
	fs.DurationVar(&c.Timeout, "follow-timeout", c.Timeout, "time to fetch a release")
	fs.DurationVar(&c.StaleAfter, "stale-after", c.StaleAfter, "time without a successful poll after which the release is stale")
	fs.DurationVar(&c.MaxAge, "max-pointer-age", c.MaxAge, "age of the store's pointer after which the release is stale; 0: no limit")
	fs.BoolVar(&c.AllMedia, "media", c.AllMedia, "fetch all media of a release before it becomes current, instead of each when a client asks for it")
	fs.Int64Var(&c.MediaBytes, "media-cache", c.MediaBytes, "`bytes` of the media to keep in --public; the files that were not asked for the longest are removed")
	return func() (err error) {
		if from == "" {
			return refuseWithoutStore(fs)
		}
		c.Store, err = store.Open(from, store.Options{Insecure: insecure})
		if errors.Is(err, store.ErrInsecure) {
			err = fmt.Errorf("%w, or add --follow-insecure", err)
		}
		return err
	}
}

// followingFlags are the flags that need --follow.
var followingFlags = []string{"follow-insecure", "accept-pointer", "follow-interval", "follow-timeout", "stale-after", "max-pointer-age", "media", "media-cache"}

func refuseWithoutStore(fs *flag.FlagSet) (err error) {
	fs.Visit(func(f *flag.Flag) {
		if slices.Contains(followingFlags, f.Name) && err == nil {
			err = fmt.Errorf("--%s needs --follow", f.Name)
		}
	})
	return err
}

func addLimits(fs *flag.FlagSet, c *edgeserve.ServerConfig) {
	fs.IntVar(&c.HeadLimit, "head-limit", c.HeadLimit, "longest request line plus header section, in `bytes`")
	fs.IntVar(&c.BodyLimit, "body-limit", c.BodyLimit, "largest search body in `bytes`")
	fs.DurationVar(&c.FirstByteTimeout, "first-byte-timeout", c.FirstByteTimeout, "time for the first byte of a new connection")
	fs.DurationVar(&c.HeaderTimeout, "header-timeout", c.HeaderTimeout, "time to read a request line and header section")
	fs.DurationVar(&c.ReadTimeout, "read-timeout", c.ReadTimeout, "time to read a request body")
	fs.DurationVar(&c.WriteTimeout, "write-timeout", c.WriteTimeout, "time without progress in sending a response")
	fs.DurationVar(&c.IdleTimeout, "idle-timeout", c.IdleTimeout, "time without a request after which a connection is closed")
	fs.DurationVar(&c.DrainTimeout, "drain-timeout", c.DrainTimeout, "time for requests in flight at shutdown")
	fs.IntVar(&c.MaxConns, "max-conns", c.MaxConns, "open connections; further ones get 503")
	fs.IntVar(&c.MaxConnsPerIP, "max-conns-per-ip", c.MaxConnsPerIP, "open connections per client, which is an IPv4 address or an IPv6 /64; further ones get 503; 0: no limit")
	fs.Int64Var(&c.RequestBytes, "request-memory", c.RequestBytes, "memory for incomplete requests and for bodies being processed, in `bytes`; above it requests get 503")
	fs.Int64Var(&c.ResponseBytes, "response-memory", c.ResponseBytes, "memory for response bodies of at least 32 KiB being sent, in `bytes`; above it requests get 503")
	fs.DurationVar(&c.SearchTimeout, "search-timeout", c.SearchTimeout, "time for a search, of which up to half may be spent waiting for a slot")
	fs.IntVar(&c.MaxSearches, "max-searches", c.MaxSearches, "concurrent searches that take more than 1 ms")
	fs.Int64Var(&c.CacheBytes, "cache-bytes", c.CacheBytes, "memory for cached responses: files and repeated computed responses, in `bytes`")
}
