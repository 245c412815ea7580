// This file keeps other sites' pages from reading drafts and from changing anything. The server has
// checked the Host, so another site cannot be at ours by name.

package page

import (
	"mime"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/wire/httpfield"
)

// policy lets the page load only its own files. The page has no inline code, and no address of content
// is a script, so content cannot run.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func setSafeHeaders(ctx *fasthttp.RequestCtx) {
	for _, field := range [...][2]string{
		{httpfield.CacheControl, "no-store"},
		{httpfield.ContentSecurityPolicy, policy},
		{"Cross-Origin-Opener-Policy", "same-origin"},
		{httpfield.CrossOriginResourcePolicy, "same-origin"},
		{"Referrer-Policy", "no-referrer"},
		{httpfield.ContentTypeOptions, "nosniff"},
	} {
		ctx.Response.Header.Set(field[0], field[1])
	}
}

// allows refuses a request that a page of another site made a browser send.
func (p *Page) allows(ctx *fasthttp.RequestCtx, r route) *apiError {
	if ctx.IsPost() && r.post != nil {
		return allowsPost(ctx)
	}
	origin := string(ctx.Request.Header.Peek(httpfield.Origin))
	site := string(ctx.Request.Header.Peek(httpfield.SecFetchSite))
	switch {
	case r.audience == everybody:
		return nil
	case r.audience == followers && origin != "":
		return p.allowsFollower(ctx, origin)
	case site == "cross-site", origin != "" && !isOwn(ctx, origin):
		return errForeign
	}
	return nil
}

// allowsPost refuses a change unless the page itself sent it: browsers send Origin with each, and
// JSON of another origin needs a permission that they do not get.
func allowsPost(ctx *fasthttp.RequestCtx) *apiError {
	h := &ctx.Request.Header
	site := string(h.Peek(httpfield.SecFetchSite))
	if !isOwn(ctx, string(h.Peek(httpfield.Origin))) || site != "" && site != "same-origin" {
		return errOrigin
	}
	if kind, _, err := mime.ParseMediaType(string(h.ContentType())); err != nil || kind != "application/json" {
		return errType
	}
	return nil
}

// allowsFollower lets a page of an allowed origin read the events.
func (p *Page) allowsFollower(ctx *fasthttp.RequestCtx, origin string) *apiError {
	ctx.Response.Header.Set(httpfield.Vary, httpfield.Origin)
	if !isOwn(ctx, origin) && !isLoopback(origin) && !slices.Contains(p.cfg.Origins, origin) {
		return errForeign
	}
	ctx.Response.Header.Set(httpfield.AllowOrigin, origin)
	return nil
}

// isOwn reports whether an origin is the request's own. The scheme may be a proxy's.
func isOwn(ctx *fasthttp.RequestCtx, origin string) bool {
	scheme, host, ok := strings.Cut(origin, "://")
	return ok && (scheme == "http" || scheme == "https") && strings.EqualFold(host, string(ctx.Request.Header.Host()))
}

// isLoopback reports an origin of this machine, as of sites under development.
func isLoopback(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || origin != u.Scheme+"://"+u.Host {
		return false
	}
	name := strings.ToLower(u.Hostname())
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsLoopback()
}

const (
	maxRefused       = 20  // origins: a program that tries names causes more
	maxRefusedOrigin = 300 // bytes: a host name has 253 at most
)

// Refused returns the origin of a page that may not read this response, the first time that it asks. A page that
// shows an image asks for no permission: browsers send "null" as the origin of documents in sandboxes.
func (p *Page) Refused(ctx *fasthttp.RequestCtx) (origin string, first bool) {
	origin = string(ctx.Request.Header.Peek(httpfield.Origin))
	if mode := string(ctx.Request.Header.Peek(httpfield.SecFetchMode)); mode == "no-cors" || mode == "navigate" {
		return "", false
	}
	if origin == "" || len(origin) > maxRefusedOrigin || isOwn(ctx, origin) || len(ctx.Response.Header.Peek(httpfield.AllowOrigin)) > 0 {
		return "", false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.refused) >= maxRefused || slices.Contains(p.refused, origin) {
		return "", false
	}
	p.refused = append(p.refused, origin)
	p.events.add(eventRefused, struct {
		Origin string `json:"origin"`
	}{origin})
	return origin, true
}
