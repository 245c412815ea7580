// This file answers, for package wire, the requests that need nothing but a prepared
// answer. It must say what Server.answer says to the same request.

package edgeserve

import (
	"net"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/encoding"
	"contentedge/edgeserve/wire"
)

// wireListener makes the connections of a listener answer plain requests themselves.
func (s *Server) wireListener(ln net.Listener) *wire.Listener {
	deciding := []string{"range", "if-range", "x-release"}
	if s.headers.origins != nil {
		deciding = append(deciding, "origin")
	}
	return wire.Listen(ln, wire.Config{
		Head: s.cfg.HeaderTimeout, Write: s.cfg.WriteTimeout, Idle: s.cfg.IdleTimeout,
		Deciding: deciding, Find: s.plain, Log: s.log,
	})
}

// plain finds an answer that is in memory. It needs no reference to the generation, as
// prepared answers do not lie in mapped memory.
func (s *Server) plain(r *wire.Request) (w wire.Answer, ok bool) {
	g := s.current.Load()
	if g == nil {
		return w, false
	}
	f := g.files.getTarget(r.Target)
	if f == nil {
		return w, false
	}
	var accept encoding.Accept
	accept.Read(r.AcceptEncoding)
	a := f.inMemory(&accept)
	switch {
	case a == nil:
		return w, false
	case r.IfNoneMatch != nil && matchesTag(r.IfNoneMatch, a.etag):
		return wire.Answer{Status: fasthttp.StatusNotModified, Line: notModifiedLine, Fields: a.head[a.shared:]}, true
	}
	w = wire.Answer{Status: fasthttp.StatusOK, Line: okLine, Fields: a.head[len(okLine):], Body: a.body}
	if r.Head {
		w.Body = nil
	}
	return w, true
}

// inMemory is the answer that Generation.answer returns; nil if it has to be read first,
// or is so large that those who hold it are counted.
func (f *file) inMemory(accept *encoding.Accept) *answer {
	for available := allCodings; ; {
		coding := accept.Choose(available)
		switch a := f.answers[coding].Load(); {
		case a == nil || a == absent && coding == encoding.Identity || a.large():
			return nil
		case a != absent:
			return a
		}
		available = available.Without(coding)
	}
}
