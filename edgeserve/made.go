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
	if cap(r.body) >= 2*heldFrom {
		r.body = nil // it has outgrown a room
	}
	rooms.Put(r)
}

// makePlain makes an answer, or finds a large one. It leaves to the engine what it would
// have to wait for, and what is no request for content.
func (s *Server) makePlain(r *wire.Request, since time.Time, handOver func()) (w wire.Answer, ok bool) {
	if s.contentError.Load() != nil {
		return w, false
	}
	g := s.acquire()
	if g == nil {
		return w, false
	}
	defer g.Release()
	if !engineTakes(r.Target) {
		return w, false
	}
	path, query := splitTarget(string(r.Target))
	route, known := address.ParsePath(path)
	reader := g.readers[route.Env]
	if !known || reader == nil || r.Post != (route.Kind == address.Search) {
		return w, false
	}
	c := request{
		server: s, gen: g, reader: reader, env: route.Env, client: clientOf(r.From), room: newRoom(),
		target: r.Target, body: r.Body, since: since, handOver: handOver,
	}
	c.accept.Read(r.AcceptEncoding)
	debug.SetPanicOnFault(true) // see guarded
	a, p := c.content(route, query)
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

// refusePlain is the whole answer to a request that could not be read, or that panicked. To
// one that was answered there is none.
func (s *Server) refusePlain(why error) []byte {
	var ctx fasthttp.RequestCtx
	if fault, ok := why.(*wire.Panic); ok {
		if fault.Request == nil {
			s.panicked(fault.Cause, s.ids.New(), nil, nil)
			return nil
		}
		id := s.nameOf(fault.Request.ID)
		ctx.SetUserValue(idKey{}, id)
		s.refuse(&ctx, s.panicked(fault.Cause, id, methodOf(fault.Request), fault.Request.Target))
		s.unread(&ctx)
	} else {
		s.engineError(&ctx, why)
	}
	return rawResponse(&ctx.Response)
}

// engineTakes reports whether a target has none of the bytes that the engine and checkHead
// refuse.
func engineTakes(target []byte) bool {
	for _, c := range target {
		if c < ' ' || c == 0x7f || c == '#' {
			return false
		}
	}
	return true
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
