// This file keeps descriptors for the time when the process has none left.

package netlimit

import (
	"errors"
	"os"
	"sync"
	"syscall"
)

// spares are open pairs of descriptors. Closing a pair frees one for a connection, and one for what its request reads.
type spares struct {
	mu    sync.Mutex
	want  int           // pairs; guarded by mu
	pairs [][2]*os.File // guarded by mu
}

func newSpares(want int) *spares {
	s := &spares{want: want}
	s.refill()
	return s
}

// give closes a pair if err says that the process or the system has no descriptors left. It returns false if it closed
// none.
func (s *spares) give(err error) bool {
	if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pairs) == 0 {
		return false
	}
	s.closeLast()
	return true
}

// refill opens pairs again, as many as there are descriptors for.
func (s *spares) refill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.pairs) < s.want {
		r, w, err := os.Pipe() // unlike a file, it needs nothing of the file system
		if err != nil {
			return
		}
		s.pairs = append(s.pairs, [2]*os.File{r, w})
	}
}

// close closes all pairs for good.
func (s *spares) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.want = 0
	for len(s.pairs) > 0 {
		s.closeLast()
	}
}

// closeLast closes a pair. mu is held.
func (s *spares) closeLast() {
	last := len(s.pairs) - 1
	for _, end := range s.pairs[last] {
		_ = end.Close() // nothing was written
	}
	s.pairs = s.pairs[:last]
}
