// This file answers the three kinds of content requests: files first, the snapshot for
// what has no file. Both give the same bytes, as both are fragments in an envelope.

package edgeserve

import (
	"bytes"
	"net/netip"
	"strings"
	"time"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/encoding"
	"contentedge/edgeserve/envelope"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/release"
	"contentedge/edgeserve/search"
	"contentedge/edgeserve/snapshot"
)

// errWait is never sent: the request has to be answered where one may wait.
var errWait = newProblem(0, "", "")

// request is one content request, whoever has read it: what is asked for, and the release
// it is answered from. Its methods return the answer or the problem, to be sent by those
// who have the connection. A large answer is held for them.
type request struct {
	server *Server
	gen    *Generation
	reader *snapshot.Reader
	env    string

	client       netip.Addr // whose request it is
	target, body []byte     // as they were sent
	gzipped      bool       // body is, and has to be decoded
	accept       encoding.Accept

	// handOver is called before what takes long; such a request does not wait, but has since
	// a time. Nil: it may.
	handOver func()
	since    time.Time

	room  *room          // for the body of an answer that is sent once
	turn  *turn          // nil before the request has entered the gate of searches, which few have to
	work  *search.Budget // counts from then on
	cause error          // of a problem that is the server's own, for the log; nil: none
}

// content answers a request by its route and its query, which is not decoded.
func (r *request) content(route address.Route, query string) (*answer, *problem) {
	switch route.Kind {
	case address.Item:
		return r.item(route.ID)
	case address.Search:
		return r.search(query)
	case address.ListFile:
		return r.list(route.List, pathForm)
	}
	return r.contents(query)
}

// item answers one content item.
func (r *request) item(id string) (*answer, *problem) {
	name := address.ItemFile(r.env, id)
	f, again, p := r.file(name, name, release.ClassItem, nil)
	if p != nil {
		return nil, p
	}
	if a, p := r.kept(f); a != nil || p != nil {
		return a, p
	}
	doc, ok := r.reader.Lookup(id)
	if !ok {
		return nil, errItem
	}
	if !again && f.isUnfiled() {
		r.server.missed(r.gen, name)
	}
	b := built{class: release.ClassItem, filed: true}
	b.keep(f, again)
	fragment := r.reader.Fragment(doc)
	return r.build(b, envelope.ItemSize(len(fragment)), func(dst []byte) ([]byte, error) {
		return envelope.AppendItem(dst, fragment), nil
	})
}

// built describes a body that is built from the snapshot.
type built struct {
	class release.Class
	filed bool   // it may be a file, here or on another node
	kept  *file  // where its answer is kept; nil: nowhere
	link  []byte // value of the Link header, may be empty
}

// keep makes f the place for the answer, if it was known before: what is asked for once
// may never be asked for again.
func (b *built) keep(f *file, again bool) {
	if again && f.isUnfiled() {
		b.kept = f
	}
}

// build answers with a body of about size bytes that write appends to a buffer.
func (r *request) build(b built, size int, write func(dst []byte) ([]byte, error)) (*answer, *problem) {
	buffer, taken, ok := r.buffer(size)
	if !ok {
		return nil, errOverload
	}
	// Given back here unless the answer has it: a fault in the snapshot is a panic.
	defer func() { r.server.memory.resize(taken, 0) }()
	body, err := write(buffer)
	if err != nil {
		return nil, r.reject(r.problemOf(err))
	}
	own := taken
	taken = 0
	return r.finish(b, body, own)
}

// contents answers the query form of a list.
func (r *request) contents(rawQuery string) (*answer, *problem) {
	l, err := address.ParseList(rawQuery, r.gen.listDefaults())
	if err != nil {
		return nil, problemOf(err)
	}
	return r.list(l, queryForm)
}

// list answers a list in the form that it was asked for in.
func (r *request) list(l address.List, form form) (*answer, *problem) {
	links := func(total int) []byte { return form.links(l, total) }
	b := built{class: release.ClassList}
	name, key, family := "", "", r.gen.family(r.env, l)
	if family != nil {
		name, b.filed = l.File(r.env)
	}
	if b.filed {
		key = form.key(name)
	} else {
		key = form.unfiledKey(r.env, l)
	}
	var f *file
	var again bool
	look := b.filed && !r.gen.bare
	if look {
		var p *problem
		if f, again, p = r.file(key, name, release.ClassList, links); p != nil {
			return nil, p
		}
		if !again && f.isUnfiled() && promises(family, l) {
			r.server.missed(r.gen, name)
		}
	} else {
		f = r.gen.files.get(key)
	}
	if a, p := r.kept(f); a != nil || p != nil {
		return a, p
	}
	if p := r.enter(); p != nil {
		return nil, p
	}
	defer r.turn.end()
	if !look {
		f, again = r.gen.files.unfiled([]byte(key), release.ClassList) // it is asked for once it has its turn
	}
	b.keep(f, again)
	return r.evaluate(b, kindList, search.FromList(l), links)
}

