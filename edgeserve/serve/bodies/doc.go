// Package bodies holds the bytes of requests' and responses' bodies while they are on their way. Each
// has one of three places:
//
//	on the heap      its memory is taken from a Budget: all of a request's body, and a response's
//	                 from Large bytes on; clients share what is left
//	a Memfile        a copy beside the heap, whose pages the kernel sends without copying them
//	on the disk      a Disk is read while it is sent, for a file that the budget has no memory for
//
// Several requests may send one body from the heap; it counts once (Holders). The package knows
// neither HTTP nor releases.
package bodies
