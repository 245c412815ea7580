// This file answers requests, within the limits of a node.

package offline

import (
	"errors"
	"fmt"

	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
)

// Request is a request. Only searches read its body.
type Request struct {
	Method, Target []byte // the target is a path with an optional query, as clients send them
	Fields         Fields
	Body           []byte
	// Round is how often files of items were brought for this request, or answer.Failed if some could not be had.
	Round int
}

// headLength is the length of the request line and the fields, as HTTP/1.1 sends them.
func (r *Request) headLength() int {
	n := len(r.Method) + len(" ") + len(r.Target) + len(" HTTP/1.1\r\n\r\n")
	for i := range r.Fields {
		n += len(r.Fields[i].Name) + len(": ") + len(r.Fields[i].Value) + len("\r\n")
	}
	return n
}

// Respond answers a request. If it returns files, it lacks them for a response: the caller brings the files and asks
// again. A problem for which the program or the release is to blame is a response too; cause says more.
func (r *Release) Respond(request *Request) (response respond.Response, files []File, cause error) {
	head := request.head()
	defer func() {
		if fault := recover(); fault != nil { // as a node, which answers the next request
			response, files, cause = r.Refuse(request), nil, fmt.Errorf("panic: %v", fault)
		}
	}()
	switch {
	case request.headLength() > address.DefaultHeadLimit:
		return r.site.Refuse(head, problem.Of(problem.HeadTooLarge)), nil, nil
	case len(request.Body) > MaxBody:
		return r.site.Refuse(head, problem.Of(problem.BodyTooLarge)), nil, nil
	}
	clear(r.waiting)
	r.lacking = nil
	response = r.site.Respond(head, func(route address.Route, query string) (result respond.Result, p *problem.Problem) {
		result, p, cause = r.find(route, query, request)
		return result, p
	})
	if files = r.needed(); len(files) > 0 {
		return respond.Response{}, files, nil
	}
	return response, nil, cause
}

// Refuse answers a request at which the program failed.
func (r *Release) Refuse(request *Request) respond.Response {
	return r.site.Refuse(request.head(), problem.Of(problem.Internal))
}

func (r *Request) head() respond.Request {
	return respond.Request{Method: r.Method, Target: r.Target, Fields: r.Fields}
}

// find finds the body of a response.
func (r *Release) find(route address.Route, query string, request *Request) (respond.Result, *problem.Problem, error) {
	gzipped, known := contentcoding.OfRequest(request.Fields.PeekAll(httpfield.ContentEncoding))
	takes := route.Kind.TakesBody()
	if takes && !known && (route.Env == "" || r.content.Environments[route.Env] != nil || route.Several()) {
		return respond.Result{}, problem.Of(problem.ContentEncoding), nil
	}
	if r.waitFor(route); len(r.waiting) > 0 {
		return respond.Result{}, nil, nil
	}
	body := request.Body
	if takes && gzipped && len(body) > 0 && (route.Kind.IsElastic() || r.content.Environments[route.Env] != nil) {
		var err error
		switch body, err = contentcoding.Gunzip(body, MaxBody); {
		case errors.Is(err, contentcoding.ErrTooLong):
			return respond.Result{}, problem.Of(problem.BodyTooLarge), nil
		case err != nil:
			return respond.Result{}, problem.Of(problem.BadGzip), nil
		}
	}
	found, lacking, p, err := r.content.RespondWith(route, query, body, request.Round)
	r.lacking = lacking
	return respond.Result{Body: found.Body, Class: found.Class, InFile: found.File != "", Link: found.Link}, p, err
}

// waitFor notes the environments that the path names and that are not loaded. Bodies may name others: their stand-ins
// record those.
func (r *Release) waitFor(route address.Route) {
	for _, env := range route.Indices() {
		if r.content.Environments[env] != nil && !r.isLoaded(env) {
			r.waiting[env] = true
		}
	}
}

// PutItem takes the file of an item that an answer lacked. It refuses a file of another release.
func (r *Release) PutItem(name string, body []byte) error { return r.content.PutItem(name, body) }

// needed are the snapshots that the last answer lacked, in the order of the manifest, or the files of items. The part
// of the manifest comes before the snapshot that it names.
func (r *Release) needed() (files []File) {
	for i := range r.content.Manifest.Environments {
		if env := &r.content.Manifest.Environments[i]; r.waiting[env.ID] {
			file := File{Name: env.Snapshot.File, Bytes: env.Snapshot.Bytes, Environment: env.ID}
			if part, incomplete := env.Missing(); incomplete {
				file.Name, file.Bytes = part.Name, part.Bytes
			}
			files = append(files, file)
		}
	}
	if len(files) > 0 {
		return files
	}
	for _, name := range r.lacking {
		files = append(files, File{Name: name})
	}
	return files
}

// Fields are the fields of a request. Their names are in lower case, as the Fetch API has them.
type Fields []Field

// Field is a field of a request.
type Field struct{ Name, Value []byte }

// Peek implements respond.RequestFields.
func (f Fields) Peek(name string) []byte {
	for i := range f {
		if httpfield.FoldEqual(f[i].Name, name) {
			return f[i].Value
		}
	}
	return nil
}

// PeekAll implements respond.RequestFields.
func (f Fields) PeekAll(name string) (values [][]byte) {
	for i := range f {
		if httpfield.FoldEqual(f[i].Name, name) {
			values = append(values, f[i].Value)
		}
	}
	return values
}

// MaxBody is the longest body of a request, in bytes. A caller hands over no more than one byte beyond it.
const MaxBody = address.DefaultBodyLimit
