// This file is the configuration of a server, with the reasons of its defaults.

package edgeserve

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/listenaddr"
	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/serve/atcluster"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/clientip"
	"contentedge/edgeserve/serve/delivery"
	"contentedge/edgeserve/serve/httphead"
	"contentedge/edgeserve/serve/logs"
	"contentedge/edgeserve/serve/ratelimit"
	"contentedge/edgeserve/serve/slowlog"
	"contentedge/edgeserve/serve/statuspage"
	"contentedge/edgeserve/systemd"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
)

// Source brings releases, as package follow does.
type Source interface {
	// State is encoded as JSON, for the operator's probe.
	State() any
	// Problem says why the last attempt failed; empty if it did not.
	Problem() string
	// WriteMetrics adds the source's metrics.
	WriteMetrics(t *prometheus.Text)
}

// ServerConfig configures a Server. Start from Defaults.
type ServerConfig struct {
	Public string // directory that holds manifest.json, or a link to it
	Addr   string // host:port to listen on
	Admin  string // host:port for the page, probes, metrics and the reload; empty means no admin listener

	// AdminHosts are the names that requests to the admin listener may be for, in addition to loopback names,
	// addresses and the name in Admin; httphead.AnyHost: all.
	AdminHosts   []string
	Profiling    bool // the admin listener serves profiles of the process
	SlowSearches int  // how many of a release's slow searches the admin page shows with their texts; 0 means none are shown
	// Version and Commit of the program, for its metrics.
	Version, Commit string
	// Settings and Versions are shown on the admin page. Secrets are not among them.
	Settings []statuspage.Setting
	Versions []statuspage.Setting
	// Socket and AdminSocket are listeners that a service manager passed, instead of Addr and Admin.
	// Others may accept from them, too. Nil: the server listens by itself.
	Socket, AdminSocket net.Listener
	// ReusePort lets several processes listen at Addr and Admin (SO_REUSEPORT).
	ReusePort bool

	FastPath string // FastPathAuto or FastPathOff

	// TLSCert and TLSKey are the files of a certificate with its chain, and of its key, in PEM. They
	// are read again when they change. Fiber then reads every connection. Empty: no TLS.
	TLSCert, TLSKey string
	// TLS13Only refuses clients of TLS 1.2.
	TLS13Only bool
	// HSTS is how long browsers use HTTPS only, after each response. 0 means that the field is not sent.
	HSTS time.Duration

	HeadLimit int // longest request line and headers together, in bytes
	BodyLimit int // largest search body in bytes
	// FirstByteTimeout is for the first byte of a connection: proxies open some beforehand.
	FirstByteTimeout time.Duration
	HeaderTimeout    time.Duration // for a request's head, from its first byte to its last
	ReadTimeout      time.Duration // for a request's body, from the end of its head
	WriteTimeout     time.Duration // for a client to take some more of a response
	IdleTimeout      time.Duration // between two requests of a connection
	StartTimeout     time.Duration // for the first release, before requests are answered without one
	DrainDelay       time.Duration // when the server stops: probes say not ready, all else continues
	DrainGrace       time.Duration // then: for idle connections; responses announce their end
	DrainTimeout     time.Duration // for all that follows the delay, requests in flight included
	DrainDownloads   time.Duration // instead: for responses that clients take, while another process serves at the address
	MaxConns         int           // open connections; more are answered 503
	MaxConnsPerIP    int           // open connections of one address; 0 means no limit
	RequestBytes     int64         // for requests being received and bodies being processed; beyond it requests are answered 503
	ResponseBytes    int64         // for bodies of 32 KiB and more being sent; beyond it requests are answered 503

	SearchTimeout time.Duration // for one search; at most half may be a wait for admission
	MaxSearches   int           // slots: searches of more than 1 ms at the same time
	CacheBytes    int64         // cached responses, in bytes: files, and repeated computed responses
	Scrub         time.Duration // for one pass over the snapshots being served; 0 means only on a suspicion
	PollInterval  time.Duration // between checks for a new release; 0 means only Reload

	Cache   release.Policy // Cache-Control of each class of responses
	Origins []string       // whose pages may read responses: "*", or scheme://host[:port] of each
	// StrictParameters refuses all unknown parameters of lists and searches. Otherwise only likely mistakes are refused.
	StrictParameters bool
	// ListEnvironments names environments in the document at /, with examples, and templates and fields in the document of
	// OpenAPI. These names may be secrets.
	ListEnvironments bool
	// Documentation is the URL of the documentation, to which the document at / links. It may be empty.
	Documentation string
	// Hosts are the names that requests may be for, besides loopback names and the address that they
	// arrive at; httphead.AnyHost: all.
	Hosts []string

	// TrustedProxies are the networks of proxies that report the addresses of their clients in the field
	// ClientIPFrom: see clientip.ParseNetworks. Empty: a client is a TCP peer.
	TrustedProxies []string
	ClientIPFrom   string // a header field

	RateLimit   ratelimit.Rate     // requests of one client
	RateBurst   int                // requests at once; 0 means the requests of ten seconds
	SearchRate  ratelimit.WorkRate // work of the searches of one client
	SearchBurst time.Duration      // search time at once; 0 means the time of ten seconds
	// ServerTiming are the networks of clients that may ask for Server-Timing: see clientip.ParseNetworks.
	ServerTiming []string
	RateExempt   []string // networks of clients without these limits: see clientip.ParseNetworks

	// Cluster evaluates searches; then no snapshot is needed. Nil means that the snapshots of releases do.
	Cluster *atcluster.Cluster

	// Source brings releases into Public; nil means that another program does. The admin listener shows it.
	Source Source

	// Trusted refuses a release by the SHA-256 of its manifest. Nil: every release that verifies is served.
	Trusted func(manifestSHA256 string) error

	// FetchMedia opens media by their names below a release, which Public lacks. It returns
	// fs.ErrNotExist for an unknown name. Reading fails if the file turns out to be another one. Nil: Public has all.
	FetchMedia func(name string) (bodies.File, int64, error)

	// Fallback answers requests that no route matches, after the checks of heads and hosts. It
	// returns false for a request that it does not answer. Nil: such requests get a 404.
	Fallback func(ctx *fasthttp.RequestCtx) bool
	// OnResponse is called with each response before it is sent, and may set its header fields. ours
	// reports whether the request is for one of the Hosts. It needs FastPathOff. Nil: nothing is called.
	OnResponse func(ctx *fasthttp.RequestCtx, ours bool)

	Manager   *systemd.Notifier // is told of the server's state; may be nil
	Logger    *slog.Logger      // nil means slog.Default
	AccessLog *logs.Access      // gets a line for each request; nil means no access log. The caller closes it
}

