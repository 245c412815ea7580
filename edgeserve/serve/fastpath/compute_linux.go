// This file computes responses in batches, and sends them.

package fastpath

import (
	"slices"
	"time"

	"contentedge/edgeserve/serve/bodies"
)

// buffers are what the goroutine that runs an event loop uses for all connections.
type buffers struct {
	in         []byte     // HeadLimit bytes
	out        []byte     // heads and short bodies of responses
	batch      []outgoing // computed and not sent
	batchBytes int        // of the batch's bodies

	request  parsedRequest
	response Response
	now      time.Time // last reading of the clock

	computing *conn  // the connection that Compute runs for
	leaveLoop func() // for Compute: startNextLoop
	leftLoop  bool   // Compute called it: computing is unlocked, and the loop runs elsewhere
}

// outgoing is a response to be written. Its head is in buffers.out.
type outgoing struct {
	c          *conn
	head, body []byte
	memfile    *bodies.Memfile
}

const (
	// batchTime is how long a loop computes before it sends the batch, yields and polls.
	batchTime = 100 * time.Microsecond
	// maxBatch bounds a batch's responses. A client that waits for many wakes once per batch.
	maxBatch       = 32
	batchThreshold = 16        // with fewer waiting requests, each response wakes its client; with more, responses are batched
	maxBatchBytes  = 128 << 10 // of a batch's bodies: sending takes no longer than computing
)

func newBuffers(headLimit int) *buffers {
	b := &buffers{in: make([]byte, headLimit), out: make([]byte, 0, 2*maxCopiedBody), batch: make([]outgoing, 0, maxBatch)}
	b.leaveLoop = b.startNextLoop
	return b
}

func (b *buffers) startNextLoop() {
	if b.leftLoop {
		return
	}
	b.sendBatch()
	b.leftLoop = true
	b.computing.mu.Unlock()
	go b.computing.loop.run()
}

type pendingRequest struct {
	c     *conn
	since time.Time // when the request was read
}

func (loop *eventLoop) computeLater(c *conn, since time.Time) {
	loop.l.cfg.InFlight.Add(1)
	loop.pending = append(loop.pending, pendingRequest{c, since})
}

// computePending computes responses in order for batchTime, sends them and returns their number. If
// b.leftLoop is set afterwards, the loop belongs to another goroutine.
func (loop *eventLoop) computePending(b *buffers) (computed int) {
	for end := b.now.Add(batchTime); loop.firstPending < len(loop.pending) && (computed == 0 || b.now.Before(end)); computed++ {
		next := loop.pending[loop.firstPending]
		loop.firstPending++
		next.c.compute(next.since, b)
		if b.leftLoop || b.batchFull() || len(loop.pending)-loop.firstPending < batchThreshold {
			b.sendBatch()
		}
		if b.leftLoop {
			return computed
		}
	}
	b.sendBatch()
	if loop.firstPending > len(loop.pending)/2 {
		loop.pending, loop.firstPending = slices.Delete(loop.pending, 0, loop.firstPending), 0
	}
	return computed
}

// compute adds the response to the request at the start of c.in to the batch, or hands it off.
func (c *conn) compute(since time.Time, b *buffers) {
	batched := false
	defer func() {
		if !batched { // else sendBatched does
			c.l.cfg.InFlight.Add(-1)
		}
	}()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == closed {
		return
	}
	defer c.recoverPanic(&b.request.Request)
	_, size := c.l.parser.parse(c.in, 0, &b.request)
	b.request.Request.From = c.RemoteAddr()
	computed := !c.l.draining.Load() && c.callCompute(since, b)
	switch {
	case c.state == closed: // while Compute ran outside of the loop
		c.dropResponse(b)
		return
	case !computed:
		c.handOff(handOffOne, size)
		return
	}
	if c.in = c.in[size:]; len(c.in) == 0 {
		c.in = nil
	}
	body := b.response.Stream
	m := c.encode(b, b.now.Sub(since))
	if body != nil {
		c.stream(m.head, body)
		c.releaseBody()
		return
	}
	b.batch, b.batchBytes, batched = append(b.batch, m), b.batchBytes+len(m.body), true
}

// callCompute calls ListenerConfig.Compute for b.request. The connection is unlocked from leaveLoop until
// callCompute returns or panics.
func (c *conn) callCompute(since time.Time, b *buffers) (ok bool) {
	b.computing = c
	defer func() {
		b.computing, b.now = nil, time.Now()
		if b.leftLoop {
			c.mu.Lock()
		}
	}()
	b.response, ok = c.l.cfg.Compute(&b.request.Request, since, b.leaveLoop)
	return ok
}

// dropResponse releases a response that is not sent.
func (c *conn) dropResponse(b *buffers) {
	if b.response.Stream != nil {
		_ = b.response.Stream.Close()
	}
	c.bodyDone, b.response = b.response.Done, Response{}
	c.releaseBody()
}

func (b *buffers) batchFull() bool { return len(b.batch) == maxBatch || b.batchBytes >= maxBatchBytes }

func (b *buffers) sendBatch() {
	for _, m := range b.batch {
		m.sendBatched(b)
	}
	clear(b.batch)
	b.batch, b.batchBytes = b.batch[:0], 0
}

func (m outgoing) sendBatched(b *buffers) {
	c := m.c
	defer c.l.cfg.InFlight.Add(-1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == closed {
		return
	}
	defer c.recoverPanic(nil)
	c.state = active
	c.write(m)
	if c.state == closed || c.unsent() {
		return
	}
	if c.queueIfWork() && b.leftLoop {
		c.loop.wake(time.Now())
	}
}
