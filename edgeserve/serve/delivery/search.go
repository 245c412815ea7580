// This file admits searches, and limits their time, their work and their memory.

package delivery

import (
	"context"
	"slices"
	"time"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/elastic"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/serve/ratelimit"
	"contentedge/edgeserve/serve/respcache"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// search answers a request whose response may depend on its body.
func (r *Request) search(c *answer.Content) (*respcache.Response, *problem.Problem) {
	var room [respcache.MaxComputedKey]byte
	key, response, p := r.begin(room[:0], c)
	if response != nil || p != nil {
		return response, p
	}
	a, p := r.evaluate(c)
	if p != nil {
		return nil, p
	}
	var entry *respcache.Entry
	seenBefore := false
	if key != nil {
		entry, seenBefore = r.served.Cache.GetOrAddComputed(r.served.group(c), key, c.Class)
	}
	return r.compute(c, &a, entryFor(&a, entry, seenBefore))
}

// begin looks into the cache, by the target and the body. If it returns neither a response nor a
// problem, the response must be computed. The request is admitted then, unless it is for an item. key
// is the response's key in the cache, appended to dst. Nil: the response is not cached.
func (r *Request) begin(dst []byte, c *answer.Content) (key []byte, response *respcache.Response, p *problem.Problem) {
	if r.Gzipped {
		if p := r.admit(); p != nil {
			return nil, nil, p
		}
		if p := r.gunzip(); p != nil {
			return nil, nil, r.reject(p)
		}
	}
	if key = r.appendKey(dst); key != nil {
		if response, p := r.fromEntry(r.served.Cache.GetOf(r.served.group(c), key)); response != nil || p != nil {
			return nil, response, p
		}
	}
	far := r.served.isFar() && slices.Contains(asksFar, r.kind)
	if r.kind == address.ElasticMultiSearch || far {
		leave(r.LeaveLoop) // each of its searches may work for a quantum, or waits for other machines
	}
	if r.permit == nil && (c.Class == release.ClassSearch || far) { // a request with a compressed body is admitted already
		if p := r.admit(); p != nil {
			return nil, nil, p
		}
	}
	if r.permit != nil && len(r.Body) >= longBody && r.permit.NeedSlot() != nil {
		return nil, nil, r.reject(problem.Of(problem.Overloaded))
	}
	return key, nil, nil
}

// release gives back the permit.
func (r *Request) release() {
	if r.endWait != nil {
		r.endWait()
		r.endWait = nil
	}
	r.permit.Release()
}

// end gives back the permit and the memory of the request, and charges its client.
func (r *Request) end() {
	r.charge()
	if r.permit != nil {
		r.Timing.Queue += r.permit.Waited()
		r.release()
	}
	if r.held > 0 {
		r.memory().ResizeFor(r.Client, r.held, 0)
	}
}

// appendKey appends the key of the response in the cache to dst, which is not nil. It returns nil if the
// response is not cached. The key of an address that takes no body is its target. All spellings of an
// Elasticsearch address have one key.
func (r *Request) appendKey(dst []byte) []byte {
	if r.kind.IsElastic() && len(r.Body) == 0 && len(r.Target) <= respcache.MaxComputedKey {
		return r.appendElasticKey(dst)
	}
	if !r.kind.TakesBody() {
		if len(r.Target) > respcache.MaxComputedKey {
			return nil
		}
		return append(dst, r.Target...)
	}
	if key, ok := respcache.AppendSearchKey(dst, r.Target, r.Body); ok {
		return key
	}
	return nil
}

// appendElasticKey is appendKey for an Elasticsearch address, without the body.
func (r *Request) appendElasticKey(dst []byte) []byte {
	key, ok := elastic.AppendCanonical(dst, r.kind, r.Target)
	if !ok || len(key) >= respcache.MaxComputedKey || key[0] != '/' {
		return nil // the address is refused, too long once encoded, or in absolute form
	}
	if r.kind.TakesBody() {
		key = append(key, ' ') // the separator of respcache.AppendSearchKey
	}
	return key
}

// gunzip decompresses the body. The request is admitted first: the result may be a thousand times as
// long, up to the limit.
func (r *Request) gunzip() *problem.Problem {
	if len(r.Body) == 0 {
		return nil
	}
	body, err := contentcoding.Gunzip(r.Body, r.served.resources.BodyLimit)
	switch {
	case err == contentcoding.ErrTooLong:
		return problem.Of(problem.BodyTooLarge)
	case err != nil:
		return problem.Of(problem.BadGzip)
	}
	r.Body = body
	return nil
}

// SearchMemory is the memory, in bytes, that an expensive search may hold in addition to its part of Resources.Memory.
const SearchMemory = scorer.OwnMemory

const longBody = 16 << 10 // in bytes: parsing longer search bodies takes long

// evaluate evaluates a request. A request that needs admission has it.
func (r *Request) evaluate(c *answer.Content) (answer.Answer, *problem.Problem) {
	b := answer.Budget{Work: r.work, Count: r.served.count}
	if r.kind == address.ElasticMultiSearch {
		b.Next = r.admitNext
	}
	r.lap()
	a, err := c.Evaluate(b, r.Body)
	r.Timing.Search += r.lap()
	if err != nil {
		return a, r.refuse(c, err)
	}
	r.Timed = a.Timed
	return a, nil
}

// notFound is the status of content that does not exist, which does not count as a refusal.
const notFound = 404

// refuse turns an error into a problem, and counts a refused search.
func (r *Request) refuse(c *answer.Content, err error) *problem.Problem {
	p, cause := c.Problem(err)
	if cause != nil {
		r.Cause = cause
	}
	if p.Status == notFound {
		return p
	}
	return r.reject(p)
}

func (r *Request) reject(p *problem.Problem) *problem.Problem {
	r.served.resources.Counters.Rejected.Inc(p.Code)
	return p
}

// limit ends a search when its permit ends. A search that gets no slot in time is an overload, not a timeout.
type limit struct {
	permit *admission.Permit
	ctx    context.Context // of waits for other machines; nil means no such waits
}

// Context ends the waits for other machines.
func (l limit) Context() context.Context {
	if l.ctx == nil {
		return context.Background()
	}
	return l.ctx
}

// Err implements scorer.Limit.
func (l limit) Err() error {
	err := l.permit.Err()
	if err != nil && l.permit.Shed() {
		return scorer.ErrNoSlot
	}
	return err
}

// admit waits until the request may be evaluated, or returns a problem if it has to wait too long. Call
// it before parsing: a parsed body takes many times the memory.
func (r *Request) admit() *problem.Problem {
	p := r.enter()
	if p != nil {
		return r.reject(p)
	}
	return nil
}

// enter is admit, but does not count a refusal.
func (r *Request) enter() *problem.Problem {
	if wait, ok := r.limits().MaySearch(r.Client); !ok {
		return tooMuchWork.After(wait)
	}
	if r.permit = r.served.resources.Searches.Enter(r.Client, r.Since, r.LeaveLoop); r.permit == nil {
		return problem.Of(problem.Overloaded)
	}
	before := r.work
	if before != nil {
		r.steps += before.Work()
	}
	r.work = scorer.NewWorkLimit(r.limit())
	r.work.TakeMemory(r.takeMemory, before)
	return nil
}

// limit returns the limit of an admitted search. One that other machines evaluate has a context, and gives its lane back
// while it waits for them: lanes and slots share the processors of this machine.
func (r *Request) limit() scorer.Limit {
	l := limit{permit: r.permit}
	if r.served.isFar() {
		ctx := admission.WithAway(context.Background(), r.Client, r.goAway, r.permit.Return)
		l.ctx, r.endWait = context.WithDeadline(ctx, r.permit.Deadline())
	}
	return l
}

// The memory of a search that waits for other machines: its stack and the tree of its body, by the length of the text.
const (
	awayBytes       = 16 << 10
	awayBytesOfByte = 8
)

// goAway leaves the lane before the search waits for other machines. So many may wait as the memory budget allows.
func (r *Request) goAway() error {
	if !r.takenAway {
		if !r.takeMemory(awayBytes + awayBytesOfByte*int64(len(r.Body))) {
			return scorer.ErrNoMemory
		}
		r.takenAway = true
	}
	r.permit.Leave()
	return nil
}

// limits is nil for a client without limits.
func (r *Request) limits() *ratelimit.Limiter {
	if r.Exempt {
		return nil
	}
	return r.served.resources.Limits
}

var tooMuchWork = problem.New(problem.RateLimited, "the searches of this client took too much work; try again after the seconds of Retry-After, with fewer or cheaper searches")

// charge charges the client for the work since the last call.
func (r *Request) charge() {
	if r.work != nil {
		total := r.steps + r.work.Work()
		r.limits().Charge(r.Client, total-r.paid)
		r.paid = total
	}
}

// takeMemory takes memory for the search until the request ends. It reports whether the budget has so much left.
func (r *Request) takeMemory(bytes int64) bool {
	if !r.memory().ResizeFor(r.Client, r.held, r.held+bytes) {
		return false
	}
	r.held += bytes
	return true
}

// detach leaves the event loop before work that takes long without a pause.
func (r *Request) detach() {
	if r.permit != nil {
		r.permit.Detach()
	} else {
		leave(r.LeaveLoop)
	}
}

// admitNext ends a search of a request with several searches, and admits the next search.
func (r *Request) admitNext() (*scorer.WorkLimit, *problem.Problem) {
	r.charge()
	r.Timing.Queue += r.permit.Waited()
	r.release()
	r.permit, r.Since = nil, time.Now()
	p := r.enter() // refuse counts it
	return r.work, p
}

// compressedPerStep is the number of bytes that are compressed in a step.
const compressedPerStep = 2

// canCompress charges the cost of compressing a body. It reports whether the search's work limit allows it.
func (r *Request) canCompress(size int) bool {
	steps := size / compressedPerStep
	return r.work.Affords(steps) && r.work.Charge(steps) == nil
}
