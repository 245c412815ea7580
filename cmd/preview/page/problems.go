// This file has the errors of the API, in the form of the interface's errors.

package page

import (
	"github.com/goccy/go-json"
	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/wire/problem"
)

// apiError is the error of a response of the API.
type apiError struct {
	status  int
	Code    string `json:"code"` // stable, for programs
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

var (
	errRoute       = &apiError{fasthttp.StatusNotFound, problem.UnknownRoute, "preview has no such path", "the page is at /"}
	errAsset       = &apiError{fasthttp.StatusNotFound, "unknown_file", "the page has no such file", ""}
	errEnvironment = &apiError{fasthttp.StatusNotFound, problem.UnknownEnvironment, "the release has no such environment", "/-/api/state lists them"}
	errItem        = &apiError{fasthttp.StatusNotFound, problem.UnknownItem, "the release has no such item", "it is not in the content either"}
	errBuild       = &apiError{fasthttp.StatusNotFound, "unknown_build", "no such build is kept", "/-/api/builds lists them"}
	errMethod      = &apiError{fasthttp.StatusMethodNotAllowed, problem.MethodNotAllowed, "this path does not take the method", "the header Allow lists the methods that it takes"}
	errForeign     = &apiError{fasthttp.StatusForbidden, "foreign_origin", "pages of other sites may not read this", "name the site's origin with --cors-origin to let it follow the events"}
	errOrigin      = &apiError{fasthttp.StatusForbidden, "foreign_origin", "only preview's own page may do this", "send the header Origin with the origin that the request is for"}
	errType        = &apiError{fasthttp.StatusUnsupportedMediaType, "unsupported_media_type", "the body must be JSON", "send Content-Type: application/json"}
	errTooLong     = &apiError{fasthttp.StatusRequestEntityTooLarge, problem.BodyTooLarge, "the body has more than 64 KiB", ""}
	errStreams     = &apiError{fasthttp.StatusServiceUnavailable, "too_many_streams", "64 clients follow the events already", "close some of their pages"}
)

func invalid(code, message, hint string) *apiError {
	return &apiError{fasthttp.StatusUnprocessableEntity, code, message, hint}
}

func sendProblem(ctx *fasthttp.RequestCtx, p *apiError) {
	sendJSON(ctx, struct {
		Error *apiError `json:"error"`
	}{p})
	ctx.SetStatusCode(p.status)
}

func sendJSON(ctx *fasthttp.RequestCtx, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		panic(err) // all values are our own
	}
	ctx.SetContentType("application/json; charset=utf-8")
	ctx.Response.SetBodyRaw(body)
}
