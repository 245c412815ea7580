// This file sends a request to one node and, if that node is slow or fails, to a second one.

package clusternodes

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/engine/cluster"
	"contentedge/edgeserve/wire/clusterhttp"
)

const (
	// maxReached is how many nodes a request may reach.
	maxReached = 2
	// maxAttempts allows for one more, if a node has refused the connection: that cost nobody anything.
	maxAttempts = 3
)

// race is a request on its way.
type race struct {
	nodes    *Nodes
	ctx      context.Context // ends with the request, and once a node has won
	request  clusterhttp.Request
	method   string
	patience time.Duration // until a second node is asked

	tried    uint64 // a bit for each node
	attempts int
	reached  int // nodes that were reached, or may be
	errs     []error

	mu      sync.Mutex
	over    bool // guarded by mu
	results chan result
}

// result is what became of an attempt.
type result struct {
	buf     *buffer
	err     error
	outcome outcome
}

// run returns the first response.
func (r *race) run() (*buffer, error) {
	if err := r.start(true); err != nil {
		return nil, r.unasked(err)
	}
	slow := time.NewTimer(r.patience)
	defer slow.Stop()
	for running := 1; ; {
		select {
		case res := <-r.results:
			running--
			if res.err == nil || !res.outcome.retried() {
				return res.buf, res.err
			}
			r.errs = append(r.errs, res.err)
			if res.outcome == unreached {
				r.reached--
			}
			if running == 0 {
				if err := r.again(res); err != nil {
					return nil, err
				}
				running++
			}
		case <-slow.C:
			if running == 1 && r.mayAsk() && r.start(false) == nil {
				r.nodes.counters.second(slowFirst)
				running++
			}
		case <-r.ctx.Done():
			return nil, r.ended()
		}
	}
}

// unasked is the error of a request that got no slot.
func (r *race) unasked(err error) error {
	switch {
	case errors.Is(err, errOpen):
		return r.nodes.refused(byCircuits, err)
	case errors.Is(err, errQueue), errors.Is(err, errDeadline), errors.Is(err, errClosing):
		return r.nodes.refused(byQueue, err)
	}
	return err
}

func (r *race) mayAsk() bool { return r.attempts < maxAttempts && r.reached < maxReached }

// again asks another node after a failure, or returns why not.
func (r *race) again(last result) error {
	if len(r.nodes.nodes) == 1 && last.outcome.otherBackend() {
		r.tried = 0 // behind its address may be several
	}
	if !r.mayAsk() || r.start(true) != nil {
		return r.failed()
	}
	r.nodes.counters.second(failedFirst)
	return nil
}

// failed is the error after the last attempt. The error of a node that has answered says more than others.
func (r *race) failed() error {
	for _, err := range r.errs {
		if e, ok := errors.AsType[*clusterhttp.StatusError](err); ok && e.Status == http.StatusInternalServerError {
			return converted(e)
		}
	}
	if r.ctx.Err() != nil {
		return r.ended()
	}
	return r.nodes.refused(byFailures, errors.Join(r.errs...))
}

// ended is the error of a request whose context has ended.
func (r *race) ended() error {
	switch cause := context.Cause(r.ctx); {
	case errors.Is(cause, errDeadline), errors.Is(cause, errClosing):
		return r.nodes.refused(byDeadline, errors.Join(append(r.errs, cause)...))
	default:
		return cause
	}
}

// start asks a node that was not asked yet. wait is set if the request may wait for a slot.
func (r *race) start(wait bool) error {
	nd, err := r.nodes.acquire(r.ctx, r.tried, wait)
	if err != nil {
		return err
	}
	r.tried |= 1 << nd.at
	r.attempts++
	r.reached++
	go r.attempt(nd)
	return nil
}