// file returns what is known of a file of the release, and whether that was known before.
// A file that cannot be read counts as absent, once the operator knows. A request that does
// not wait is not to look for one.
func (r *request) file(key, name string, class release.Class, links func(total int) []byte) (f *file, again bool, p *problem) {
	if r.handOver != nil && !r.gen.bare {
		f := r.gen.files.get(key)
		if f == nil || !f.isUnfiled() && f.inMemory(&r.accept) == nil {
			return nil, false, errWait
		}
	}
	f, again, err := r.gen.file(key, name, class, links)
	if err != nil {
		r.server.unreadable(r.gen, err)
	}
	return f, again, nil
}

// kept returns the answer of a file or of what is kept in its place, if there is either,
// or why it cannot be sent. The next request for the same target finds it without being
// read.
func (r *request) kept(f *file) (*answer, *problem) {
	if f == nil {
		return nil, nil
	}
	a, p := r.server.ready(r.gen, f, &r.accept)
	if a != nil {
		r.remember(f)
	}
	return a, p
}

func (r *request) remember(f *file) {
	if f.class != release.ClassSearch {
		r.gen.files.alias(r.target, f)
	}
}

// ready returns the answer of a file, if it is there, or of what is kept in its place, or
// why it cannot be sent.
func (s *Server) ready(g *Generation, f *file, accept *encoding.Accept) (*answer, *problem) {
	a, err := g.answer(f, accept)
	if err == errMemory {
		return nil, errOverload
	}
	if err != nil && err != errUnbuilt {
		s.unreadable(g, err)
	}
	return a, nil
}

// unreadable tells the operator, once for a release, of a file that is there and of no
// use.
func (s *Server) unreadable(g *Generation, err error) {
	s.telemetry.unreadable.Inc()
	g.unreadable.Do(func() {
		s.log.Error("a file of the release is unreadable; another form of it or its snapshot answers instead", "error", err)
	})
}

// search answers a search body with its query parameters.
func (r *request) search(rawQuery string) (*answer, *problem) {
	if r.gzipped {
		if p := r.enter(); p != nil {
			return nil, p
		}
		defer r.turn.end()
		if p := r.decode(); p != nil {
			return nil, r.reject(p)
		}
	}
	var room [maxUnfiled]byte
	key, keyed := appendSearch(room[:0], r.target, r.body)
	if keyed {
		if a, p := r.kept(r.gen.files.getTarget(key)); a != nil || p != nil {
			return a, p
		}
	}
	if r.turn == nil { // a coded body is behind the gate already
		if p := r.enter(); p != nil {
			return nil, p
		}
		defer r.turn.end()
	}
	if len(r.body) >= longBody {
		if r.turn.needSlot() != nil {
			return nil, r.reject(errOverload)
		}
	}
	body, err := r.searchBody(rawQuery)
	if err != nil {
		return nil, r.reject(r.problemOf(err))
	}
	b := built{class: release.ClassSearch}
	if keyed {
		b.keep(r.gen.files.unfiled(key, release.ClassSearch))
	}
	return r.evaluate(b, kindOf(body.Query), body, nil)
}

// decode puts the body that was sent in gzip in its place. That is done behind the gate: it
// may be a thousand times as long as what was sent, up to the limit.
func (r *request) decode() *problem {
	if len(r.body) == 0 {
		return nil
	}
	body, err := encoding.Gunzip(r.body, r.server.cfg.BodyLimit)
	switch {
	case err == encoding.ErrTooLong:
		return errBodySize
	case err != nil:
		return errGzip
	}
	r.body = body
	return nil
}

// longBody is a search body that takes long to read.
const longBody = 16 << 10

// What reading a body costs, in steps of its Budget: of each byte, and of each value, of
// which a list has as many as it has commas.
const (
	byteSteps  = 1
	valueSteps = 24
)

