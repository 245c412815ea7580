// This file answers the three kinds of content requests: files first, the snapshot for
// what has no file. Both give the same bytes, as both are fragments in an envelope.

package edgeserve

import (
	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/envelope"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/release"
	"contentedge/edgeserve/search"
	"contentedge/edgeserve/snapshot"
)

// request is one content request: whose it is, and the release it is answered from.
type request struct {
	server *Server
	ctx    *fasthttp.RequestCtx
	gen    *Generation
	reader *snapshot.Reader
	env    string
	turn   *turn // nil before the request has entered the gate of searches, which few have to
}

// item answers one content item.
func (r *request) item(id string) {
	name := address.ItemFile(r.env, id)
	f, again, answered := r.file(name, name, release.ClassItem, nil)
	if answered {
		return
	}
	doc, ok := r.reader.Lookup(id)
	if !ok {
		r.server.fail(r.ctx, errItem)
		return
	}
	if !again && f.isUnfiled() {
		r.server.missed(r.gen, name)
	}
	b := built{class: release.ClassItem, filed: true}
	b.keep(f, again)
	fragment := r.reader.Fragment(doc)
	r.build(b, envelope.ItemSize(len(fragment)), func(dst []byte) ([]byte, error) {
		return envelope.AppendItem(dst, fragment), nil
	})
}

// built describes a body that is built from the snapshot.
type built struct {
	class release.Class
	filed bool   // it may be a file, here or on another node
	kept  *file  // where its answer is kept; nil: nowhere
	link  string // value of the Link header, may be empty
}

// keep makes f the place for the answer, if it was known before: what is asked for once
// may never be asked for again.
func (b *built) keep(f *file, again bool) {
	if again && f.isUnfiled() {
		b.kept = f
	}
}

// build answers with a body of about size bytes that write appends to a buffer.
func (r *request) build(b built, size int, write func(dst []byte) ([]byte, error)) {
	buffer, taken, ok := r.server.buildBuffer(r.ctx, size)
	if !ok {
		r.server.fail(r.ctx, errOverload)
		return
	}
	// Given back here unless the answer has it: a fault in the snapshot is a panic.
	defer func() { r.server.memory.resize(taken, 0) }()
	body, err := write(buffer)
	if err != nil {
		r.server.fail(r.ctx, problemOf(err))
		return
	}
	own := taken
	taken = 0
	r.sendBuilt(b, body, own)
}

// contents answers the query form of a list.
func (r *request) contents(rawQuery string) {
	l, err := address.ParseList(rawQuery, r.gen.listDefaults())
	if err != nil {
		r.server.fail(r.ctx, problemOf(err))
		return
	}
	r.list(l, queryForm)
}

// list answers a list in the form that it was asked for in.
func (r *request) list(l address.List, form form) {
	links := func(total int) string { return form.links(l, total) }
	b := built{class: release.ClassList}
	var f *file
	var again, answered bool
	name, family := "", r.gen.family(r.env, l)
	if family != nil {
		name, b.filed = l.File(r.env)
	}
	if b.filed {
		f, again, answered = r.file(form.key(name), name, release.ClassList, links)
		if !again && f.isUnfiled() && promises(family, l) {
			r.server.missed(r.gen, name)
		}
	} else {
		f, again = r.gen.files.unfiled(form.key(r.env+"?"+l.Canonical()), release.ClassList)
		answered = r.answer(f)
	}
	if answered {
		return
	}
	b.keep(f, again)
	if r.enter() {
		defer r.turn.end()
		r.evaluate(b, kindList, search.FromList(l), links)
	}
}

// file answers with a file of the release or with what is kept in its place, if there is
// either. If not, it returns what is known of the file, and whether that was known before.
// A file that cannot be read counts as absent, once the operator knows.
func (r *request) file(key, name string, class release.Class, links func(total int) string) (f *file, again, answered bool) {
	f, again, err := r.gen.file(key, name, class, links)
	if err != nil {
		r.server.unreadable(r.gen, err)
		return nil, false, false
	}
	return f, again, r.answer(f)
}

// answer answers with a file or with what is kept in its place, if there is either. The
// next request for the same target finds it without being read.
func (r *request) answer(f *file) bool {
	if f == nil || !r.server.sendFile(r.ctx, r.gen, f) {
		return false
	}
	r.remember(f)
	return true
}

func (r *request) remember(f *file) {
	if f.class != release.ClassSearch {
		r.gen.files.alias(r.ctx.Request.Header.RequestURI(), f)
	}
}

// sendFile answers with a file, if it is there, or with what is kept in its place.
func (s *Server) sendFile(ctx *fasthttp.RequestCtx, g *Generation, f *file) bool {
	accept := accepted(ctx)
	a, err := g.answer(f, &accept)
	if err == errMemory {
		s.fail(ctx, errOverload)
		return true
	}
	if err != nil && err != errUnbuilt {
		s.unreadable(g, err)
	}
	if a == nil {
		return false
	}
	s.send(ctx, a)
	return true
}

