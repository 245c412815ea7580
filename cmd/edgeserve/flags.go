// This file defines the command line.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"contentedge/cmd/cli"
	"contentedge/edgeserve"
	"contentedge/edgeserve/bytesize"
	"contentedge/edgeserve/serve/follow"
	"contentedge/edgeserve/serve/logs"
	"contentedge/edgeserve/serve/statuspage"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/store"
)

type options struct {
	edgeserve.ServerConfig
	memory  int64 // limit of the process, in bytes
	logging logOptions
	follow  follow.FollowerConfig // without a store, something else updates Public
	from    string                // address of the store
	accept  bool                  // accept the store's pointer and exit

	insecure bool // follow http:// too

	cluster      clusterOptions
	closeCluster func() // ends its connections; nil without a cluster
}

// program is the name that the program has in its help, its version and its messages.
const program = "edgeserve"

// newProgram returns the program. serve gets the options once they are valid.
func newProgram(out, problems io.Writer, environ []string, serve func(context.Context, *options) error) *cli.Program {
	o := &options{ServerConfig: edgeserve.Defaults(), follow: follow.Defaults(), logging: logOptions{format: "auto", accessAs: "auto"}}
	root := &cli.Command{
		Name: program, Summary: "serve a release",
		Long: "Serves the release in a directory, and each later one as soon as it is complete. With --follow it fetches the releases from a store.",
		Examples: []cli.Example{
			{Line: "edgeserve --public public --addr :8080", Text: "serve what generator build wrote to public"},
			{Line: "edgeserve --follow s3://bucket/live --public node --admin 127.0.0.1:9090", Text: "follow a store; probes, metrics and reload on a port of their own"},
			{Line: "edgeserve --config /etc/contentedge/edgeserve.conf --print-config", Text: "check a file of settings"},
		},
		Notes: "SIGHUP checks for a new release and reads the trust file again, SIGTERM and SIGINT end the server after a drain, a second one at once.",
		Exits: []cli.Exit{
			{Status: "0", Text: "stopped by SIGTERM or SIGINT, after a drain"},
			{Status: "1", Text: "the machine fails, for example the address is taken; or a fault of the program itself; or a second signal ended it"},
			{Status: "3", Text: "wrong settings"},
		},
	}
	o.addServing(root)
	o.addTLS(root)
	o.addAdmin(root)
	o.addReleases(root)
	o.addFollowing(root)
	o.addCluster(root)
	o.addTimeouts(root)
	o.addRestarts(root)
	o.addLimits(root)
	o.addClients(root)
	memory := addMemory(root, &o.ServerConfig)
	o.logging.add(root)
	root.Check = func() error { return o.check(root, *memory) }
	root.Warn = func(message string) { o.Logger.Warn(message) }
	root.Run = func(ctx context.Context, _ []string) error {
		o.describe(root)
		return serve(ctx, o)
	}
	root.Commands = []*cli.Command{healthCommand(out)}
	return &cli.Program{Root: root, Formats: cli.Formats(), Out: out, Err: problems, Environ: environ}
}

func (o *options) addServing(c *cli.Command) {
	g := c.Group("Serving")
	g.String(&o.Public, "public", "DIR", "directory with the release: its manifest.json, or a link to it")
	g.String(&o.Addr, "addr", "HOST:PORT", "where to listen")
	g.String(&o.FastPath, "fast-path", "MODE", "auto: on Linux an event loop serves frequent requests before Fiber, with the same bytes; off: Fiber serves every request").Values(edgeserve.FastPathAuto, edgeserve.FastPathOff)
	g.Each("cache-control", "CLASS=VALUE", "Cache-Control of a class of responses: item, list, search, not-found, bad-request or error", func(text string) error {
		class, value, ok := strings.Cut(text, "=")
		if !ok {
			return fmt.Errorf("%q is not class=value", text)
		}
		return o.Cache.Set(class, value)
	})
	g.Strings(&o.Origins, "cors-origin", "ORIGIN", "origin whose pages may read responses, scheme://host[:port]")
	g.Bool(&o.StrictParameters, "strict-parameters", "refuse all unknown parameters of lists and searches")
	g.Bool(&o.ListEnvironments, "list-environments", "name environments at / and in the document of OpenAPI, with templates, fields and examples; they may be secrets")
	g.String(&o.Documentation, "documentation", "URL", "where the documentation of the interface is, for the document at /; empty: it names the page of this server")
}

// addAdmin adds the flags of the listener for operators.
func (o *options) addAdmin(c *cli.Command) {
	const admin = "admin"
	g := c.Group("Admin listener")
	g.String(&o.Admin, admin, "HOST:PORT", "where to serve the admin page, probes, metrics and POST /-/reload, out of the reach of clients; empty: nowhere")
	g.Strings(&o.AdminHosts, "admin-host", "NAME", "name that requests to --admin may be for, in addition to addresses, localhost and the name in --admin; *: any").Needs(admin)
	g.Int(&o.SlowSearches, "slow-searches", "N", "slowest searches of a release that the admin page shows, with what clients sent; 0 shows no searches")
	g.Bool(&o.Profiling, "pprof", "serve profiles of the process on the admin listener, for go tool pprof").Needs(admin)
}