// The values of ServerConfig.FastPath.
const (
	FastPathAuto = "auto" // on where there is one: on Linux
	FastPathOff  = "off"  // Fiber reads every connection
)

// The defaults, with their reasons.
const (
	// DefaultFirstByteTimeout is above the 60 s for which common proxies keep an unused connection.
	DefaultFirstByteTimeout = 120 * time.Second
	// DefaultHeaderTimeout is absolute: it cuts a client that drips bytes.
	DefaultHeaderTimeout = 10 * time.Second
	// DefaultReadTimeout gives a body of 256 KiB a link of 9 kB/s; it is absolute too.
	DefaultReadTimeout = 30 * time.Second
	// DefaultWriteTimeout is above the pauses of links that still work.
	DefaultWriteTimeout = 60 * time.Second
	// DefaultIdleTimeout is above the 60 s of common proxies: they end connections, not we.
	DefaultIdleTimeout = 120 * time.Second
	// DefaultStartTimeout is for a snapshot on a slow disk. Clients give up after some 30 s.
	DefaultStartTimeout = 10 * time.Second
	// DefaultDrainGrace is above the pauses of busy keep-alive clients. A client that pauses for longer cannot learn
	// that the connection ends: HTTP/1.1 has no message for it.
	DefaultDrainGrace = 2 * time.Second
	// DefaultDrainTimeout leaves a supervisor time before its own kill (30 s).
	DefaultDrainTimeout = 10 * time.Second
	// DefaultDrainDownloads is enough for a gigabyte at 1.8 MB/s.
	DefaultDrainDownloads = 10 * time.Minute
	// DefaultMaxConns bounds memory: a connection costs up to 48 KiB of buffers.
	DefaultMaxConns = 16384
	// DefaultRequestBytes is a thousand of the longest bodies.
	DefaultRequestBytes = 256 << 20
	// DefaultResponseBytes is a hundred pages of address.MaxSize items on their way at a time.
	DefaultResponseBytes = 256 << 20
	// DefaultSearchTimeout is the longest a client should wait for an answer.
	DefaultSearchTimeout = 2 * time.Second
	// DefaultCacheBytes holds some 30,000 items or 4,000 list pages in one coding.
	DefaultCacheBytes = 64 << 20
	// DefaultScrub reads a snapshot of 1 GB at 300 kB/s.
	DefaultScrub = time.Hour
	// DefaultSlowSearches fill a page that a person reads.
	DefaultSlowSearches = 20
	// DefaultPollInterval is how old a release may be without being noticed.
	DefaultPollInterval = time.Second

	// maxDrainDelay is above what load balancers take to notice. A longer one is a mistyped unit.
	maxDrainDelay  = 10 * time.Minute
	maxBurst       = 1_000_000 // of requests: far above what one client sends at once
	maxSearchBurst = time.Hour // of work: a higher limit would never be reached

	minHeadLimit = 1 << 10  // below what any client sends
	maxHeadLimit = 1 << 20  // bounds the read buffers: each holds a whole head
	writeBuffer  = 32 << 10 // more than an ordinary list page: head and body leave in one write
)

