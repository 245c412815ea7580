// This file divides a node's memory.

package edgeserve

import "contentedge/edgeserve/serve/delivery"

// MinMemory is the least memory that a node can be given, in bytes.
const MinMemory = 64 << 20

const connMemory = 64 << 10 // of a connection that Fiber reads, in bytes: buffers and stack, beside the budgets

// Budgets returns the configuration for a process of limit bytes. The cache, responses, requests
// and connections together are at most HeapLimit. Searches that need a slot are limited
// by number, and are not part of that sum. No value grows.
func (c ServerConfig) Budgets(limit int64) ServerConfig {
	c.CacheBytes = min(c.CacheBytes, limit/8)
	c.ResponseBytes = min(c.ResponseBytes, limit/4)
	c.RequestBytes = min(c.RequestBytes, limit/8)
	c.MaxConns = int(min(int64(c.MaxConns), limit/4/connMemory))
	c.MaxSearches = int(min(int64(c.MaxSearches), max(1, limit/delivery.SearchMemory)))
	return c
}

// HeapLimit is the Go runtime's limit for a process of limit bytes. The rest is for socket buffers,
// files in memory, and allocation while garbage is collected.
func HeapLimit(limit int64) int64 { return limit / 4 * 3 }
