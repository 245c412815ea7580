// This file holds what both adapters, Fiber's and the fast path's, need around package delivery.

package edgeserve

import (
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/serve/delivery"
	"contentedge/edgeserve/serve/logs"
	"contentedge/edgeserve/wire/problem"
)

// adapter turns requests into requests of package delivery, and its responses into bytes.
type adapter struct {
	current    *delivery.Current
	respond    *responder
	observe    *observer
	life       *lifecycle
	log        *slog.Logger
	findDamage func(cause any)
	fallback   func(ctx *fasthttp.RequestCtx) bool // ServerConfig.Fallback; may be nil
}

// panicked reports a panic to the operator. It returns the problem for the client.
func (a *adapter) panicked(cause any, id string, method, target []byte) *problem.Problem {
	a.observe.telemetry.node.Panics.Inc()
	a.findDamage(cause)
	a.log.Error("request panicked", "cause", fmt.Sprint(cause), "request_id", id, "method", logs.Printable(method),
		"target", logs.Printable(target), "stack", string(debug.Stack()))
	if _, fault := cause.(interface{ Addr() uintptr }); fault {
		return problem.Of(problem.Unreadable)
	}
	return problem.Of(problem.Internal)
}

func (a *adapter) searchFailed(cause error, env, id string) {
	a.log.Error("search failed", "request_id", id, "environment", env, "error", cause)
	a.findDamage(cause)
}

// parseError answers a request that could not be read. received are its first bytes.
func (a *adapter) parseError(ctx *fasthttp.RequestCtx, err error, received []byte) {
	a.respond.refuse(ctx, unread(err))
	a.observe.recordUnrouted(ctx, received)
}