// Defaults is the configuration of a public node that serves ./public.
func Defaults() ServerConfig {
	return ServerConfig{
		Public:           "public",
		Addr:             "127.0.0.1:8080",
		FastPath:         FastPathAuto,
		HeadLimit:        address.DefaultHeadLimit,
		BodyLimit:        address.DefaultBodyLimit,
		FirstByteTimeout: DefaultFirstByteTimeout,
		HeaderTimeout:    DefaultHeaderTimeout,
		ReadTimeout:      DefaultReadTimeout,
		WriteTimeout:     DefaultWriteTimeout,
		IdleTimeout:      DefaultIdleTimeout,
		StartTimeout:     DefaultStartTimeout,
		DrainGrace:       DefaultDrainGrace,
		DrainTimeout:     DefaultDrainTimeout,
		DrainDownloads:   DefaultDrainDownloads,
		MaxConns:         DefaultMaxConns,
		RequestBytes:     DefaultRequestBytes,
		ResponseBytes:    DefaultResponseBytes,
		SearchTimeout:    DefaultSearchTimeout,
		MaxSearches:      runtime.GOMAXPROCS(0),
		CacheBytes:       DefaultCacheBytes,
		Scrub:            DefaultScrub,
		SlowSearches:     DefaultSlowSearches,
		PollInterval:     DefaultPollInterval,
		Cache:            release.Standard(),
		Origins:          []string{release.AnyOrigin},
		Hosts:            []string{httphead.AnyHost},
		ClientIPFrom:     httpfield.ForwardedFor,
	}
}

// Validate reports every value that no server can run with.
func (c ServerConfig) Validate() error {
	var f faults
	f.require(c.Public != "", "the public directory must be named")
	f.add(listenaddr.Check(c.Addr))
	if c.Admin != "" {
		f.add(listenaddr.Check(c.Admin))
	}
	f.require(c.FastPath == FastPathAuto || c.FastPath == FastPathOff, "the fast path is %s or %s, not %q", FastPathAuto, FastPathOff, c.FastPath)
	f.require((c.TLSCert == "") == (c.TLSKey == ""), "TLS needs both a certificate and its key")
	f.require(c.HSTS == 0 || c.HSTS >= time.Second && c.TLSCert != "", "the time of HSTS must be a second or more, with a certificate, not %s", c.HSTS)
	f.require(c.OnResponse == nil || c.FastPath == FastPathOff, "requests are observed only without the fast path")
	f.require(c.HeadLimit >= minHeadLimit && c.HeadLimit <= maxHeadLimit, "the head limit must be %d to %d bytes, not %d", minHeadLimit, maxHeadLimit, c.HeadLimit)
	f.require(c.BodyLimit > 0, "the body limit must be positive, not %d", c.BodyLimit)
	f.require(c.MaxConns > 0, "the number of connections must be positive, not %d", c.MaxConns)
	f.require(c.MaxConnsPerIP >= 0, "the number of connections of one address must not be negative, not %d", c.MaxConnsPerIP)
	f.require(c.RequestBytes > 0, "the memory for requests must be positive, not %d", c.RequestBytes)
	f.require(c.ResponseBytes > 0, "the memory for responses must be positive, not %d", c.ResponseBytes)
	f.require(c.MaxSearches > 0, "the number of searches must be positive, not %d", c.MaxSearches)
	f.require(c.CacheBytes >= 0, "the cache size must not be negative, not %d", c.CacheBytes)
	c.checkTimes(&f)
	c.checkNames(&f)
	f.require(c.SlowSearches >= 0 && c.SlowSearches <= slowlog.MaxEntries, "the number of slow searches must be 0 to %d, not %d", slowlog.MaxEntries, c.SlowSearches)
	f.require(!c.Profiling || c.Admin != "", "profiles need an admin listener")
	c.checkClients(&f)
	f.add(c.Cache.Validate())
	f.require(c.SearchTimeout <= c.WriteTimeout, "the search timeout %s is longer than the write timeout %s", c.SearchTimeout, c.WriteTimeout)
	return errors.Join(f...)
}

// faults are what is wrong with a ServerConfig.
type faults []error

func (f *faults) add(err error) { *f = append(*f, err) } // nil means that nothing is wrong

func (f *faults) require(ok bool, format string, args ...any) {
	if !ok {
		f.add(fmt.Errorf(format, args...))
	}
}

