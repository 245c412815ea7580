// Package fastpath answers most HTTP requests in an event loop of its own, before Fiber (fasthttp) parses them. On
// systems other than Linux, Fiber serves every connection.
//
// # What it buys and costs
//
// For responses in memory, Fiber's parsing, header maps and buffered writes cost as much as the system calls.
//
//	CPU per response       0.61 to 0.63 of nginx's for an item, 0.79 to 0.86 for list pages and 304s
//	p99 latency            0.63 to 1.02 of nginx's
//	an idle connection     less than 1 KiB: no goroutine, stack or buffer
//
// `scripts/bench serve --items CORPUS --each 1s --rounds 18` measures the first two rows, `scripts/bench slow` the
// third; scripts/BENCHMARKS.md has the tables.
//
// The price is a second HTTP/1.1 parser, an event loop over edge-triggered epoll, and raw system calls of Linux. No
// other package of the project imports unsafe. No other package of edgeserve reads or writes sockets by raw
// descriptors. Raw descriptors are owned here, by memory files (package bodies) and by files of a release (package
// releasedir), everywhere else by an os.File or a net.Conn.
//
// # How it works
//
// A Listener spreads connections over one event loop for each processor. A loop serves ready sockets in the order of
// their events. It parses each request and calls ListenerConfig.Lookup for a prepared response. Requests without one
// queue for ListenerConfig.Compute, which computes responses in order, in batches of about 100 µs; between batches the
// loop polls again. A Compute that waits or takes long calls leaveLoop: another goroutine then continues the loop, and
// the request continues in its own. Such a request may also stream a body that it reads while it sends. A short file is
// opened and read in the loop if the kernel has its path and its bytes in memory, so that a disk that hangs stops no
// other request. Where the kernel cannot tell, Compute leaves the loop first.
//
// A goroutine for each Compute would be simpler, but it wakes a thread for each request. CPU per uncached response,
// relative to the loop, in 6 to 8 pairs of alternating seconds on a busy machine:
//
//	                        16 connections   16 that pause   one
//	search by id            1.30 to 1.42     1.25            1.16 to 1.74
//	search by name          1.30             1.31            1.85
//	words of a name         1.31             1.23            1.66
//	a word anywhere         1.07 to 1.11     1.09 to 1.19    1.20 to 1.40
//	list without a file     1.06 to 1.29     1.18 to 1.22    1.33
//
// Medians were 1.1 to 1.7 times as long, except for a word anywhere. So Compute stays in the loop. Tests bound the work
// of a search between two checks of its limit, so that it leaves the loop in time.
//
// # What goes to Fiber
//
// The loop hands off what it cannot answer, through Listener.Accept:
//
//	Compute declines, or a field of BypassHeaders             this request
//	OPTIONS of a path, or any request while draining          this request
//	a body longer than MaxBody, or rejected by RejectsBody    this request, before its body is read
//	a rejected chunked body                                   the connection
//	other methods and versions, Connection: close, Expect     the connection
//	a malformed head, or one longer than HeadLimit            the connection
//	Content-Length missing, repeated or not a number          the connection
//
// For one request Fiber gets a net.Conn that returns EOF after it. When Fiber closes it, the loop takes the connection
// back. The loop finds the end of a chunked body only by the grammar. Where the end of a request is not certain, Fiber
// gets the connection and decides where the next request begins. A FiberListener also checks the framing of what Fiber
// reads, and ends the input at the first byte that breaks the grammar.
//
// The loop refuses only what Fiber would wait for or misread. That is a request that does not arrive in time, and bytes
// that are not HTTP. It also refuses header lines that end in a bare LF, malformed or overlong chunks, and a body for which
// memory is short.
//
// Both paths use one set of prepared responses. Tests compare responses to random pipelines in random pieces here, and
// to each kind of request in package edgeserve, byte by byte with Fiber's. FuzzParse compares the end of each request
// with the end that net/http finds.
//
// # Timeouts
//
// A head has ListenerConfig.Head from its first byte on, also when Fiber reads the rest; a body has
// ListenerConfig.Body. An unsent response has ListenerConfig.Write, restarted whenever the client takes some of it, or
// a tenth of that while memory is low. Between requests a connection has ListenerConfig.Idle, and ListenerConfig.First
// before its first. A sweep checks each connection once a second: timeouts fire up to a second late, never early.
//
// # Memory
//
//	event loop          a read buffer of HeadLimit, a write buffer, 128 KiB of batched bodies
//	head in progress    what has arrived, at most HeadLimit
//	body in progress    what has arrived; above HeadLimit, ListenerConfig.ReserveRequest accounts for it
//	unsent response     a copy of the head; the body is shared until Response.Done
//	streamed body       a buffer of 32 KiB
//
// # Lingering close
//
// Closing a socket with unread bytes resets it, and the client loses the response. So when the server ends a connection
// after a response, the loop shuts down its sending half and discards what arrives: for 5 s, 4 MiB and 512 connections
// at once, at most.
package fastpath
