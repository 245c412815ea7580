// Package slowlog remembers the slowest searches, for the operator. It holds what clients sent, in memory only, and a
// bounded part. A search that is not among the slowest costs the comparison of two numbers.
package slowlog

import (
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

const (
	// Floor is the time of a search below which it is not slow, however few others there are: most searches take less,
	// and these do not wait for a slot.
	Floor = time.Millisecond
	// MaxText limits the target and the body of a search in memory, in bytes each.
	MaxText = 1 << 10
	// MaxEntries limits a Log, so that it holds at most a quarter of a megabyte.
	MaxEntries = 100
)

// Entry is a slow search.
type Entry struct {
	At           time.Time     // when it ended
	Took         time.Duration // since the request arrived: waiting counts
	Steps        int           // of work
	Environment  string
	Target, Body string // at most MaxText bytes each
	BodyBytes    int    // of the whole body
	Code         string // of the error it ended with; may be empty
}

// Log holds the slowest searches. It is safe for concurrent use. A nil Log holds none.
type Log struct {
	max   int
	least atomic.Int64 // a search takes longer than that, in nanoseconds, to be among the slowest

	mu      sync.Mutex
	entries []Entry // the slowest first; guarded by mu
}

// New returns a Log of at most n searches; nil if n is 0.
func New(n int) *Log {
	if n == 0 {
		return nil
	}
	l := &Log{max: min(n, MaxEntries)}
	l.least.Store(int64(Floor))
	return l
}

// Wants reports whether a search that took so long is among the slowest.
func (l *Log) Wants(took time.Duration) bool { return l != nil && int64(took) > l.least.Load() }

// Add remembers a search that Wants has accepted. It copies and cuts target and body.
func (l *Log) Add(e Entry, target, body []byte) {
	e.Target, e.Body, e.BodyBytes = cut(target), cut(body), len(body)
	l.mu.Lock()
	defer l.mu.Unlock()
	at := len(l.entries)
	for at > 0 && l.entries[at-1].Took < e.Took {
		at--
	}
	if at == l.max {
		return // others came first
	}
	if len(l.entries) < l.max {
		l.entries = append(l.entries, Entry{})
	}
	copy(l.entries[at+1:], l.entries[at:])
	l.entries[at] = e
	if len(l.entries) == l.max {
		l.least.Store(int64(max(l.entries[l.max-1].Took, Floor)))
	}
}

// Entries returns the searches, the slowest first.
func (l *Log) Entries() []Entry {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Entry(nil), l.entries...)
}

// cut copies at most MaxText bytes of a text. It cuts no character in two.
func cut(text []byte) string {
	if len(text) <= MaxText {
		return string(text)
	}
	end := MaxText
	for end > MaxText-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return string(text[:end])
}