// unreadable tells the operator, once for a release, of a file that is there and of no
// use.
func (s *Server) unreadable(g *Generation, err error) {
	s.telemetry.unreadable.Inc()
	g.missing.Do(func() {
		s.log.Error("a file of the release is unreadable; another form of it or its snapshot answers instead", "error", err)
	})
}

// search answers a search body with its query parameters.
func (r *request) search(rawQuery string) {
	if len(r.ctx.Request.Header.Peek("Content-Encoding")) > 0 {
		r.server.fail(r.ctx, errBodyCoding)
		r.ctx.Response.Header.Set("Accept-Encoding", "identity")
		return
	}
	b, target, raw := built{class: release.ClassSearch}, r.ctx.Request.Header.RequestURI(), r.ctx.Request.Body()
	if r.answer(r.gen.files.getSearch(target, raw)) {
		return
	}
	if !r.enter() {
		return
	}
	defer r.turn.end()
	body, err := searchBody(raw, rawQuery, r.gen.listDefaults())
	if err != nil {
		r.reject(problemOf(err))
		return
	}
	b.keep(r.gen.files.unfiledSearch(target, raw))
	r.evaluate(b, kindOf(body.Query), body, nil)
}

// searchBody reads the two places a search may be written in.
func searchBody(raw []byte, rawQuery string, d address.Defaults) (*query.Body, error) {
	body, err := query.Parse(raw)
	if err != nil || rawQuery == "" {
		return body, err
	}
	params, err := parseSearchParams(rawQuery)
	if err != nil {
		return nil, err
	}
	params.Defaults = d
	return search.WithParams(body, params)
}

// reject answers a search with a problem.
func (r *request) reject(p *problem) {
	r.server.telemetry.rejected.Inc(p.Code)
	r.server.fail(r.ctx, p)
}

// enter waits until the request may be evaluated. If its turn does not come in time, it is
// answered 503. A body is read behind the gate: what is read takes many times the memory.
func (r *request) enter() bool {
	r.turn = r.server.searches.enter()
	if r.turn == nil {
		r.reject(errOverload)
	}
	return r.turn != nil
}

// evaluate answers what the snapshot has to be searched for, with links if it is a list.
func (r *request) evaluate(b built, kind string, body *query.Body, links func(total int) string) {
	r.server.telemetry.searches.Inc(kind)
	result, err := search.Eval(r.turn, r.reader, body)
	if err != nil {
		p := problemOf(err)
		if p == errInternal || p == errUnreadable {
			r.server.log.Error("search failed", "request_id", r.server.requestID(r.ctx), "environment", r.env, "error", err)
		}
		r.reject(p)
		return
	}
	if links != nil {
		b.link = links(result.Total)
	}
	if result.Timed {
		b.kept = nil
	}
	size := hitBytes(r.reader, result.Docs) + len(result.Aggregations)
	r.build(b, envelope.ListSize(len(result.Docs), size, result.Total), func(dst []byte) ([]byte, error) {
		dst, err := appendHits(r.turn, envelope.AppendListOpen(dst), r.reader, result.Docs, body.Source)
		if err != nil {
			r.server.telemetry.rejected.Inc(search.ErrTimeout.Code)
			return nil, search.ErrTimeout
		}
		return envelope.AppendListClose(dst, result.Total, result.Aggregations), nil
	})
}

// hitBytes is the length of the hits' fragments.
func hitBytes(reader *snapshot.Reader, docs []snapshot.DocID) (n int) {
	for _, doc := range docs {
		n += len(reader.Fragment(doc))
	}
	return n
}

// maxRun is how many fragments are copied between two looks at the time.
const maxRun = 64

// appendHits copies the hits' fragments. Runs of neighbours, as a list in the default
// order has them, are one copy each.
func appendHits(limit *turn, dst []byte, reader *snapshot.Reader, docs []snapshot.DocID, source *query.Source) ([]byte, error) {
	if source != nil {
		return appendFiltered(limit, dst, reader, docs, source)
	}
	for i := 0; i < len(docs); {
		if err := limit.Err(); err != nil {
			return dst, err
		}
		n := 1
		for n < maxRun && i+n < len(docs) && docs[i+n] == docs[i]+snapshot.DocID(n) {
			n++
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, reader.Fragments(docs[i], docs[i]+snapshot.DocID(n))...)
		i += n
	}
	return dst, nil
}

// appendFiltered is appendHits for a body that asks for some members only.
func appendFiltered(limit *turn, dst []byte, reader *snapshot.Reader, docs []snapshot.DocID, source *query.Source) ([]byte, error) {
	filter := envelope.NoSource()
	if !source.None {
		filter = envelope.NewSourceFilter(source.Includes, source.Excludes)
	}
	for i, doc := range docs {
		if err := limit.Err(); err != nil {
			return dst, err
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = filter.Append(dst, reader.Fragment(doc))
	}
	return dst, nil
}
