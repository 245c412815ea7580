// This file prepares the header fields that answers share, so that a request only
// copies them.

package edgeserve

import (
	"bytes"
	"strings"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/guard"
	"contentedge/edgeserve/release"
)

// field is a header field. Its name is in canonical form.
type field struct{ name, value []byte }

func newField(name, value string) field { return field{[]byte(name), []byte(value)} }

// apply sets fields.
func apply(h header, fields []field) {
	for _, f := range fields {
		h.SetCanonical(f.name, f.value)
	}
}

// headers are the fields that every answer of a class carries. A Vary of Origin comes
// with a list of origins, as such an answer names the one that asked.
type headers struct {
	classes [release.Classes][]field
	vary    string
	origins map[string]bool // nil: any
}

func newHeaders(policy release.Policy, origins []string) *headers {
	h := &headers{}
	vary := release.Vary
	if len(origins) != 1 || origins[0] != release.AnyOrigin {
		vary += ", Origin"
		h.origins = map[string]bool{}
		for _, o := range origins {
			h.origins[o] = true
		}
	}
	h.vary = vary
	for class := range h.classes {
		fields := []field{
			newField("X-Content-Type-Options", release.NoSniff),
			newField("Vary", vary),
			newField("Cache-Control", policy.CacheControl(release.Class(class))),
		}
		if h.origins == nil {
			fields = append(fields, newField("Access-Control-Allow-Origin", release.AnyOrigin), newField("Access-Control-Expose-Headers", release.ExposeHeaders))
		}
		h.classes[class] = fields
	}
	return h
}

// begin sets the fields of every answer of a class.
func (h *headers) begin(ctx *fasthttp.RequestCtx, class release.Class) {
	ctx.Response.Header.SetContentType(release.ContentType)
	apply(&ctx.Response.Header, h.classes[class])
	h.allowOrigin(ctx)
}

// allowOrigin lets the page read the answer that it asked for, if it is of one of the
// origins. No credentials are ever allowed: there are none.
func (h *headers) allowOrigin(ctx *fasthttp.RequestCtx) {
	if h.origins == nil {
		return
	}
	if origin := ctx.Request.Header.Peek("Origin"); h.origins[string(origin)] {
		ctx.Response.Header.SetCanonical([]byte("Access-Control-Allow-Origin"), origin)
		ctx.Response.Header.Set("Access-Control-Expose-Headers", release.ExposeHeaders)
	}
}

// allowedHeaders is what a preflight may send: everything, and by its name what it asks for
// in these lists. What is no name is left out, and so are all if the lists or what would
// repeat them, with a space behind each comma, are too long.
func allowedHeaders(asked [][]byte) []byte {
	allowed := []byte(release.AllowHeaders)
	list := bytes.Join(asked, []byte(","))
	if len(list) > release.MaxAskedHeaders {
		return allowed
	}
	for name := range bytes.SplitSeq(list, []byte(",")) {
		if name = guard.TrimSpace(name); guard.ValidToken(name) {
			allowed = append(append(allowed, ", "...), name...)
		}
	}
	if len(allowed) > len(release.AllowHeaders)+len(", ")+release.MaxAskedHeaders {
		return []byte(release.AllowHeaders)
	}
	return allowed
}

// validOrigin reports whether a text is `*` or scheme://host[:port].
func validOrigin(s string) bool {
	if s == release.AnyOrigin {
		return true
	}
	scheme, host, ok := strings.Cut(s, "://")
	return ok && (scheme == "http" || scheme == "https") && host != "" && guard.ValidHost([]byte(host))
}
