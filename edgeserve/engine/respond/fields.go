// This file prepares the fields that responses share, so that answering a request only copies them.

package respond

import (
	"bytes"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
)

// RequestFields are the fields of a request, by names of package httpfield.
type RequestFields interface {
	Peek(name string) []byte
	PeekAll(name string) [][]byte // valid until the next call
}

// Fields holds the fields that all responses of a class have, for each class. With a list of origins they
// include Vary: Origin, because a response names the origin of its request.
type Fields struct {
	classes   [release.Classes][]httpfield.Field
	preflight []httpfield.Field
	origins   map[string][]httpfield.Field // the fields for each origin; nil means that any origin may read responses
}

var contentType = httpfield.New(httpfield.ContentType, release.ContentType)

// NewFields prepares the fields of responses that web pages of the origins may read. release.AnyOrigin allows all.
func NewFields(policy release.Policy, origins []string) *Fields {
	f := &Fields{}
	vary := release.Vary
	var shared []httpfield.Field
	if len(origins) == 1 && origins[0] == release.AnyOrigin {
		shared = release.OriginFields(release.AnyOrigin)
	} else {
		vary += ", " + httpfield.Origin
		f.origins = map[string][]httpfield.Field{}
		for _, o := range origins {
			f.origins[o] = release.OriginFields(o)
		}
	}
	for class := range f.classes {
		f.classes[class] = append(policy.Fields(release.Class(class), vary), shared...)
	}
	f.preflight = append(policy.Fields(release.ClassError, release.PreflightVary(vary)), shared...)
	return f
}

// DependOnOrigin reports whether responses depend on the Origin of their request.
func (f *Fields) DependOnOrigin() bool { return f.origins != nil }

// Set sets the fields of all responses of a class.
func (f *Fields) Set(response httpfield.Header, class release.Class, request RequestFields) {
	f.set(response, f.classes[class], request)
}

func (f *Fields) set(response httpfield.Header, fields []httpfield.Field, request RequestFields) {
	contentType.Set(response)
	httpfield.Apply(response, fields)
	f.allowOrigin(response, request)
}

// allowOrigin lets web pages of allowed origins read the response. It allows no credentials: the interface has none.
func (f *Fields) allowOrigin(response httpfield.Header, request RequestFields) {
	if f.origins != nil {
		httpfield.Apply(response, f.origins[string(request.Peek(httpfield.Origin))])
	}
}

// SetPreflight sets the fields of a response to OPTIONS: the methods and, for web pages that may read
// responses, all header fields that they ask for.
func (f *Fields) SetPreflight(response httpfield.Header, allow string, request RequestFields) {
	f.set(response, f.preflight, request)
	httpfield.New(httpfield.Allow, allow).Set(response)
	if f.origins == nil || f.origins[string(request.Peek(httpfield.Origin))] != nil {
		httpfield.Apply(response, release.PreflightFields(allow, allowedHeaders(request.PeekAll(httpfield.RequestHeaders))))
	}
}

// allowedHeaders returns the Access-Control-Allow-Headers of a preflight: * and the valid names that the
// request lists. If the lists or the result are too long, it leaves out the names.
func allowedHeaders(asked [][]byte) string {
	allowed := []byte(release.AllowHeaders)
	list := bytes.Join(asked, []byte(","))
	if len(list) > release.MaxRequestHeaders {
		return release.AllowHeaders
	}
	for name := range bytes.SplitSeq(list, []byte(",")) {
		if name = httpfield.TrimSpace(name); httpfield.IsToken(name) {
			allowed = append(append(allowed, ", "...), name...)
		}
	}
	if len(allowed) > len(release.AllowHeaders)+len(", ")+release.MaxRequestHeaders {
		return release.AllowHeaders
	}
	return string(allowed)
}

// ContentFields holds the fields that all 200 responses of a class have, for each class, except X-Release: responses
// that a cache holds outlive a release.
type ContentFields struct {
	rest, elastic [release.Classes][]httpfield.Field
	media         map[string]mediaFields // by extension
}

// mediaFields are the fields of media with one extension.
type mediaFields struct {
	fields      []httpfield.Field
	contentType httpfield.Field
}

// ForContent returns the fields of responses that have content.
func (f *Fields) ForContent() *ContentFields {
	ranges := httpfield.New(httpfield.AcceptRanges, "bytes")
	r := &ContentFields{media: map[string]mediaFields{}}
	for class, shared := range f.classes {
		fields := slices.Clone(shared)
		if release.Class(class) != release.ClassSearch { // a response to POST has no ranges
			fields = append(fields, ranges)
		}
		r.rest[class] = fields
		r.elastic[class] = append(fields[:len(fields):len(fields)], elasticProduct)
	}
	for _, extension := range address.MediaExtensions() {
		name := "." + extension
		r.media[extension] = mediaFields{slices.Concat(r.rest[release.ClassMedia], release.MediaFields(name)), httpfield.New(httpfield.ContentType, address.MediaType(name))}
	}
	return r
}

// OfMedia returns the fields of a media file, and its content type.
func (r *ContentFields) OfMedia(name string) ([]httpfield.Field, *httpfield.Field) {
	m := r.media[name[strings.LastIndexByte(name, '.')+1:]]
	return m.fields, &m.contentType
}

// Of returns the fields of a class of responses, of Elasticsearch's endpoints or of others.
func (r *ContentFields) Of(class release.Class, elastic bool) []httpfield.Field {
	if elastic {
		return r.elastic[class]
	}
	return r.rest[class]
}

var elasticProduct = httpfield.New(httpfield.ElasticProduct, "Elasticsearch")
