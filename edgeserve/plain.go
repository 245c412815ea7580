// This file answers plain requests for package wire, before the engine sees them. It must
// say what Server.answer says to the same request.

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
	deciding := []string{"range", "if-range", "if-match", "x-release", "content-encoding"}
	if s.headers.origins != nil {
		deciding = append(deciding, "origin")
	}
	if s.hosts != nil {
		deciding = append(deciding, "host")
	}
	return wire.Listen(ln, wire.Config{
		Head: s.cfg.HeaderTimeout, Body: s.cfg.ReadTimeout, Write: s.cfg.WriteTimeout, Idle: s.cfg.IdleTimeout,
		HeadLimit: s.cfg.HeadLimit, MaxBody: s.cfg.BodyLimit,
		Deciding: deciding, Find: s.plain, Make: s.makePlain, Making: &s.telemetry.requests.Waiting, Refuse: s.refusePlain, Sent: s.sentPlain, Log: s.log,
	})
}

// plain finds an answer that is in memory. It needs no reference to the generation, as
// prepared answers do not lie in mapped memory.
func (s *Server) plain(r *wire.Request) (w wire.Answer, ok bool) {
	g := s.current.Load()
	if g == nil || s.contentError.Load() != nil {
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
	if a == nil || a.large() {
		return w, false
	}
	w.Route = uint8(routeOfClass(f.class))
	fillPlain(&w, r, a, a.head, a.shared)
	return w, true
}

// fillPlain fills in an answer with a head, which from shared on is what a 304 repeats.
func fillPlain(w *wire.Answer, r *wire.Request, a *answer, head []byte, shared int) {
	if r.IfNoneMatch != nil && matchesTag(r.IfNoneMatch, a.etag) {
		w.Status, w.Line, w.Fields = fasthttp.StatusNotModified, notModifiedLine, head[shared:]
		return
	}
	w.Status, w.Line, w.Fields = fasthttp.StatusOK, okLine, head[len(okLine):]
	if a.coding != encoding.Identity {
		w.Coding = a.coding.String()
	}
	if !r.Head {
		w.Body, w.Memfile = a.body, a.memfile
	}
}

// sentPlain observes a plain answer as finished does those of the engine.
func (s *Server) sentPlain(r *wire.Request, w *wire.Answer, took time.Duration) {
	s.telemetry.requests.Began()
	a := answered{route: metrics.Route(w.Route), status: w.Status, bytes: len(w.Body), took: took}
	if s.cfg.AccessLog != nil {
		a.id, a.method, a.target, a.coding = s.plainID(r, w), methodOf(r), r.Target, []byte(w.Coding)
	}
	s.observe(a)
}

// plainID is requestID for an answer of package wire.
func (s *Server) plainID(r *wire.Request, w *wire.Answer) string {
	if w.ID == "" {
		w.ID = s.nameOf(r.ID)
	}
	return w.ID
}

func methodOf(r *wire.Request) []byte {
	switch {
	case r.Head:
		return []byte(fasthttp.MethodHead)
	case r.Post:
		return []byte(fasthttp.MethodPost)
	}
	return []byte(fasthttp.MethodGet)
}

// inMemory is the answer that Generation.answer returns, not held; nil if it has to be read
// or built first.
func (f *file) inMemory(accept *encoding.Accept) *answer {
	for available := allCodings; ; {
		coding := accept.Choose(available)
		switch a := f.answers[coding].Load(); {
		case a == nil:
			return nil
		case a != absent:
			return a
		}
		available = available.Without(coding)
	}
}
