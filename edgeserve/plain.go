// This file answers, for package wire, the requests that need nothing but a prepared
// answer. It must say what Server.answer says to the same request.

package edgeserve

import (
	"net"
	"time"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/encoding"
	"contentedge/edgeserve/metrics"
	"contentedge/edgeserve/wire"
)

// wireListener makes the connections of a listener answer plain requests themselves.
func (s *Server) wireListener(ln net.Listener) (*wire.Listener, error) {
	deciding := []string{"range", "if-range", "x-release", "content-encoding"}
	if s.headers.origins != nil {
		deciding = append(deciding, "origin")
	}
	if s.cfg.AccessLog != nil {
		deciding = append(deciding, "x-request-id") // a name that the log has to take over
	}
	return wire.Listen(ln, wire.Config{
		Head: s.cfg.HeaderTimeout, Body: s.cfg.ReadTimeout, Write: s.cfg.WriteTimeout, Idle: s.cfg.IdleTimeout,
		HeadLimit: s.cfg.HeadLimit, MaxBody: s.cfg.BodyLimit,
		Deciding: deciding, Find: s.plain, Sent: s.sentPlain, Log: s.log,
	})
}

// plain finds an answer that is in memory. It needs no reference to the generation, as
// prepared answers do not lie in mapped memory.
func (s *Server) plain(r *wire.Request) (w wire.Answer, ok bool) {
	g := s.current.Load()
	if g == nil {
		return w, false
	}
	var f *file
	if r.Post {
		f = g.files.getSearch(r.Target, r.Body)
	} else {
		f = g.files.getTarget(r.Target)
	}
	if f == nil {
		return w, false
	}
	var accept encoding.Accept
	accept.Read(r.AcceptEncoding)
	a := f.inMemory(&accept)
	if a == nil {
		return w, false
	}
	w.Route = uint8(routeOfClass(f.class))
	if r.IfNoneMatch != nil && matchesTag(r.IfNoneMatch, a.etag) {
		w.Status, w.Line, w.Fields = fasthttp.StatusNotModified, notModifiedLine, a.head[a.shared:]
		return w, true
	}
	w.Status, w.Line, w.Fields = fasthttp.StatusOK, okLine, a.head[len(okLine):]
	if a.coding != encoding.Identity {
		w.Coding = a.coding.String()
	}
	if !r.Head {
		w.Body, w.Memfile = a.body, a.memfile
	}
	return w, true
}

// sentPlain observes a plain answer as finished does those of the engine.
func (s *Server) sentPlain(r *wire.Request, w *wire.Answer, began time.Time) {
	s.telemetry.requests.Began()
	a := answered{route: metrics.Route(w.Route), status: w.Status, bytes: len(w.Body), took: time.Since(began)}
	if s.cfg.AccessLog != nil {
		a.id, a.target, a.coding = s.ids.New(), r.Target, []byte(w.Coding)
		switch {
		case r.Head:
			a.method = []byte(fasthttp.MethodHead)
		case r.Post:
			a.method = []byte(fasthttp.MethodPost)
		default:
			a.method = []byte(fasthttp.MethodGet)
		}
	}
	s.observe(a)
}

// inMemory is the answer that Generation.answer returns; nil if it has to be read first,
// or is so large that those who hold it are counted.
func (f *file) inMemory(accept *encoding.Accept) *answer {
	for available := allCodings; ; {
		coding := accept.Choose(available)
		switch a := f.answers[coding].Load(); {
		case a == nil || a.large():
			return nil
		case a != absent:
			return a
		}
		available = available.Without(coding)
	}
}