// describe tells the server what the admin page shows of the program.
func (o *options) describe(c *cli.Command) {
	for _, s := range c.Settings() {
		o.Settings = append(o.Settings, statuspage.Setting{Name: s.Name, Value: s.Value, Source: s.Source})
	}
	v := cli.VersionOf(c.Name, cli.Formats())
	o.Version, o.Commit = v.Version, v.Commit
	add := func(name, value string) {
		o.Versions = append(o.Versions, statuspage.Setting{Name: name, Value: value})
	}
	add("Version", v.Version)
	add("Commit", cmp.Or(v.Commit, "unknown"))
	add("Go", v.Go+" "+v.Platform)
	for _, f := range cli.Formats() {
		add("Format of the "+f.Name, strconv.Itoa(f.Version))
	}
}

func (o *options) addTLS(c *cli.Command) {
	const cert, key = "tls-cert", "tls-key"
	g := c.Group("TLS")
	g.String(&o.TLSCert, cert, "FILE", "serve HTTPS with this certificate and its chain, in PEM; read again when it changes").Needs(key)
	g.String(&o.TLSKey, key, "FILE", "key of the certificate, in PEM").Needs(cert)
	g.Bool(&o.TLS13Only, "tls13-only", "refuse clients that have TLS 1.2 only").Needs(cert)
	g.Duration(&o.HSTS, "hsts", "how long browsers use HTTPS only for this host name (Strict-Transport-Security); 0: the field is not sent").Needs(cert)
}

func (o *options) addReleases(c *cli.Command) {
	g := c.Group("Releases")
	g.Duration(&o.PollInterval, "poll", "time between checks for a new release; 0: only on SIGHUP and POST /-/reload")
	g.Duration(&o.Scrub, "scrub", "time of a pass that compares the served snapshots with their checksums; 0: only after a sign of damage")
}

// addFollowing adds the flags for following a store.
func (o *options) addFollowing(c *cli.Command) {
	const follow, trust = "follow", "trust"
	f := &o.follow
	g := c.Group("Following a store")
	g.String(&o.from, follow, "STORE", "follow this store and install its current release in --public: s3://BUCKET/PREFIX or https://HOST/PREFIX")
	g.Duration(&f.Interval, "follow-interval", "time between polls of the store").Needs(follow)
	g.Duration(&f.Timeout, "follow-timeout", "time to fetch a release").Needs(follow)
	g.Bool(&o.insecure, "follow-insecure", "allow http:// to other machines, although attackers on the network can then replace the content").Needs(follow)
	g.Duration(&f.StaleAfter, "stale-after", "time without a successful poll after which the release is stale").Needs(follow)
	g.Duration(&f.MaxAge, "max-pointer-age", "age of the store's pointer after which the release is stale; 0: no limit").Needs(follow)
	g.Bool(&f.AllMedia, "media", "fetch all media of a release before it becomes current, instead of each when a client asks for it").Needs(follow)
	g.Size(&f.MediaBytes, "media-cache", "media to keep in --public; the files that no client asked for the longest are removed").Needs(follow)
	g.String(&f.TrustFile, trust, "FILE", "follow only pointers that are signed as this file says; SIGHUP reads it again").Needs(follow)
	g.Bool(&f.RefuseExpired, "refuse-expired", "start without a release, instead of with one whose pointer has expired").Needs(trust)
	g.Bool(&o.accept, "accept-pointer", "make the node that fills --public accept the store's current pointer, even if it is older than the last one, has expired, or its sequence number is too high; then exit. Signatures have to be right").Needs(follow).CommandLineOnly()
}

// openStore opens the store that --follow names.
func (o *options) openStore() (err error) {
	if o.from == "" {
		return nil
	}
	o.follow.Store, err = store.Open(o.from, store.Options{Insecure: o.insecure})
	if errors.Is(err, store.ErrInsecure) {
		err = fmt.Errorf("%w, or add --follow-insecure", err)
	}
	return err
}

func (o *options) addTimeouts(c *cli.Command) {
	g := c.Group("Time limits")
	g.Duration(&o.FirstByteTimeout, "first-byte-timeout", "for the first byte of a new connection")
	g.Duration(&o.HeaderTimeout, "header-timeout", "for a request line and header section, from the first byte")
	g.Duration(&o.ReadTimeout, "read-timeout", "for a request body")
	g.Duration(&o.WriteTimeout, "write-timeout", "for a client to take some more of a response")
	g.Duration(&o.IdleTimeout, "idle-timeout", "between two requests of a connection")
	g.Duration(&o.SearchTimeout, "search-timeout", "for a search; up to half may be spent waiting for a slot")
}

