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
	"contentedge/edgeserve/serve/clientnet"
	"contentedge/edgeserve/wire/clusterhttp"
)

const (
	// maxReached is how many nodes a request may reach.
	maxReached = 2
	// maxAttempts allows for one more, if a node has refused the connection: that cost nothing.
	maxAttempts = 3
)

// race is a request being sent. The goroutine of the request asks one node after the other; a second goroutine starts
// only when a node is slow.
type race struct {
	nodes   *Nodes
	ctx     context.Context // ends with the request, and once a node has won
	cancel  context.CancelCauseFunc
	request clusterhttp.Request
	method  string
	client  clientnet.Client // that the request is for; zero without a client

	patience time.Duration // until a second node is asked
	slowAt   time.Time     // it is asked then

	errs []error

	mu       sync.Mutex
	over     bool   // guarded by mu, as all below; without an attempt on its way, only run changes them
	tried    uint64 // a bit for each node
	attempts int
	reached  int // nodes that were reached, or may be
	running  int // attempts on their way, or whose result is not taken
	results  chan result
}

// result is what became of an attempt.
type result struct {
	buf     *buffer
	err     error
	outcome outcome
}

// run returns the first response.
func (r *race) run() (*buffer, error) {
	nd, err := r.nodes.acquire(r.ctx, r.client, r.tried, true)
	if err != nil {
		return nil, r.unasked(err)
	}
	for {
		r.mu.Lock()
		r.started(nd)
		r.mu.Unlock()
		slow := time.AfterFunc(time.Until(r.slowAt), crash.Guarded(r.second))
		res := r.attempt(nd)
		slow.Stop()
		r.nodes.running.Done()
		for {
			if res.outcome.cancelled() { // the other attempt may have ended it
				select {
				case res = <-r.results:
				default:
				}
			}
			if res.outcome.cancelled() && r.ctx.Err() != nil {
				return nil, r.ended()
			}
			if !res.outcome.retried() {
				return res.buf, res.err
			}
			r.errs = append(r.errs, res.err)
			if r.failedOne(res.outcome) == 0 {
				break
			}
			select {
			case res = <-r.results:
			case <-r.ctx.Done():
				res.outcome = left
			}
		}
		if nd, err = r.again(res); err != nil {
			return nil, err
		}
	}
}

// started counts an attempt. mu is held.
func (r *race) started(nd *node) {
	r.tried |= 1 << nd.at
	r.attempts++
	r.reached++
	r.running++
}

// failedOne counts an attempt that has failed. It returns how many are on their way.
func (r *race) failedOne(o outcome) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o == unreached {
		r.reached--
	}
	r.running--
	return r.running
}

// second asks another node in addition to a slow one.
func (r *race) second() {
	r.mu.Lock()
	if r.over || r.running != 1 || !r.mayAsk() {
		r.mu.Unlock()
		return
	}
	nd, err := r.nodes.acquire(r.ctx, r.client, r.tried, false)
	if err != nil {
		r.mu.Unlock()
		return
	}
	defer r.nodes.running.Done()
	r.started(nd)
	r.mu.Unlock()
	r.nodes.counters.second(slowFirst)
	r.deliver(r.attempt(nd))
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

// again takes a slot of another node after a failure, or returns why not.
func (r *race) again(last result) (*node, error) {
	if len(r.nodes.nodes) == 1 && last.outcome.otherBackend() {
		r.tried = 0 // several nodes may share its address
	}
	if !r.mayAsk() {
		return nil, r.failed()
	}
	nd, err := r.nodes.acquire(r.ctx, r.client, r.tried, true)
	if err != nil {
		return nil, r.failed()
	}
	r.nodes.counters.second(failedFirst)
	return nd, nil
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

// attempt asks a node.
func (r *race) attempt(nd *node) result {
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
	r.nodes.finish(nd, r.client, out, out.fails(took >= r.patience && nd.proofs.Load() == proofs), took, err)
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
	return res
}

func converted(e *clusterhttp.StatusError) error {
	return &cluster.StatusError{Status: e.Status, Type: e.Type, Reason: e.Why()}
}

// deliver hands a result over, unless the race is over. One that decides it ends the other attempt, for which run waits.
func (r *race) deliver(res result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.results <- res
		if !res.outcome.retried() {
			r.cancel(errLost)
		}
	} else if res.buf != nil {
		r.nodes.buffers.put(res.buf)
	}
}

// end gives back what is no longer taken.
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

// looksLikeObject reports whether a body begins and ends as an object: a proxy's page does not. The reader of the
// object checks the rest.
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

// cancelled reports whether the context has ended before the node has answered.
func (o outcome) cancelled() bool { return o == late || o == lost || o == left }

// otherBackend reports whether the same address may lead to another node.
func (o outcome) otherBackend() bool { return o == unreached || o == failed }

// fails reports whether the outcome speaks against the node. silent is set if the node had as long as one has before
// another one is asked, and answered no other request meanwhile. A refused request says nothing against a node, nor
// does an expensive one that takes long: otherwise a client that sends such requests would open all circuits.
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
