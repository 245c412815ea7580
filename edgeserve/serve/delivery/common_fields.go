// This file prepares the fields that responses share, so that a request only copies them.

package delivery

import (
	"bytes"

	"contentedge/edgeserve/serve/respcache"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
)

// RequestFields are the fields of a request, by canonical name.
type RequestFields interface {
	Peek(name string) []byte
	PeekAll(name string) [][]byte // valid until the next call
}

// CommonFields are the fields of all responses of a class. With a list of origins they have Vary:
// Origin, as responses name the origin of their request.
type CommonFields struct {
	classes [release.Classes][]respcache.Field
	vary    string
	origins map[string]bool // nil: any
}

var (
	contentType     = respcache.NewField("Content-Type", release.ContentType)
	allowOriginName = []byte("Access-Control-Allow-Origin")
	exposeHeaders   = respcache.NewField("Access-Control-Expose-Headers", release.ExposeHeaders)
)

// NewCommonFields prepares the fields for pages of some origins, or of release.AnyOrigin.
func NewCommonFields(policy release.Policy, origins []string) *CommonFields {
	c := &CommonFields{vary: release.Vary}
	if len(origins) != 1 || origins[0] != release.AnyOrigin {
		c.vary += ", Origin"
		c.origins = map[string]bool{}
		for _, o := range origins {
			c.origins[o] = true
		}
	}
	for class := range c.classes {
		fields := []respcache.Field{
			respcache.NewField("X-Content-Type-Options", release.NoSniff),
			respcache.NewField("Vary", c.vary),
			respcache.NewField("Cache-Control", policy.CacheControl(release.Class(class))),
		}
		if c.origins == nil {
			fields = append(fields, respcache.NewField("Access-Control-Allow-Origin", release.AnyOrigin), exposeHeaders)
		}
		c.classes[class] = fields
	}
	return c
}

// DependOnOrigin reports whether responses depend on the Origin of their request.
func (c *CommonFields) DependOnOrigin() bool { return c.origins != nil }

// Set sets the fields of all responses of a class.
func (c *CommonFields) Set(response respcache.Header, class release.Class, request RequestFields) {
	contentType.Set(response)
	respcache.Apply(response, c.classes[class])
	c.AllowOrigin(response, request)
}

// AllowOrigin lets pages of allowed origins read the response, without credentials: there are none.
func (c *CommonFields) AllowOrigin(response respcache.Header, request RequestFields) {
	if c.origins == nil {
		return
	}
	if origin := request.Peek("Origin"); c.origins[string(origin)] {
		response.SetCanonical(allowOriginName, origin)
		exposeHeaders.Set(response)
	}
}

// SetPreflight sets the fields of a response to OPTIONS, beside those of its class: the methods
// and, for pages that may read responses, all header fields that they ask for.
func (c *CommonFields) SetPreflight(response respcache.Header, allow string, request RequestFields) {
	respcache.NewField("Allow", allow).Set(response)
	respcache.NewField("Vary", c.vary+", "+release.RequestHeaders).Set(response)
	if c.origins == nil || c.origins[string(request.Peek("Origin"))] {
		respcache.NewField("Access-Control-Allow-Methods", allow).Set(response)
		respcache.NewField("Access-Control-Allow-Headers", allowedHeaders(request.PeekAll(release.RequestHeaders))).Set(response)
		respcache.NewField("Access-Control-Max-Age", release.PreflightAge).Set(response)
	}
}

// allowedHeaders is the Access-Control-Allow-Headers of a preflight: * and the valid names that it
// lists, without them if lists or result are too long.
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
