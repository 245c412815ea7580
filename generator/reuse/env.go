// This file compares the documents of an environment with those of the release before.

package reuse

import (
	"bytes"
	"cmp"
	"runtime"
	"sync"

	"contentedge/edgeserve/snapshot"
)

// IDs are the content ids of an environment of the new release.
type IDs interface {
	Len() int
	// ID is the content id of a document.
	ID(doc int) string
}

// Documents are those of the new release, in document order.
type Documents interface {
	IDs
	// Append appends the fragment of a document.
	Append(dst []byte, doc int) ([]byte, error)
}

// none is an old document that there is not.
const none = -1

// Env is an environment that both releases have.
type Env struct {
	Reader *snapshot.Reader // the old release's snapshot

	old     []int32 // by new document: the old one of the same content id, or none
	same    []bool  // by new document: the old one has the same bytes
	changed int
	lists   *lists
	users   sync.WaitGroup
}

// Env compares the documents of an environment; nil where the release has nothing to
// compare with. The error is the system's, or that of reading docs.
func (r *Release) Env(id string, docs Documents) (*Env, error) {
	s, err := r.open(id)
	if err != nil || s == nil {
		return nil, err
	}
	e := &Env{Reader: s, old: make([]int32, docs.Len()), same: make([]bool, docs.Len())}
	if err := e.compare(docs); err != nil {
		e.Close()
		return nil, err
	}
	for _, same := range e.same {
		if !same {
			e.changed++
		}
	}
	return e, nil
}

// Use keeps the snapshot open until done is called.
func (e *Env) Use() (done func()) {
	e.users.Add(1)
	return e.users.Done
}

// Close lets go of the snapshot, without waiting for its users.
func (e *Env) Close() {
	go func() {
		e.users.Wait()
		_ = e.Reader.Close() // only read from
	}()
}

// compare finds the old documents, a range of the new ones on each core.
func (e *Env) compare(docs Documents) error {
	n, k := docs.Len(), runtime.GOMAXPROCS(0)
	errs := make([]error, k)
	var wg sync.WaitGroup
	for i := range k {
		wg.Go(func() { errs[i] = e.compareRange(docs, n*i/k, n*(i+1)/k) })
	}
	wg.Wait()
	return cmp.Or(errs...)
}

func (e *Env) compareRange(docs Documents, from, to int) (err error) {
	var text []byte
	for doc := from; doc < to; doc++ {
		old, ok := e.Reader.Lookup(docs.ID(doc))
		if !ok {
			e.old[doc] = none
			continue
		}
		if text, err = docs.Append(text[:0], doc); err != nil {
			return err
		}
		e.old[doc] = int32(old)
		e.same[doc] = bytes.Equal(text, e.Reader.Fragment(old))
	}
	return nil
}

// Removed counts the old documents whose content id no new one has.
func (e *Env) Removed() int {
	n := e.Reader.Items()
	for _, old := range e.old {
		if old != none {
			n--
		}
	}
	return n
}

// Removed counts the items of an environment whose content id is not among ids. It is
// false where the release has nothing to compare with. The error is the system's.
func (r *Release) Removed(id string, ids IDs) (n int, ok bool, err error) {
	s, err := r.open(id)
	if err != nil || s == nil {
		return 0, false, err
	}
	defer func() { _ = s.Close() }() // only read from
	n = s.Items()
	for doc := range ids.Len() {
		if _, ok := s.Lookup(ids.ID(doc)); ok {
			n--
		}
	}
	return n, true, nil
}

// Item tells whether the file of a document is what it was.
func (e *Env) Item(doc int) bool { return e.same[doc] }

// InPlace tells whether both releases have the same content ids in the same order.
func (e *Env) InPlace() bool {
	if len(e.old) != e.Reader.Items() {
		return false
	}
	for doc, old := range e.old {
		if int(old) != doc {
			return false
		}
	}
	return true
}

// Unchanged tells whether both releases have the same documents in the same order.
func (e *Env) Unchanged() bool { return e.changed == 0 && e.InPlace() }

// Changed are the documents that are new or have other bytes.
func (e *Env) Changed() []snapshot.DocID {
	docs := make([]snapshot.DocID, 0, e.changed)
	for doc, same := range e.same {
		if !same {
			docs = append(docs, snapshot.DocID(doc))
		}
	}
	return docs
}
