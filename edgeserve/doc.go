// Package edgeserve is the node: it serves a release directory over HTTP. A request goes down once, and its response
// comes back the same way:
//
//  1. netlimit accepts the connection, or refuses it.
//  2. On Linux, fastpath reads the request in an event loop. fastAdapter.lookup finds a cached
//     response; fastAdapter.compute answers any other request for content.
//  3. Fiber reads what remains: methods, fields and paths that the fast path lacks, and everything
//     of systems without a fast path. fiberAdapter.strict checks head and body, then Fiber routes (routes.go).
//  4. Both adapters call delivery.Served.Respond, which returns a response of respcache, or a problem.
//  5. The response is in the cache, or in a file of the release (bodies), or it is computed from the
//     snapshot, after admission. Before it waits, the request leaves its event loop.
//  6. The adapter sends it: fast_compute.go from the event loop, fiber_response.go through Fiber.
//
// Server owns the life of all that: listening (server.go), new releases (reload.go), damage (damage.go), the operator's
// listener (admin.go). The adapters hold only the values that they need. Invariants:
//
//   - A request holds one generation (package generation) until its response is made, so the
//     response comes from one release. Bytes of a snapshot are mapped memory that dies with the
//     generation, and responses are sent later. So they are copied.
//   - A response of the fast path depends only on method, target, body, Accept-Encoding and
//     If-None-Match. Code that reads another field adds it to bypassHeaders. Who the client is
//     (clients.go) decides whether a request is answered, never with which bytes.
//   - Package address reads the target as sent: not decoded, normalised or matched without case.
//   - Error texts of Fiber and fasthttp quote the request. They are never sent.
package edgeserve
