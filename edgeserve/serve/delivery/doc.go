// Package delivery answers the requests of a node: from files, from a cache, or with bodies that package answer
// computes. It keeps requests within limits of time, work and memory. It knows no HTTP library. Two adapters in
// package edgeserve call it: Fiber's handlers and the fast path.
//
// Requests go down, and nothing here calls up into the server:
//
//	adapter → Current → Served.Respond(Request) → answer.Find ─┬─ FromEntry: the cache, else a file
//	                                                           └─ admit → answer.Evaluate → compute: Answer.Write
//	adapter ← respcache.Response or problem.Problem (package respond: status, fields, conditions)
//
// Served is a release with the cache of its responses and their shared fields. Resources holds what all
// requests of a server share: memory, slots, counters, the log. An adapter that finds the target of a
// request in the cache (Cache.GetTarget) needs only FromEntry. The first request for a file leaves nothing
// in the cache (first.go). A request on an event loop leaves the
// loop before it waits or works for long (Request.LeaveLoop).
//
// TestDelivery shows which responses are computed, and which come from the cache.
package delivery