// searchBody reads the two places a search may be written in.
func (r *request) searchBody(rawQuery string) (*query.Body, error) {
	values := bytes.Count(r.body, []byte{','}) + strings.Count(rawQuery, ",")
	if err := r.work.Spend(byteSteps*(len(r.body)+len(rawQuery)) + valueSteps*values); err != nil {
		return nil, err
	}
	if rawQuery == "" {
		return query.Parse(r.body)
	}
	body, err := query.ParsePart(r.body)
	if err != nil {
		return nil, err
	}
	params, err := parseSearchParams(rawQuery)
	if err != nil {
		return nil, err
	}
	params.Defaults = r.gen.listDefaults()
	return search.WithParams(body, params)
}

// problemOf is the function of that name; a search that has no slot in time is not to blame.
func (r *request) problemOf(err error) *problem {
	if err == search.ErrTimeout && r.turn != nil && r.turn.shed {
		return errOverload
	}
	return problemOf(err)
}

// reject counts a search that is not answered.
func (r *request) reject(p *problem) *problem {
	r.server.telemetry.rejected.Inc(p.Code)
	return p
}

// enter waits until the request may be evaluated; if its turn does not come in time, that
// is the problem. A body is read behind the gate: what is read takes many times the memory.
func (r *request) enter() *problem {
	if r.handOver != nil {
		var late bool
		if r.turn, late = r.server.searches.tryEnter(r.client, r.since); late {
			return r.reject(errOverload)
		}
		if r.turn == nil {
			return errWait
		}
		r.turn.pace.handOver = r.handOver
		r.work = search.NewBudget(r.turn)
		return nil
	}
	if r.turn = r.server.searches.enter(r.client); r.turn == nil {
		return r.reject(errOverload)
	}
	r.work = search.NewBudget(r.turn)
	return nil
}

// leave hands over what waits for the request, before work that takes long at one go.
func (r *request) leave() {
	switch {
	case r.turn != nil:
		r.turn.pace.leave()
	case r.handOver != nil:
		r.handOver()
	}
}

// evaluate answers what the snapshot has to be searched for, with links if it is a list.
func (r *request) evaluate(b built, kind string, body *query.Body, links func(total int) []byte) (*answer, *problem) {
	r.server.telemetry.searches.Inc(kind)
	result, err := r.work.Eval(r.reader, body)
	if err != nil {
		p := r.problemOf(err)
		if p == errInternal || p == errUnreadable {
			r.cause = err
		}
		return nil, r.reject(p)
	}
	if links != nil {
		b.link = links(result.Total)
	}
	if result.Timed {
		b.kept = nil
	}
	size := hitBytes(r.reader, result.Docs) + len(result.Aggregations)
	return r.build(b, envelope.ListSize(len(result.Docs), size, result.Total), func(dst []byte) ([]byte, error) {
		dst, err := r.appendHits(envelope.AppendListOpen(dst), result.Docs, body.Source)
		if err != nil {
			return nil, err
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

const (
	// maxRun is how many fragments are copied at one go.
	maxRun = 64
	// hitSteps and copiedPerStep are what copying a hit costs, by its bytes too.
	hitSteps      = 4
	copiedPerStep = 64
	// codedPerStep is how many bytes are compressed in a step.
	codedPerStep = 2
)

// appendHits copies the hits' fragments. Runs of neighbours, as a list in the default
// order has them, are one copy each.
func (r *request) appendHits(dst []byte, docs []snapshot.DocID, source *query.Source) ([]byte, error) {
	if source != nil {
		return r.appendFiltered(dst, docs, source)
	}
	for i := 0; i < len(docs); {
		n := 1
		for n < maxRun && i+n < len(docs) && docs[i+n] == docs[i]+snapshot.DocID(n) {
			n++
		}
		run := r.reader.Fragments(docs[i], docs[i]+snapshot.DocID(n))
		if err := r.work.Spend(hitSteps*n + len(run)/copiedPerStep); err != nil {
			return dst, err
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, run...)
		i += n
	}
	return dst, nil
}

// appendFiltered is appendHits for a body that asks for some members only.
func (r *request) appendFiltered(dst []byte, docs []snapshot.DocID, source *query.Source) ([]byte, error) {
	filter := envelope.NoSource()
	if !source.None {
		filter = envelope.NewSourceFilter(source.Includes, source.Excludes)
	}
	for i, doc := range docs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = filter.Append(dst, r.reader.Fragment(doc))
		if err := r.work.Spend(hitSteps + filter.Work()); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// affords spends what compressing so many bytes costs, if the request has so much left. A
// response that is too long for that is sent as it is.
func (r *request) affords(size int) bool {
	steps := size / codedPerStep
	return r.work.Affords(steps) && r.work.Spend(steps) == nil
}