// addRestarts adds the flags of how the server begins and ends.
func (o *options) addRestarts(c *cli.Command) {
	g := c.Group("Starting and stopping")
	g.Bool(&o.ReusePort, "reuse-port", "let several servers listen at --addr and --admin (SO_REUSEPORT), so that a new one serves before the old one ends")
	g.Duration(&o.StartTimeout, "start-timeout", "to wait for the first release before accepting connections; then they get 503")
	g.Duration(&o.DrainDelay, "drain-delay", "when the server stops: time in which only probes say so, for load balancers to notice")
	g.Duration(&o.DrainGrace, "drain-grace", "then: time in which idle connections may send a last request, and all responses say Connection: close")
	g.Duration(&o.DrainTimeout, "drain-timeout", "for the grace and the requests in flight, in all")
	g.Duration(&o.DrainDownloads, "drain-downloads", "instead: for responses that clients still take, while another process serves at --addr; 0 disables it")
}

func (o *options) addLimits(c *cli.Command) {
	g := c.Group("Limits")
	g.IntSize(&o.HeadLimit, "head-limit", "longest request line and header section together")
	g.IntSize(&o.BodyLimit, "body-limit", "largest search body")
	g.Int(&o.MaxConns, "max-conns", "N", "open connections, within the limit of open files; at the limit idle ones are closed for new ones, and if none is idle, further ones get 503")
	g.Int(&o.MaxConnsPerIP, "max-conns-per-ip", "N", "open connections of one client, which is an IPv4 address or an IPv6 /64; a /56 may have 4 times, a /48 16 times as many; further ones get 503; 0: no limit")
	g.Int(&o.MaxSearches, "max-searches", "N", "concurrent searches that take more than 1 ms").Default("processors")
}

func (o *options) addClients(c *cli.Command) {
	const proxies = "trusted-proxies"
	g := c.Group("Clients")
	g.Strings(&o.TrustedProxies, proxies, "CIDR", "network of proxies that report their clients' addresses: ADDRESS/BITS, an address, loopback, private or unix")
	g.String(&o.ClientIPFrom, "client-ip-from", "FIELD", "header field in which they do: X-Forwarded-For, Forwarded, or one of a CDN, as CF-Connecting-IP").Needs(proxies)
	g.Strings(&o.ServerTiming, strings.ToLower(httpfield.ServerTiming), "CIDR", "network of clients that get Server-Timing if they send X-Server-Timing, as for --trusted-proxies")
	const limit, searches = "rate-limit", "search-rate"
	g.Text(&o.RateLimit, limit, "N/s", "requests of one client, for example 50/s, 600/m or 1000/h; further ones get 429; 0: no limit")
	g.Int(&o.RateBurst, "rate-burst", "N", "requests of one client at once; 0: the requests of ten seconds").Default("of ten seconds").Needs(limit)
	g.Text(&o.SearchRate, searches, "TIME/s", "work of the searches of one client, for example 100ms/s, which is a tenth of a processor; further searches get 429; 0: no limit")
	g.Duration(&o.SearchBurst, "search-burst", "work of the searches of one client at once; 0: the work of ten seconds").Default("of ten seconds").Needs(searches)
	g.Strings(&o.RateExempt, "rate-exempt", "CIDR", "network of clients without these limits, as for --trusted-proxies")
}

// addMemory adds the budgets of memory. The result is the limit that --memory-limit sets.
func addMemory(c *cli.Command, o *edgeserve.ServerConfig) *int64 {
	limit := new(int64)
	g := c.Group("Memory")
	g.Func("memory-limit", "SIZE", "limit of the process, for example 256MiB; it sets the budgets that no setting sets. GOMEMLIMIT and the control group count too: the lowest limit wins", bytesize.Flag(limit))
	g.Size(&o.CacheBytes, "cache-bytes", "for cached responses: files and repeated computed responses; 0: no cache")
	g.Size(&o.RequestBytes, "request-memory", "for incomplete requests and for bodies being processed; above it requests get 503")
	g.Size(&o.ResponseBytes, "response-memory", "for bodies of at least 32 KiB being sent; above it requests get 503")
	return limit
}

func (o *logOptions) add(c *cli.Command) {
	g := c.Group("Logs")
	g.String(&o.format, "log-format", "FORMAT", "json, text, or auto: text on a terminal, else json").Values("auto", "json", "text")
	g.Text(&o.level, "log-level", "LEVEL", "lowest level to log: debug, info, warn or error").Values("debug", "info", "warn", "error")
	g.Bool(&o.access, "access-log", "write a line for each request to standard output")
	g.String(&o.accessAs, "access-format", "FORMAT", "json, text, combined (of Apache and nginx), ecs (Elastic Common Schema), or auto: as the log").Values(append([]string{"auto"}, logs.FormatNames()...)...).Needs("access-log")
}

// check validates the options, fits them to the memory and opens what they name.
func (o *options) check(c *cli.Command, memory int64) error {
	var err error
	if o.memory, err = fitMemory(&o.ServerConfig, memory, c); err != nil {
		return err
	}
	o.Logger = o.logging.logger(os.Stderr)
	return errors.Join(o.openStore(), o.openCluster(), o.ServerConfig.Validate(), o.follow.Validate())
}
