// Package fdlimit finds how many descriptors the process may open, and how many descriptors connections may take.
package fdlimit

import (
	"math"
	"syscall"
)

const (
	reserve = 128 // for the admin listener, event loops, the release, the store, and downloads of media
	perConn = 2   // the socket, and a file that is sent
)

// Find returns the limit of the process (RLIMIT_NOFILE), which Go raises to the hard limit at the start. It returns
// false if the system does not say.
func Find() (limit int64, ok bool) {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 0, false
	}
	return int64(min(uint64(l.Cur), math.MaxInt64)), true
}

// Conns is how many connections a process of limit descriptors has room for, at least one.
func Conns(limit int64) int64 {
	return max(1, (limit-min(reserve, limit/2))/perConn)
}
