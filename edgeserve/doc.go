// Package edgeserve serves the content delivery interface over HTTP from a release directory. Items
// and planned list pages are its files. Package search evaluates all other lists and searches
// against its memory-mapped snapshots. A request goes down these steps:
//
//  1. Package netlimit accepts the connection, or refuses it.
//  2. On Linux, package fastpath reads the request. fastAdapter.lookup finds a cached response.
//     fastAdapter.compute answers any other request for content; it leaves its event loop before
//     it waits. All else goes to Fiber, and every request does with ServerServerConfig.FastPath off.
//  3. strict checks the head and the body, and Fiber routes (routes.go).
//  4. A target that the cache knows is answered from it (respondFromCache, lookup). For others
//     package delivery decides the response, for Fiber and the fast path alike: a cached one
//     (package respcache), a file, or one that is computed behind package admission.
//  5. respond.go or fastpath_lookup.go sends it.
//
// Server owns the life of all that: listening, reloading, damage, the admin listener. Requests see
// only the values of fiberAdapter and fastAdapter. Invariants:
//
//   - A request holds one generation (package generation) until its response is made, so the
//     response comes from one release. Bytes of a snapshot are mapped memory that dies with the
//     generation, and responses are sent later. So they are copied.
//   - A response of the fast path depends only on method, target, body, Accept-Encoding and
//     If-None-Match. Code that reads another field adds it to bypassHeaders.
//   - Package address reads the target as sent: not decoded, normalised or matched without case.
//   - Error texts of Fiber and fasthttp quote the request. None of them is sent.
package edgeserve
