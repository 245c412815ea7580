// This file finds the terms and strings near a misspelt word. It seeks past those that cannot match.

package iter

import (
	"contentedge/edgeserve/pattern"
	"contentedge/edgeserve/snapshot"
)

// ScanNear calls take for the terms near a word, with their distances, until take returns false.
// A term is valid during the call.
func (r *Request) ScanNear(f *snapshot.Field, m *pattern.Fuzzy, take func(term []byte, d int, info snapshot.TermInfo) bool) {
	w, prefix := m.Walk(), string(m.Prefix())
	it := f.Terms().Seek(m.Prefix())
	for more := it.Next(); more && hasPrefix(it.Term(), prefix); {
		if r.Charge(termSteps+len(it.Term())/bytesPerStep) != nil {
			return
		}
		d, ok, next := w.Distance(it.Term())
		switch {
		case ok && !take(it.Term(), d, it.Info()):
			return
		case next == nil:
			more = it.Next()
		default:
			more = r.Charge(skipSteps) == nil && it.SeekGE(next)
		}
	}
}

// ScanNearStrings is ScanNear for the ordinals of strings. It skips what a non-nil admit rejects.
func (r *Request) ScanNearStrings(s *snapshot.Strings, admit func(string) bool, m *pattern.Fuzzy, take func(value []byte, d, ord int) bool) {
	from, to := PrefixOrdinals(s, m.Prefix())
	w, it := m.Walk(), s.Iter(from)
	for ord := from; ord < to; {
		it.Seek(ord)
		value := it.Value()
		if r.Charge(valueSteps+len(value)/bytesPerStep) != nil {
			return
		}
		d, ok, next := w.Distance(value)
		switch {
		case ok && (admit == nil || admit(string(value))) && !take(value, d, ord):
			return
		case next == nil:
			ord++
		case r.Charge(skipSteps) == nil:
			ord = r.seekString(s, it, ord, to, next)
		}
	}
}

// maxStride is how many strings seekString steps over before it looks further.
const maxStride = 8

// seekString returns the first ordinal below to and above ord whose string is at least next.
func (r *Request) seekString(s *snapshot.Strings, it *snapshot.StringIter, ord, to int, next []byte) int {
	value := it.Value()
	same := 0
	for same < len(value) && same < len(next) && value[same] == next[same] {
		same++
	}
	// What shares more with its predecessor than that shares with next is smaller too.
	for range maxStride {
		if ord++; ord >= to {
			return to
		}
		if it.Seek(ord); it.Shared() <= same {
			return ord
		}
	}
	ord, _ = s.Find(next)
	return ord
}
