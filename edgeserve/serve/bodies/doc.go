// Package bodies holds the bodies of requests and responses while they are received or sent. The bytes of
// a body are in one of three places:
//
//	on the heap      a Budget counts them: all of a request's body, and a response's body from Large
//	                 bytes on; clients share what is left
//	in a Memfile     a copy outside of the heap, whose pages the kernel sends without copying them
//	on the disk      a Disk is read while it is sent, if the budget has no memory for the file
//
// Several requests may send one body from the heap, which counts once (Holders). The package knows neither
// HTTP nor releases.
package bodies
