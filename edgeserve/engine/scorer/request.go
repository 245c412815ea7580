// This file pools cursors, sets and scratch memory for the Scorers of a request.

package scorer

import (
	"slices"
	"sync"

	"contentedge/edgeserve/engine/snapshot"
)

// Request holds the memory and the options that Scorers share from Open to Close. It is not safe for concurrent use.
type Request struct {
	Work       *WorkLimit
	Items      int  // number of documents in the snapshot
	KeepScores bool // Collect reports the scores of the page

	KeepTable bool // the next Collect of all matches leaves their scores to KeptTable

	TrackScores bool // Collect reports scores in every order, and the greatest of all matches
	Explain     bool // Scorers explain themselves
	explained   int  // parts of the largest explanation
	pool        *pool
}

// Open initializes the request.
func (r *Request) Open(b *WorkLimit, items int) {
	r.Work, r.Items, r.pool = b, items, pools.Get().(*pool)
}

// Close returns the memory to the pool. All Scorers and sets of the request become invalid.
func (r *Request) Close() { r.pool.release() }

// Scoped calls f, and takes back the cursors and sets of the Scorers that f has made.
func (r *Request) Scoped(f func() error) error {
	used, lent := r.pool.used, r.pool.lent
	defer func() { r.pool.used, r.pool.lent = used, lent }()
	return f()
}

type pool struct {
	cursors []*snapshot.Postings
	used    int
	win     window
	sets    []*Bitset
	lent    int      // number of sets in use
	ords    []uint32 // scratch
	docs    []docID  // scratch
	ranks   []uint64 // scratch: ranks of the best matches
	batch   struct { // scratch: the matches of a window and their keys
		docs [windowLen]docID
		keys [windowLen]uint32
	}
	scores scoreTable
	kept   *scoreTable // of the request; may be nil
}

const (
	// maxCursors limits the memory of a request: a cursor is about a kilobyte.
	maxCursors = 16384
	// maxPooled limits the cursors that a request leaves in the pool.
	maxPooled = 256
	// maxPooledSets limits the sets in the pool. A set has a bit per document.
	maxPooledSets = 4
)

var pools = sync.Pool{New: func() any { return &pool{} }}

func (p *pool) release() {
	p.used, p.lent = 0, 0
	p.scores.release()
	p.kept = nil
	if len(p.sets) > maxPooledSets {
		p.sets = slices.Clone(p.sets[:maxPooledSets])
	}
	if len(p.cursors) > maxPooled {
		p.cursors = slices.Clone(p.cursors[:maxPooled])
	}
	pools.Put(p)
}

func (p *pool) cursor() *snapshot.Postings {
	if p.used == len(p.cursors) {
		p.cursors = append(p.cursors, &snapshot.Postings{})
	}
	p.used++
	return p.cursors[p.used-1]
}

func (p *pool) bitset(n int) *Bitset {
	if p.lent == len(p.sets) {
		p.sets = append(p.sets, &Bitset{})
	}
	s := p.sets[p.lent]
	p.lent++
	s.reset(n)
	return s
}

// cursorBytes is about the memory of a cursor.
const cursorBytes = 1 << 10

// postings returns a cursor. Beyond maxCursors the next Charge ends the request.
func (r *Request) postings() *snapshot.Postings {
	if r.Work.Charge(64); r.pool.used >= maxCursors && r.Work.failed == nil {
		r.Work.failed = ErrTooCostly
	}
	if r.Work.failed != nil && r.pool.used > 0 {
		return r.pool.cursors[r.pool.used-1] // the request has failed: its matches are not used
	}
	r.Work.Hold(cursorBytes)
	return r.pool.cursor()
}

// bitset returns an empty set. It charges a step for each eight bytes, which also limits memory.
func (r *Request) bitset() *Bitset {
	r.Work.Charge((r.Items + 63) / 64)
	if r.Work.failed != nil && r.pool.lent > 0 {
		return r.pool.sets[r.pool.lent-1] // the request has failed: its matches are not used
	}
	return r.pool.bitset(r.Items)
}
