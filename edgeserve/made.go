// This file makes answers for package wire that are in no memory yet. They are what
// Server.content sends to the same request.

package edgeserve

import (
	"runtime/debug"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/release"
	"contentedge/edgeserve/wire"
)

// room is memory for an answer that is sent once, if it is short, and for its head.
type room struct {
	body []byte
	head lines
	held *answer // large, to be dropped with the room; nil: none

	memory *memory // that held is held in
	done   func()  // end
}

var rooms sync.Pool

func newRoom() *room {
	r, ok := rooms.Get().(*room)
	if !ok {
		r = new(room)
		r.done = r.end
	}
	return r
}

// end gives the room to others.
func (r *room) end() {
	if r.held != nil {
		r.memory.drop(r.held)
		r.held = nil
	}
	rooms.Put(r)
}

// makePlain makes an answer, or finds a large one. It leaves to the engine what it would
// have to wait for, and what is no request for content.
func (s *Server) makePlain(r *wire.Request, since time.Time, handOver func()) (w wire.Answer, ok bool) {
	g := s.acquire()
	if g == nil {
		return w, false
	}
	defer g.Release()
	path, query := splitTarget(string(r.Target))
	route, known := address.ParsePath(path)
	reader := g.readers[route.Env]
	if !known || reader == nil || r.Post != (route.Kind == address.Search) {
		return w, false
	}
	c := request{
		server: s, gen: g, reader: reader, env: route.Env, room: newRoom(),
		target: r.Target, body: r.Body, since: since, handOver: handOver,
	}
	c.accept.Read(r.AcceptEncoding)
	a, p := c.recovered(route, query, r, &w)
	if c.cause != nil {
		s.searchFailed(&c, s.plainID(r, &w))
	}
	w.Route = uint8(routeOfKind(route.Kind))
	switch {
	case p == errWait:
		c.room.end()
		return w, false
	case p != nil:
		c.room.end()
		s.failPlain(&w, r, g, p)
	case a.head == nil || a.large():
		c.room.send(&w, r, a, &s.memory)
	default:
		c.room.end()
		fillPlain(&w, r, a, a.head, a.shared)
	}
	return w, true
}

// recovered is content, with a problem instead of a panic.
func (r *request) recovered(route address.Route, query string, asked *wire.Request, w *wire.Answer) (a *answer, p *problem) {
	defer func() {
		if cause := recover(); cause != nil {
			p = r.server.panicked(cause, r.server.plainID(asked, w), methodOf(asked), asked.Target)
		}
	}()
	debug.SetPanicOnFault(true) // see guarded
	return r.content(route, query)
}

// failPlain fills in a problem. The engine writes it: there are few.
func (s *Server) failPlain(w *wire.Answer, r *wire.Request, g *Generation, p *problem) {
	var ctx fasthttp.RequestCtx
	ctx.Response.Header.Set(release.Header, g.Build())
	ctx.SetUserValue(idKey{}, s.plainID(r, w))
	s.fail(&ctx, p)
	s.nameFailure(&ctx)
	w.Status = p.Status
	w.Line, w.Fields, w.Body = cutResponse(&ctx.Response)
	if r.Head {
		w.Body = nil
	}
}

// refusePlain is the whole answer to what is no request.
func (s *Server) refusePlain(why error) []byte {
	var ctx fasthttp.RequestCtx
	s.engineError(&ctx, why)
	return rawResponse(&ctx.Response)
}

// send fills in an answer that is sent once or held, with which the room ends.
func (r *room) send(w *wire.Answer, req *wire.Request, a *answer, m *memory) {
	if a.large() {
		r.held, r.memory = a, m
	}
	head, shared := a.head, a.shared
	if head == nil {
		r.head = r.head[:0]
		shared = a.addHead(&r.head)
		head = r.head
	}
	fillPlain(w, req, a, head, shared)
	w.Done = r.done
}
