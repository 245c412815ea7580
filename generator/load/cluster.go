// This file asks the nodes of a cluster, and asks again where that may help.

package load

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/wire/clusterhttp"
	"contentedge/generator/retry"
)

const (
	// maxAttempts bounds the attempts of a request; Config.MaxWait ends most requests earlier.
	maxAttempts = 100
	// helloAttempts is how often each node is asked who it is: wrong addresses are found soon.
	helloAttempts = 3
	// shortTime is how long an attempt of a request about states may take. Nodes give up after 30 seconds.
	shortTime = time.Minute
	// maxShort bounds a response about states, in bytes: a state of an index has some hundred.
	maxShort = 4 << 20
	// warnAfter is the attempt after which a failure is told.
	warnAfter = 3
)

// cluster sends requests to nodes. Its copies prefer nodes of their own.
type cluster struct {
	client  *clusterhttp.Client
	maxWait time.Duration
	warn    func(string)
	engine  string // and version
	node    *atomic.Int64
}

func newCluster(client *clusterhttp.Client, maxWait time.Duration, warn func(string)) cluster {
	return cluster{client: client, maxWait: maxWait, warn: warn, node: &atomic.Int64{}}
}

// from returns a copy that asks another node first, so that several share the work.
func (c cluster) from(n int) cluster {
	node := &atomic.Int64{}
	node.Store(c.node.Load() + int64(n))
	c.node = node
	return c
}

// call is a request.
type call struct {
	method, path string
	query        url.Values
	body         []byte
	lines        bool          // the body has lines of JSON
	limit        int64         // bytes of the response; maxShort if 0
	time         time.Duration // of an attempt; shortTime if 0
}

// errSlow is the error of an attempt that took too long.
var errSlow = errors.New("no response in time")

// once sends a request to the preferred node. After a failure another node is preferred.
func (c cluster) once(ctx context.Context, r call, dst []byte) ([]byte, error) {
	limit, most := r.limit, r.time
	if limit == 0 {
		limit = maxShort
	}
	if most == 0 {
		most = shortTime
	}
	ctx, cancel := context.WithTimeoutCause(ctx, most, errSlow)
	defer cancel()
	request := clusterhttp.Request{Method: r.method, Path: r.path, Query: r.query, Body: r.body, MaxResponse: limit, Repeatable: true}
	if r.lines {
		request.ContentType = "application/x-ndjson"
	}
	n := c.node.Load()
	dst, err := c.client.Do(ctx, int(n)%c.client.Len(), request, dst)
	if err != nil && temporary(err) {
		c.node.CompareAndSwap(n, n+1)
	}
	return dst, err
}

// again repeats a request as long as that may help.
func (c cluster) again(ctx context.Context, attempts int, request func() error) error {
	n := 0
	_, err := retry.With(ctx, retry.Policy{Attempts: attempts, Temporary: temporary, After: after, Budget: &retry.Budget{Left: c.maxWait}}, func() (struct{}, error) {
		err := request()
		if n++; n == warnAfter && attempts > warnAfter && temporary(err) && ctx.Err() == nil {
			c.warn(err.Error() + "; trying again")
		}
		return struct{}{}, err
	})
	return explain(err)
}

// ask sends a request until it succeeds, and decodes the response into out, unless that is nil.
func (c cluster) ask(ctx context.Context, r call, out any) error {
	var response []byte
	err := c.again(ctx, maxAttempts, func() (err error) {
		response, err = c.once(ctx, r, response[:0])
		return err
	})
	if err != nil {
		return fmt.Errorf("%s %s: %w", r.method, r.path, err)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(response, out); err != nil {
		return fmt.Errorf("%s %s: the response is not the expected JSON: %w", r.method, r.path, err)
	}
	return nil
}

// put is ask with a body of JSON.
func (c cluster) put(ctx context.Context, method, path string, body, out any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.ask(ctx, call{method: method, path: path, body: text}, out)
}

// temporary reports whether the same request may succeed later, or at another node.
func temporary(err error) bool {
	if err == nil || errors.Is(err, errChanged) || errors.Is(err, clusterhttp.ErrTooLarge) || errors.Is(err, context.Canceled) {
		return false
	}
	if _, untrusted := errors.AsType[*tls.CertificateVerificationError](err); untrusted {
		return false
	}
	if lines, ok := errors.AsType[*linesError](err); ok {
		return lines.cause == nil
	}
	if s, ok := errors.AsType[*clusterhttp.StatusError](err); ok {
		return retry.TemporaryStatus(s.Status) && !noRoom(s.Type, s.Reason)
	}
	return true
}

// after returns how long a node asks to wait.
func after(err error) time.Duration {
	if s, ok := errors.AsType[*clusterhttp.StatusError](err); ok {
		return retry.After(s.Header, time.Now())
	}
	return 0
}

// blockError is the type of errors of what is blocked.
const blockError = "cluster_block_exception"

// noRoom reports whether an error says that the disks of the cluster are full.
func noRoom(kind, reason string) bool {
	return kind == blockError && (strings.Contains(reason, "read-only-allow-delete") || strings.Contains(reason, "read-only / allow delete") || strings.Contains(reason, "create-index blocked"))
}

// errNoRoom says what to do.
var errNoRoom = errors.New("the disks of the cluster are too full: remove indices (load --gc), or add room, then load again: it continues where it ended")

// explain adds what to do to an error of a node.
func explain(err error) error {
	if s, ok := errors.AsType[*clusterhttp.StatusError](err); ok && noRoom(s.Type, s.Reason) {
		return fmt.Errorf("%w (%w)", errNoRoom, err)
	}
	return err
}

// isStatus reports whether a node answered with a status, and with a type unless that is empty.
func isStatus(err error, status int, kind string) bool {
	s, ok := errors.AsType[*clusterhttp.StatusError](err)
	return ok && s.Status == status && (kind == "" || s.Type == kind)
}

func isMissing(err error) bool { return isStatus(err, http.StatusNotFound, "") }

// isOpenSearch reports whether the cluster is one of OpenSearch, once hello has asked it.
func (c *cluster) isOpenSearch() bool { return strings.HasPrefix(c.engine, openSearch) }

const openSearch = "OpenSearch "

// hello asks the cluster which engine it is.
func (c *cluster) hello(ctx context.Context) error {
	var response []byte
	err := c.again(ctx, helloAttempts*c.client.Len(), func() (err error) {
		response, err = c.once(ctx, call{method: http.MethodGet, path: "/"}, response[:0])
		return err
	})
	if err != nil {
		return fmt.Errorf("GET /: %w", err)
	}
	var is struct {
		Version struct{ Distribution, Number string }
	}
	if err := json.Unmarshal(response, &is); err != nil || is.Version.Number == "" {
		return fmt.Errorf("the node %s does not answer as OpenSearch or Elasticsearch: GET / has no version", c.client.Name(int(c.node.Load())%c.client.Len()))
	}
	v := is.Version
	if v.Distribution == "opensearch" {
		c.engine = openSearch + v.Number
		if strings.HasPrefix(v.Number, "2.") {
			return nil
		}
	} else if c.engine = "Elasticsearch " + v.Number; strings.HasPrefix(v.Number, "7.10.") {
		return nil
	}
	return fmt.Errorf("the cluster is %s, whose searches differ: load fills OpenSearch 2 (tested with 2.19) and Elasticsearch 7.10", c.engine)
}
