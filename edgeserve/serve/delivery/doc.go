// Package delivery sends what package answer computes, as a node does: from files and a cache, within the
// limits of time, work and memory. It knows no HTTP library. Two adapters feed it, both in package edgeserve:
// Fiber's handlers and the fast path.
//
// Requests go down, and nothing here calls up into the server:
//
//	adapter → Current → Served.Respond(Request) → answer.Find ─┬─ FromEntry: the cache, else a file
//	                                                           └─ admit → answer.Evaluate → compute: Answer.Write
//	adapter ← respcache.Response or problem.Problem (package respond: status, fields, conditions)
//
// Served is a release with the cache of its responses and its fields. Resources are what all
// requests of a server share: memory, slots, counters, the log. An adapter that finds a target in
// the cache (Cache.GetTarget) needs only FromEntry. A request from an event loop leaves it before
// it waits or works for long (Request.LeaveLoop), and goes on from there.
package delivery
