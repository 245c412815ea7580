// This file compares the documents of an environment with the baseline.

package incremental

import (
	"bytes"
	"context"
	"runtime"
	"sync"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/engine/parallel"
	"contentedge/edgeserve/engine/snapshot"
)

// IDs are an environment's content ids.
type IDs interface {
	Len() int
	// ID is the content id of a document.
	ID(doc int) string
}

// Documents are an environment's documents, in document order.
type Documents interface {
	IDs
	// Append appends the fragment of a document.
	Append(dst []byte, doc int) ([]byte, error)
}

// noDoc stands for no matching baseline document.
const noDoc = -1

// Env compares an environment of the baseline with the new release's.
type Env struct {
	Reader *snapshot.Reader // the baseline's snapshot; nil while it is suspended

	path    string  // of the snapshot
	items   int     // of the baseline
	old     []int32 // by new document: the baseline's document with the same content id, or noDoc
	same    []bool  // by new document: that document of the baseline has the same bytes
	changed int
	lists   *lists
	users   sync.WaitGroup
}

// Env compares the documents of an environment with the baseline. It returns nil if the baseline has no sound snapshot
// of the environment. It returns errors of the system and of docs.
//
// A process that made the baseline itself passes known: for each document, the baseline's document
// with the same bytes, or -1 where the bytes have to be compared. Without known all are compared, and
// the snapshot is verified first.
func (b *Baseline) Env(id string, docs Documents, known []int32) (*Env, error) {
	s, err := b.open(id, known == nil)
	if err != nil || s == nil {
		return nil, err
	}
	e := &Env{Reader: s, path: b.snapshot(id), items: s.Items(), old: make([]int32, docs.Len()), same: make([]bool, docs.Len())}
	if err := e.compare(docs, known); err != nil {
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

// Close unmaps the snapshot once its users are done. It does not wait for them.
func (e *Env) Close() {
	r := e.Reader
	if e.Reader = nil; r == nil {
		return
	}
	go func() {
		defer crash.Exit()
		e.users.Wait()
		_ = r.Close() // read only
	}()
}

// Suspend unmaps the snapshot until Resume, as thousands of environments would map as many snapshots. Until then the
// snapshot must not be used.
func (e *Env) Suspend() {
	_ = e.Reader.Close() // read only
	e.Reader = nil
}

// Resume maps the snapshot again.
func (e *Env) Resume() (err error) {
	e.Reader, err = snapshot.Open(e.path)
	return err
}

func (e *Env) compare(docs Documents, known []int32) error {
	if known != nil {
		return e.compareRest(docs, known)
	}
	workers := runtime.GOMAXPROCS(0)
	texts := make([][]byte, workers)
	return parallel.Each(context.Background(), workers, docs.Len(), func(worker, doc int) (err error) {
		texts[worker], err = e.compareOne(docs, doc, texts[worker])
		return err
	})
}

func (e *Env) compareRest(docs Documents, known []int32) (err error) {
	var text []byte
	for doc, old := range known {
		if e.old[doc], e.same[doc] = old, true; old == noDoc {
			if text, err = e.compareOne(docs, doc, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareOne compares a document. It may use the memory of text.
func (e *Env) compareOne(docs Documents, doc int, text []byte) ([]byte, error) {
	e.old[doc], e.same[doc] = noDoc, false
	old, ok := e.Reader.Lookup(docs.ID(doc))
	if !ok {
		return text, nil
	}
	text, err := docs.Append(text[:0], doc)
	if err != nil {
		return text, err
	}
	e.old[doc], e.same[doc] = int32(old), bytes.Equal(text, e.Reader.Fragment(old))
	return text, nil
}

// Removed counts the baseline's documents whose content id the new release lacks.
func (e *Env) Removed() int {
	n := e.items
	for _, old := range e.old {
		if old != noDoc {
			n--
		}
	}
	return n
}

// Removed counts the baseline's items of an environment that are not among ids. It returns false if
// the baseline has no sound snapshot. The error is the system's.
func (b *Baseline) Removed(id string, ids IDs) (n int, ok bool, err error) {
	s, err := b.open(id, true)
	if err != nil || s == nil {
		return 0, false, err
	}
	defer func() { _ = s.Close() }() // read only
	n = s.Items()
	for doc := range ids.Len() {
		if _, ok := s.Lookup(ids.ID(doc)); ok {
			n--
		}
	}
	return n, true, nil
}

// Item reports whether the file of a document is unchanged.
func (e *Env) Item(doc int) bool { return e.same[doc] }

// InPlace reports whether both releases have the same content ids in the same order.
func (e *Env) InPlace() bool {
	if len(e.old) != e.items {
		return false
	}
	for doc, old := range e.old {
		if int(old) != doc {
			return false
		}
	}
	return true
}

// Unchanged reports whether both releases have the same documents in the same order.
func (e *Env) Unchanged() bool { return e.changed == 0 && e.InPlace() }

// Same returns, for each document, the baseline's document with the same bytes, or -1.
func (e *Env) Same() []int32 {
	docs := make([]int32, len(e.old))
	for doc, same := range e.same {
		if docs[doc] = noDoc; same {
			docs[doc] = e.old[doc]
		}
	}
	return docs
}
