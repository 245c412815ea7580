// This file sends Server-Timing to clients that ask for it and may. The fast path leaves such requests to
// Fiber, so that it costs others nothing.

package edgeserve

import (
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/serve/delivery"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
)

func (a *fiberAdapter) asksTiming(ctx *fasthttp.RequestCtx) bool {
	return !a.clients.timing.IsEmpty() && len(ctx.Request.Header.Peek(httpfield.AskTiming)) > 0 && a.clients.timing.Contains(a.clients.address(ctx))
}

// setTiming sets the times of a response, and forbids caches to store it: they would show others the times
// of this request. A 304 has none, because it changes the fields of a stored response.
func (a *fiberAdapter) setTiming(ctx *fasthttp.RequestCtx, source delivery.Source, t delivery.Timing) {
	if !a.asksTiming(ctx) || ctx.Response.StatusCode() == fasthttp.StatusNotModified {
		return
	}
	b := append([]byte("cache;desc="), source.String()...)
	for _, part := range []struct {
		name string
		took time.Duration
	}{{"queue", t.Queue}, {"search", t.Search}, {"render", t.Render}, {"total", time.Since(ctx.Time())}} {
		b = append(append(append(b, ", "...), part.name...), ";dur="...)
		b = strconv.AppendFloat(b, float64(part.took)/float64(time.Millisecond), 'f', 3, 64)
	}
	ctx.Response.Header.SetBytesV(httpfield.ServerTiming, b)
	ctx.Response.Header.Set(httpfield.CacheControl, release.CacheControl(release.ClassError))
}
