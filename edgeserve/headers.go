// This file prepares the fields that responses share, so that a request only copies them.

package edgeserve

import (
	"bytes"
	"strings"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/httphead"
	"contentedge/edgeserve/release"
	"contentedge/edgeserve/respcache"
)

// headers are the fields of all responses of a class. With a list of origins they have Vary:
// Origin, as a response names the origin of its request.
type headers struct {
	classes [release.Classes][]respcache.Field
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
		fields := []respcache.Field{
			respcache.NewField("X-Content-Type-Options", release.NoSniff),
			respcache.NewField("Vary", vary),
			respcache.NewField("Cache-Control", policy.CacheControl(release.Class(class))),
		}
		if h.origins == nil {
			fields = append(fields, respcache.NewField("Access-Control-Allow-Origin", release.AnyOrigin), respcache.NewField("Access-Control-Expose-Headers", release.ExposeHeaders))
		}
		h.classes[class] = fields
	}
	return h
}

// begin sets the fields of all responses of a class.
func (h *headers) begin(ctx *fasthttp.RequestCtx, class release.Class) {
	ctx.Response.Header.SetContentType(release.ContentType)
	respcache.Apply(&ctx.Response.Header, h.classes[class])
	h.allowOrigin(ctx)
}

// allowOrigin lets a page read the response if it is of an allowed origin. Credentials are
// never allowed: there are none.
func (h *headers) allowOrigin(ctx *fasthttp.RequestCtx) {
	if h.origins == nil {
		return
	}
	if origin := ctx.Request.Header.Peek("Origin"); h.origins[string(origin)] {
		ctx.Response.Header.SetCanonical([]byte("Access-Control-Allow-Origin"), origin)
		ctx.Response.Header.Set("Access-Control-Expose-Headers", release.ExposeHeaders)
	}
}

// allowedHeaders is the Access-Control-Allow-Headers of a preflight: *, and each name that it
// lists. It leaves out what is no name, and all if the lists, or their copy with a space
// behind each comma, are too long.
func allowedHeaders(asked [][]byte) []byte {
	allowed := []byte(release.AllowHeaders)
	list := bytes.Join(asked, []byte(","))
	if len(list) > release.MaxRequestHeaders {
		return allowed
	}
	for name := range bytes.SplitSeq(list, []byte(",")) {
		if name = httphead.TrimSpace(name); httphead.ValidToken(name) {
			allowed = append(append(allowed, ", "...), name...)
		}
	}
	if len(allowed) > len(release.AllowHeaders)+len(", ")+release.MaxRequestHeaders {
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
	return ok && (scheme == "http" || scheme == "https") && host != "" && httphead.ValidHost([]byte(host))
}
