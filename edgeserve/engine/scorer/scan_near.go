// This file finds the terms and strings near a misspelt word. It seeks past terms that cannot match.

package scorer

import (
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/snapshot"
)

// ScanNear calls take for the terms near a word, with their distances, until take returns false.
// A term is valid during the call.
func (r *Request) ScanNear(f *snapshot.Field, m *pattern.Fuzzy, take func(term []byte, d int, info snapshot.TermInfo) bool) {
	w, it, least := m.Walk(), f.Terms().Seek(m.Prefix()), m.MinRunes()
	same := 0 // bytes that the term shares with the one that was compared before
	for more := it.Next(); more && begins(it, m.Prefix()); {
		if r.Work.Charge(termSteps+len(it.Term())/bytesPerStep) != nil {
			return
		}
		if same = min(same, it.Shared()); len(it.Term()) < least {
			more = it.Next()
			continue
		}
		d, dead, next := w.Distance(it.Term(), same)
		same = len(it.Term())
		switch {
		case d >= 0 && !take(it.Term(), d, it.Info()):
			return
		case dead > 0:
			more = r.Work.Charge(skipSteps) == nil && it.NextPast(dead)
		case next != nil:
			more = r.Work.Charge(skipSteps) == nil && it.SeekGE(next)
		default:
			more = it.Next()
		}
	}
}

// ScanNearStrings is ScanNear for the ordinals of strings. It skips the strings that admit rejects, unless admit is nil.
func (r *Request) ScanNearStrings(s *snapshot.Strings, admit func(string) bool, m *pattern.Fuzzy, take func(value []byte, d, ord int) bool) {
	from, to := r.PrefixOrdinals(s, m.Prefix())
	w, it := m.Walk(), s.Iter(from)
	var last []byte
	for ord := from; ord < to; {
		it.Seek(ord)
		value := it.Value()
		if r.Work.Charge(valueSteps+len(value)/bytesPerStep) != nil {
			return
		}
		same := commonPrefix(last, value)
		last = append(last[:same], value[same:]...)
		d, dead, next := w.Distance(value, same)
		switch {
		case d >= 0 && (admit == nil || admit(string(value))) && !take(value, d, ord):
			return
		case dead == 0 && next == nil:
			ord++
		case r.Work.Charge(skipSteps) == nil:
			if next != nil {
				dead = commonPrefix(last, next) + 1
			}
			ord = r.seekString(s, it, ord, to, last[:dead], next)
		}
	}
}

// maxStride is how many strings seekString steps over before it looks further.
const maxStride = 8

// seekString returns the first ordinal above ord whose string does not begin with dead, as the string of ord does, or
// the ordinal to. If next is not nil, the string is not below next.
func (r *Request) seekString(s *snapshot.Strings, it *snapshot.StringIter, ord, to int, dead, next []byte) int {
	for range maxStride {
		if ord++; ord >= to {
			return to
		}
		if it.Seek(ord); it.Shared() < len(dead) {
			return ord
		}
	}
	if next == nil {
		if next = snapshot.AppendAfter(nil, dead); next == nil {
			return to
		}
	}
	ord, _ = r.Find(s, next)
	return ord
}

func commonPrefix(a, b []byte) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
