// This file serves profiles of the process, for go tool pprof, where the operator has asked for them. It uses
// runtime/pprof. Each further profile would add code: profiles of locks would be empty, as measuring locks costs each
// request, and the state of goroutines is a text.

package edgeserve

import (
	"bytes"
	"context"
	"net/url"
	"runtime"
	"runtime/pprof"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
)

const (
	profilePath = "/debug/pprof/" // where go tool pprof looks for profiles
	cpuProfile  = profilePath + "profile"
	heapProfile = profilePath + "heap" // also of what was allocated and is free again
	stacks      = profilePath + "goroutine"

	profileType = "application/octet-stream"

	// defaultProfileTime is what go tool pprof asks for by itself.
	defaultProfileTime = 30 * time.Second
	// maxProfileTime bounds how long a request keeps the process measuring.
	maxProfileTime = 60 * time.Second
	// maxStacks bounds the text of what each goroutine does, in bytes. Each of adminConns connections may
	// hold one while its client reads slowly.
	maxStacks = 1 << 20
)

// profile returns what answers an address of a profile; nil if nothing does.
func (s *Server) profile(serving context.Context, path, query string) func(*fasthttp.RequestCtx) {
	if !s.cfg.Profiling {
		return nil
	}
	switch path {
	case cpuProfile:
		return s.guarded(func(ctx *fasthttp.RequestCtx) { s.profileCPU(serving, ctx, query) })
	case heapProfile:
		return s.guarded(func(ctx *fasthttp.RequestCtx) {
			var b bytes.Buffer
			_ = pprof.WriteHeapProfile(&b) // memory takes every write
			s.sendAdmin(ctx, profileType, b.Bytes())
		})
	case stacks:
		return s.guarded(func(ctx *fasthttp.RequestCtx) {
			text := make([]byte, maxStacks)
			s.sendAdmin(ctx, "text/plain; charset=utf-8", bytes.Clone(text[:runtime.Stack(text, true)])) // most are far shorter
		})
	}
	return nil
}

// guarded refuses requests that a page of another site makes: it could not read a profile, but
// would have it taken.
func (s *Server) guarded(answer func(*fasthttp.RequestCtx)) func(*fasthttp.RequestCtx) {
	return func(ctx *fasthttp.RequestCtx) {
		switch site := string(ctx.Request.Header.Peek(httpfield.SecFetchSite)); site {
		case "", "none", "same-origin":
			answer(ctx)
		default:
			s.respond.fail(ctx, problem.New(problem.CrossOrigin, "a profile is not for pages of other sites to ask for"))
		}
	}
}

// profileCPU measures the processor time of the process for some seconds. One request may do so at a
// time, and the end of the server ends it.
func (s *Server) profileCPU(serving context.Context, ctx *fasthttp.RequestCtx, query string) {
	duration, ok := profileTime(query)
	if !ok {
		s.respond.fail(ctx, problem.New(problem.BadRequest, "seconds must be an integer from 1 to "+strconv.Itoa(int(maxProfileTime/time.Second))))
		return
	}
	var b bytes.Buffer
	if err := pprof.StartCPUProfile(&b); err != nil {
		s.respond.fail(ctx, problem.New(problem.Overloaded, "another request is recording a profile: try again when it is done"))
		return
	}
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-serving.Done():
	}
	pprof.StopCPUProfile()
	s.sendAdmin(ctx, profileType, b.Bytes())
}

func profileTime(query string) (d time.Duration, ok bool) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return 0, false
	}
	text := values.Get("seconds")
	if text == "" {
		return defaultProfileTime, true
	}
	n, err := strconv.Atoi(text)
	d = time.Duration(n) * time.Second
	return d, err == nil && n >= 1 && n <= int(maxProfileTime/time.Second)
}
