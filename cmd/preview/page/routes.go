// This file is the table of the page's routes.

package page

import (
	"strconv"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
)

const (
	assetsPath = "/-/assets/"
	apiPath    = "/-/api/"
)

// audience is whose pages may make a browser send a request.
type audience uint8

const (
	everybody audience = iota // it says nothing that is private
	followers                 // pages of allowed origins
	itself                    // the page, and others of this machine
)

type route struct {
	audience audience
	get      func(*request) *apiError
	post     func(*request) *apiError // nil: the route has no POST
}

func (r route) allow() string {
	switch {
	case r.post == nil:
		return "GET, HEAD"
	case r.get == nil:
		return "POST"
	}
	return "GET, HEAD, POST"
}

func (r route) serve(req *request) *apiError {
	switch {
	case r.get != nil && (req.IsGet() || req.IsHead()):
		return r.get(req)
	case r.post != nil && req.IsPost():
		return r.post(req)
	}
	req.Response.Header.Set(httpfield.Allow, r.allow())
	return errMethod
}

func (p *Page) route(path string) (route, *apiError) {
	switch path {
	case "/":
		return route{get: p.index}, nil
	case "/-/live.js":
		return route{get: p.liveScript}, nil
	case "/-/events":
		return route{audience: followers, get: p.follow}, nil
	}
	if name, ok := strings.CutPrefix(path, assetsPath); ok {
		return route{get: func(r *request) *apiError { return p.asset(r, name) }}, nil
	}
	if rest, ok := strings.CutPrefix(path, framePath); ok {
		return p.frameRoute(rest)
	}
	if rest, ok := strings.CutPrefix(path, apiPath); ok {
		r, err := p.apiRoute(rest)
		r.audience = itself
		return r, err
	}
	return route{}, errRoute
}

// apiRoute finds a route below apiPath. An environment may have any name, so what follows decides.
func (p *Page) apiRoute(path string) (route, *apiError) {
	switch path {
	case "state":
		return route{get: p.sendState}, nil
	case "view":
		return route{post: p.changeView}, nil
	case "builds":
		return route{get: p.sendBuilds}, nil
	}
	first, rest, _ := strings.Cut(path, "/")
	if n, err := strconv.Atoi(rest); err == nil && first == "builds" {
		return route{get: func(r *request) *apiError { return p.sendBuild(r, n) }}, nil
	}
	if !address.ValidEnv(first) {
		return route{}, errRoute
	}
	return p.envRoute(first, rest)
}

// frameRoute finds the document of an item. Everybody may ask for it, because a link in such a document asks for
// no origin; but no other site may read it, or show it in a frame.
func (p *Page) frameRoute(path string) (route, *apiError) {
	env, id, _ := strings.Cut(path, "/")
	if !address.ValidEnv(env) || !address.ValidID(id) {
		return route{}, errRoute
	}
	return route{get: func(r *request) *apiError { return p.sendFrame(r, env, id) }}, nil
}

func (p *Page) envRoute(env, path string) (r route, err *apiError) {
	id, item := strings.CutPrefix(path, "items/")
	switch {
	case path == "fields":
		r.get = func(r *request) *apiError { return p.sendFields(r, env) }
	case path == "hints":
		r.get, r.post = func(r *request) *apiError { return p.sendIgnored(r, env) }, func(r *request) *apiError { return p.sendUnknown(r, env) }
	case item && address.ValidID(id):
		r.get = func(r *request) *apiError { return p.sendItem(r, env, id) }
	default:
		return r, errRoute
	}
	if !p.hasEnvironment(env) {
		return r, errEnvironment
	}
	return r, nil
}