func (c *ServerConfig) checkTimes(f *faults) {
	f.require(c.Scrub >= 0, "the time of a scrub must not be negative, not %s", c.Scrub)
	f.require(c.StartTimeout >= 0, "the start timeout must not be negative, not %s", c.StartTimeout)
	f.require(c.DrainDelay >= 0 && c.DrainDelay <= maxDrainDelay, "the drain delay must be 0s to %s, not %s", maxDrainDelay, c.DrainDelay)
	f.require(c.DrainDownloads >= 0, "the time of downloads must not be negative, not %s", c.DrainDownloads)
	f.require(c.DrainGrace >= 0, "the drain grace must not be negative, not %s", c.DrainGrace)
	f.require(c.PollInterval >= 0, "the poll interval must not be negative, not %s", c.PollInterval)
	for _, t := range []struct {
		name  string
		value time.Duration
	}{
		{"first byte", c.FirstByteTimeout}, {"header", c.HeaderTimeout}, {"read", c.ReadTimeout}, {"write", c.WriteTimeout}, {"idle", c.IdleTimeout},
		{"drain", c.DrainTimeout}, {"search", c.SearchTimeout},
	} {
		f.require(t.value > 0, "the %s timeout must be positive, not %s", t.name, t.value)
	}
}

// checkNames checks the origins and hosts. "*" cannot be combined with others.
func (c *ServerConfig) checkNames(f *faults) {
	f.require(c.Documentation == "" || respond.ValidDocumentation(c.Documentation), "the documentation %.80q is not a URL: write one that begins with https:// or http://", c.Documentation)
	for _, o := range c.Origins {
		f.require(validOrigin(o) && (o != release.AnyOrigin || len(c.Origins) == 1), "the origin %q is not scheme://host or scheme://host:port: write it so, or give only *", o)
	}
	for _, h := range c.AdminHosts {
		f.require(httphead.ValidHostName(h) || h == httphead.AnyHost && len(c.AdminHosts) == 1, "the host %q of the admin listener is not a name or an address without a port", h)
	}
	for _, h := range c.Hosts {
		f.require(httphead.ValidHostName(h) || h == httphead.AnyHost && len(c.Hosts) == 1, "the host %q is not a name or an address without a port", h)
	}
}

// checkClients checks what newClients reads.
func (c *ServerConfig) checkClients(f *faults) {
	for _, n := range []struct {
		name  string
		texts []string
	}{
		{"trusted proxies", c.TrustedProxies}, {"clients without limits", c.RateExempt}, {"clients that may ask for timings", c.ServerTiming},
	} {
		if _, err := clientip.ParseNetworks(n.texts); err != nil {
			f.add(fmt.Errorf("%s: %w", n.name, err))
		}
	}
	f.require(c.RateBurst >= 0 && c.RateBurst <= maxBurst, "requests at once must be 0 to %d, not %d", maxBurst, c.RateBurst)
	f.require(c.SearchBurst >= 0 && c.SearchBurst <= maxSearchBurst, "the work of searches at once must be 0 to %s, not %s", maxSearchBurst, c.SearchBurst)
	f.require(httpfield.IsToken([]byte(c.ClientIPFrom)), "the client's address is read from a header field, not from %q", c.ClientIPFrom)
}

func validOrigin(s string) bool {
	if s == release.AnyOrigin {
		return true
	}
	scheme, host, ok := strings.Cut(s, "://")
	return ok && (scheme == "http" || scheme == "https") && host != "" && httphead.ValidHost([]byte(host))
}

// MinMemory is the least memory that a node can be given, in bytes.
const MinMemory = 64 << 20

const connMemory = 64 << 10 // bytes of a connection that Fiber reads: its buffers and its stack

// hasAdmin reports whether the server has an admin listener.
func (c *ServerConfig) hasAdmin() bool { return c.Admin != "" || c.AdminSocket != nil }

// grace is DrainGrace, shortened where needed to leave requests in flight half of the drain timeout.
func (c *ServerConfig) grace() time.Duration { return min(c.DrainGrace, c.DrainTimeout/2) }

// Budgets returns the configuration for a process of limit bytes. The cache, responses, requests
// and connections together are at most HeapLimit. Searches that need a slot are limited
// by number, and are not part of that sum. No value grows.
func (c ServerConfig) Budgets(limit int64) ServerConfig {
	c.CacheBytes = min(c.CacheBytes, limit/8)
	c.ResponseBytes = min(c.ResponseBytes, limit/4)
	c.RequestBytes = min(c.RequestBytes, limit/8)
	c.MaxConns = int(min(int64(c.MaxConns), limit/4/connMemory))
	c.MaxSearches = int(min(int64(c.MaxSearches), max(1, limit/delivery.SearchMemory)))
	return c
}

// HeapLimit is the Go runtime's limit for a process of limit bytes. The rest is for socket buffers,
// files in memory, and allocation while garbage is collected.
func HeapLimit(limit int64) int64 { return limit / 4 * 3 }
