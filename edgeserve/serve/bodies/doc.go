// Package bodies holds the bodies of requests and responses while they are received or sent. The bytes of
// a body are in one of three places:
//
//	on the heap      A Budget counts the bytes of every request's body, and of each response's body that
//	                 has at least Large bytes. Clients share what the budget has left.
//	in a Memfile     It is a copy outside of the heap. The kernel sends its pages without copying them.
//	on the disk      A Disk is read while it is sent, if the budget has no memory for the file.
//
// Several requests may send one body from the heap, which counts once (Holders). The package knows neither
// HTTP nor releases.
package bodies
