// Package delivery turns a request for content into a response: the status, the fields and the
// body that an adapter writes, or a problem. It knows no HTTP library. Two adapters feed it, both
// in package edgeserve: Fiber's handlers and the fast path.
//
// Requests go down, and nothing here calls up into the server:
//
//	adapter → Current → Served.Respond(Request) → item | list | search
//	                                              ├─ FromEntry: the cache, else a file
//	                                              └─ admit → evaluate → compute: the snapshot
//	adapter ← respcache.Response (Select: 200, 206, 304) or Problem
//
// A Request carries values of one request and no fields of HTTP. Served is the release of that
// request with its cache and its fields. Resources are what all requests share: memory, slots,
// counters, the log. A server makes them once and passes them to each Served.
//
// An adapter that finds the target of a request in the cache (Cache.GetTarget) need not parse it:
// FromEntry is all that is left. Where the adapter must not wait (Request.LeaveLoop), Respond
// returns ErrWouldBlock, and another adapter answers.
package delivery
