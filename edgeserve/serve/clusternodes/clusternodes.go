// Package clusternodes asks the nodes of an OpenSearch cluster for a server. It implements
// cluster.Transport.
//
//	a request → waits for a slot of a node, within its deadline; clients take turns
//	          → the node with the fewest requests is asked
//	          → a second node is asked after a third of the deadline, or at once after a failure
//	          → the first response wins; the other request is cancelled
//
// A node that fails again and again is no longer asked: its circuit is open. Probes, which are searches of the last
// requested index, close it. All requests are reads, so each may be sent twice.
package clusternodes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/engine/cluster"
	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/serve/clientnet"
	"contentedge/edgeserve/wire/clusterhttp"
)

// Defaults of Config.
const (
	// DefaultDeadline is the search timeout of servers.
	DefaultDeadline = 2 * time.Second
	// DefaultPerNode is twice the searches that a node of ten processors runs at once: it never idles.
	DefaultPerNode = 32
	// DefaultBytes has room for 16 responses of the largest kind, or for thousands of usual ones.
	DefaultBytes = 64 << 20
)

const (
	// maxInAll limits requests to all nodes together: each has a goroutine and a connection.
	maxInAll = 512
	// queuePerSlot limits how many requests wait for each slot: a search takes some milliseconds.
	queuePerSlot = 4
)

// Config configures New. Zero values are defaults.
type Config struct {
	Deadline time.Duration // of a request, with its wait and both attempts
	PerNode  int           // requests to a node at once
	Bytes    int64         // memory of all responses together
	Log      *slog.Logger  // changes of circuits
}

// asker is clusterhttp.Client.
type asker interface {
	Len() int
	Name(node int) string
	Do(ctx context.Context, node int, r clusterhttp.Request, dst []byte) ([]byte, error)
	Close()
}

// Nodes asks nodes. It is safe for concurrent use.
type Nodes struct {
	cfg    Config
	client asker
	inAll  int // most requests to all nodes at once
	queue  int // most requests that wait

	ctx    context.Context // ends at Close
	cancel context.CancelFunc

	buffers  buffers
	counters counters
	index    atomic.Pointer[string] // probes search it

	mu       sync.Mutex
	nodes    []*node         // guarded by mu, as all below
	next     int             // the node where the next look for a slot begins
	inFlight int             // of all nodes
	ofClient clientnet.Turns // inFlight by client
	waiting  []*waiter       // in order of arrival, clients with few requests first
	closed   bool            // no further goroutine is started
	running  sync.WaitGroup  // Add is called with mu held
}

var _ cluster.Transport = (*Nodes)(nil)

// New prepares requests to nodes without contacting any.
func New(o clusterhttp.Options, cfg Config) (*Nodes, error) {
	cfg.Deadline, cfg.PerNode, cfg.Bytes = cmp.Or(cfg.Deadline, DefaultDeadline), cmp.Or(cfg.PerNode, DefaultPerNode), cmp.Or(cfg.Bytes, DefaultBytes)
	if cfg.Deadline < 0 || cfg.PerNode < 0 || cfg.Bytes < 0 {
		return nil, errors.New("the deadline, the requests and the memory for a cluster must be positive")
	}
	o.Conns = 2 * cfg.PerNode // a cancelled request may still hold its connection
	client, err := clusterhttp.New(o)
	if err != nil {
		return nil, err
	}
	return newNodes(client, cfg), nil
}

func newNodes(client asker, cfg Config) *Nodes {
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	n := &Nodes{cfg: cfg, client: client, next: rand.IntN(client.Len()), inAll: min(client.Len()*cfg.PerNode, maxInAll)}
	n.queue = queuePerSlot * n.inAll
	n.buffers.limit = cfg.Bytes
	n.ctx, n.cancel = context.WithCancel(context.Background())
	for i := range client.Len() {
		n.nodes = append(n.nodes, &node{at: i, name: client.Name(i), limit: cfg.PerNode})
	}
	return n
}

// Close ends all requests and probes, and waits for their goroutines.
func (n *Nodes) Close() {
	n.mu.Lock()
	n.closed = true
	for _, nd := range n.nodes {
		if nd.timer != nil && nd.timer.Stop() {
			n.running.Done()
		}
		nd.timer = nil
	}
	n.dispatch()
	n.mu.Unlock()
	n.cancel()
	n.running.Wait()
	n.client.Close()
}

// Causes of contexts that end.
var (
	errDeadline = errors.New("the deadline has passed")
	errLost     = errors.New("another node has answered")
	errClosing  = errors.New("the server is stopping")
)

// Do implements cluster.Transport.
func (n *Nodes) Do(ctx context.Context, r cluster.Request) (response []byte, release func(), err error) {
	index := indexOf(r.Path)
	if index != "" && n.index.Load() == nil {
		n.index.Store(&index)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer context.AfterFunc(n.ctx, crash.Guarded(func() { cancel(errClosing) }))()
	ctx, stop := context.WithTimeoutCause(ctx, n.cfg.Deadline, errDeadline)
	defer stop()
	end, _ := ctx.Deadline()
	ra := &race{nodes: n, ctx: ctx, cancel: cancel, request: n.request(r), method: r.Method, client: admission.AwayOf(ctx).Client(), results: make(chan result, maxAttempts)}
	ra.patience = time.Until(end) / 3
	ra.slowAt = time.Now().Add(ra.patience)
	buf, err := ra.run()
	cancel(errLost)
	ra.end()
	if err != nil {
		return nil, nil, err
	}
	if index != "" && *n.index.Load() != index {
		n.index.Store(&index)
	}
	return buf.b, func() { n.buffers.put(buf) }, nil
}

// request is the request to a node. A search prefers the copies of shards that the node has itself: then a node that
// hangs slows down only its own requests.
func (n *Nodes) request(r cluster.Request) clusterhttp.Request {
	query := r.Query
	if strings.HasSuffix(r.Path, searchPath) && !query.Has(preference) {
		query = make(map[string][]string, len(r.Query)+1)
		for name, values := range r.Query {
			query[name] = values
		}
		query.Set(preference, "_local")
	}
	return clusterhttp.Request{Method: r.Method, Path: r.Path, Query: query, Body: r.Body, Repeatable: true, MaxResponse: r.MaxResponse}
}

const (
	searchPath = "/_search"
	preference = "preference"
)

// indexOf is the index that a path names; "" for none.
func indexOf(path string) string {
	index, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if strings.HasPrefix(index, "_") {
		return ""
	}
	return index
}

// unavailable is the error of a request that no node has answered.
func unavailable(why error) error { return fmt.Errorf("%w: %w", cluster.ErrUnavailable, why) }

// WriteMetrics writes the families of the nodes.
func (n *Nodes) WriteMetrics(t *prometheus.Text) { n.counters.write(t, n) }
