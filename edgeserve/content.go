// This file answers the three kinds of content requests: files first, the snapshot for
// what has no file. Both give the same bytes, as both are fragments in an envelope.

package edgeserve

import (
	"context"

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
}

// item answers one content item.
func (r *request) item(id string) {
	if r.file(release.ClassItem, address.ItemFile(r.env, id)) {
		return
	}
	doc, ok := r.reader.Lookup(id)
	if !ok {
		fail(r.ctx, errItem)
		return
	}
	r.gen.missing.Do(func() {
		r.server.log.Warn("a file of the release is missing; its snapshot answers instead", "environment", r.env, "item", id)
	})
	body := envelope.AppendItem(bodyBuffer(r.ctx), r.reader.Fragment(doc))
	sendBuilt(r.ctx, release.ClassItem, body)
}

// contents answers the query form of a list.
func (r *request) contents(rawQuery string) {
	l, err := address.ParseList(rawQuery, r.gen.listDefaults())
	if err != nil {
		fail(r.ctx, problemOf(err))
		return
	}
	r.list(l)
}

// list answers a list, whichever form it was asked for in.
func (r *request) list(l address.List) {
	if name, ok := l.File(r.env); ok && r.file(release.ClassList, name) {
		return
	}
	r.evaluate(release.ClassList, search.FromList(l))
}

// file answers with a file of the release, if it is there. A file that cannot be read
// counts as absent, once the operator knows.
func (r *request) file(class release.Class, name string) bool {
	p, err := r.gen.file(name)
	if err != nil {
		r.gen.missing.Do(func() {
			r.server.log.Error("a file of the release is unreadable; its snapshot answers instead", "error", err)
		})
	}
	if p == nil {
		return false
	}
	sendPage(r.ctx, class, p)
	return true
}

// search answers a search body with its query parameters.
func (r *request) search(rawQuery string) {
	if len(r.ctx.Request.Header.Peek("Content-Encoding")) > 0 {
		fail(r.ctx, errBodyCoding)
		r.ctx.Response.Header.Set("Accept-Encoding", "identity")
		return
	}
	body, err := searchBody(r.ctx.Request.Body(), rawQuery, r.gen.listDefaults())
	if err != nil {
		fail(r.ctx, problemOf(err))
		return
	}
	r.evaluate(release.ClassSearch, body)
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

// evaluate answers what the snapshot has to be searched for.
func (r *request) evaluate(class release.Class, body *query.Body) {
	limit, cancel := context.WithTimeout(context.Background(), r.server.cfg.SearchTimeout)
	defer cancel()
	if !r.server.searches.enter(limit) {
		fail(r.ctx, errOverload)
		return
	}
	defer r.server.searches.leave()
	result, err := search.Eval(limit, r.reader, body)
	if err != nil {
		p := problemOf(err)
		if p == errInternal || p == errUnreadable {
			r.server.log.Error("search failed", "environment", r.env, "error", err)
		}
		fail(r.ctx, p)
		return
	}
	out := envelope.AppendListOpen(bodyBuffer(r.ctx))
	if out, err = appendHits(limit, out, r.reader, result.Docs, body.Source); err != nil {
		fail(r.ctx, problemOf(search.ErrTimeout))
		return
	}
	sendBuilt(r.ctx, class, envelope.AppendListClose(out, result.Total, result.Aggregations))
}

// appendHits copies the hits' fragments. Runs of neighbours, as a list in the default
// order has them, are one copy each.
func appendHits(limit context.Context, dst []byte, reader *snapshot.Reader, docs []snapshot.DocID, source *query.Source) ([]byte, error) {
	if source != nil {
		return appendFiltered(limit, dst, reader, docs, source)
	}
	for i := 0; i < len(docs); {
		n := 1
		for i+n < len(docs) && docs[i+n] == docs[i]+snapshot.DocID(n) {
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
func appendFiltered(limit context.Context, dst []byte, reader *snapshot.Reader, docs []snapshot.DocID, source *query.Source) ([]byte, error) {
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
