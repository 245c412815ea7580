// This file collects the output of a process while it runs.

package scripttest

import (
	"regexp"
	"strings"
	"sync"
)

// Transcript is the output of a process, and how much was checked. The zero Transcript is
// empty.
type Transcript struct {
	mu    sync.Mutex
	text  strings.Builder // guarded by mu, like taken
	taken int
}

// Write appends output. It does not fail.
func (t *Transcript) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(b)
}

// All returns the output so far.
func (t *Transcript) All() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

// rest returns the output that was not checked.
func (t *Transcript) rest() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()[t.taken:]
}

// take checks the output up to a line that matches, and reports whether there is one.
func (t *Transcript) take(line *regexp.Regexp) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := t.text.String()
	for begin := t.taken; ; {
		end := strings.IndexByte(text[begin:], '\n')
		if end < 0 {
			return false
		}
		if line.MatchString(text[begin : begin+end]) {
			t.taken = begin + end + 1
			return true
		}
		begin += end + 1
	}
}