// attempt asks a node. acquire has counted its goroutine.
func (r *race) attempt(nd *node) {
	defer crash.Exit()
	defer r.nodes.running.Done()
	began, proofs := time.Now(), nd.proofs.Load()
	buf := r.nodes.buffers.get()
	request := r.request
	request.Reserve = func(bytes int) bool { return r.nodes.buffers.reserve(buf, bytes) }
	b, err := r.nodes.client.Do(r.ctx, nd.at, request, buf.b)
	buf.b = b
	if err == nil && r.method != http.MethodHead && !looksLikeObject(b) {
		err = &clusterhttp.Error{Node: nd.name, Err: errGarbage}
	}
	took := time.Since(began)
	out := classify(err)
	r.nodes.finish(nd, out, out.fails(took >= r.patience && nd.proofs.Load() == proofs), took, err)
	res := result{buf: buf, err: err, outcome: out}
	if err != nil {
		r.nodes.buffers.put(buf)
		res.buf = nil
	}
	if out == refusedByNode {
		if e, ok := errors.AsType[*clusterhttp.StatusError](err); ok {
			res.err = converted(e)
		}
	}
	if out == tooLarge {
		res.err = cluster.ErrTooLarge
	}
	if out == unsent {
		res.err = unavailable(err)
	}
	r.deliver(res)
}

func converted(e *clusterhttp.StatusError) error {
	return &cluster.StatusError{Status: e.Status, Type: e.Type, Reason: e.Reason}
}

// deliver hands a result over, unless the race is over.
func (r *race) deliver(res result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.results <- res
	} else if res.buf != nil {
		r.nodes.buffers.put(res.buf)
	}
}

// end gives back what nobody takes any more.
func (r *race) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	for {
		select {
		case res := <-r.results:
			if res.buf != nil {
				r.nodes.buffers.put(res.buf)
			}
		default:
			return
		}
	}
}

var errGarbage = errors.New("the response is not a JSON object")

// looksLikeObject reports whether a body begins and ends as an object: a proxy's page does not. Whoever
// reads the object finds out the rest.
func looksLikeObject(b []byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) > 1 && b[0] == '{' && b[len(b)-1] == '}'
}

// outcome is what became of an attempt, as metrics count it.
type outcome uint8

const (
	answered      outcome = iota
	refusedByNode         // a status that says something about the request
	broken                // 500: another copy of the index may do better
	busy                  // a status that says that the node cannot now
	unreached             // no connection
	failed                // a connection that was lost, or a response that cannot be used
	late                  // the deadline passed
	lost                  // another node was faster
	left                  // the client went away
	tooLarge
	unsent
	outcomes
)

var outcomeNames = [outcomes]string{"ok", "refused", "error", "busy", "unreached", "failed", "late", "lost", "left", "too_large", "unsent"}

// retried reports whether another node is asked.
func (o outcome) retried() bool {
	return o == broken || o == busy || o == unreached || o == failed
}

// otherBackend reports whether the same address may lead to another node.
func (o outcome) otherBackend() bool { return o == unreached || o == failed }

// fails reports whether the outcome speaks against the node. silent is set if the node had as long as one
// has before another one is asked, and answered no other request meanwhile. A refused request says nothing
// against a node, nor does an expensive one that takes long: else a client that sends such requests would
// open all circuits.
func (o outcome) fails(silent bool) bool {
	switch o {
	case busy, unreached, failed:
		return true
	case late, lost:
		return silent
	}
	return false
}

// proves reports whether the outcome shows that the node can answer.
func (o outcome) proves() bool {
	return o == answered || o == refusedByNode || o == broken || o == tooLarge
}

func classify(err error) outcome {
	if err == nil {
		return answered
	}
	if e, ok := errors.AsType[*clusterhttp.StatusError](err); ok {
		if e.Type == cluster.TooManyBuckets {
			return refusedByNode // with status 503, but every node would say so
		}
		return classifyStatus(e.Status)
	}
	op, ok := errors.AsType[*net.OpError](err)
	switch {
	case errors.Is(err, clusterhttp.ErrUnsent), errors.Is(err, clusterhttp.ErrNoRoom):
		return unsent
	case errors.Is(err, errLost):
		return lost
	case errors.Is(err, errDeadline), errors.Is(err, context.DeadlineExceeded):
		return late
	case errors.Is(err, context.Canceled), errors.Is(err, errClosing):
		return left
	case errors.Is(err, clusterhttp.ErrTooLarge):
		return tooLarge
	case ok && op.Op == "dial":
		return unreached
	}
	return failed
}

func classifyStatus(status int) outcome {
	switch {
	case status == http.StatusInternalServerError:
		return broken
	case status == http.StatusTooManyRequests, status == http.StatusBadGateway, status == http.StatusServiceUnavailable, status == http.StatusGatewayTimeout:
		return busy
	case status/100 == 3:
		return failed
	}
	return refusedByNode
}
