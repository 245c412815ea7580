// This file numbers words: for each path its terms, or its values where they are few.
// It is a hash table that copies a word once and never converts it to a string, which
// halves the time of a map here.

package index

import (
	"bytes"
	"hash/maphash"
)

// seed is that of this process's tables; no result depends on it.
var seed = maphash.MakeSeed()

// words numbers distinct words from 0 in the order they come in.
type words struct {
	slots []slot // a power of two of them, more than half of them free
	text  []byte // all words, one after the other
	ends  []uint32
}

// slot is a word's number and a part of its hash; the zero slot is free.
type slot struct {
	number uint32 // plus one
	hash   uint32
}

func (w *words) len() int { return len(w.ends) }

// at is the word of a number.
func (w *words) at(number int) []byte {
	start := uint32(0)
	if number > 0 {
		start = w.ends[number-1]
	}
	return w.text[start:w.ends[number]]
}

// number returns the number of a word, and whether it is new.
func (w *words) number(word []byte) (number uint32, isNew bool) {
	if 2*len(w.ends) >= len(w.slots) {
		w.grow()
	}
	h := uint32(maphash.Bytes(seed, word))
	mask := uint32(len(w.slots) - 1)
	i := h & mask
	for ; w.slots[i].number != 0; i = (i + 1) & mask {
		if s := w.slots[i]; s.hash == h && bytes.Equal(w.at(int(s.number-1)), word) {
			return s.number - 1, false
		}
	}
	w.text = append(w.text, word...)
	w.ends = append(w.ends, uint32(len(w.text)))
	w.slots[i] = slot{uint32(len(w.ends)), h}
	return uint32(len(w.ends) - 1), true
}

func (w *words) grow() {
	old := w.slots
	w.slots = make([]slot, max(64, 2*len(old)))
	mask := uint32(len(w.slots) - 1)
	for _, s := range old {
		if s.number == 0 {
			continue
		}
		i := s.hash & mask
		for w.slots[i].number != 0 {
			i = (i + 1) & mask
		}
		w.slots[i] = s
	}
}
