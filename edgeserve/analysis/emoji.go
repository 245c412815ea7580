// This file finds the ends of the tokens that are not words: emoji sequences, flags,
// keycaps, and runs of scripts written without spaces.

package analysis

// follow is what may follow an emoji in its sequence.
type follow uint8

const (
	nothing    follow = iota
	unmodified        // an emoji that is not a bare modifier
	anyEmoji
)

// scanEmoji returns the end of the emoji sequence at w, or 0. A sequence is emoji
// held together by joiners (ZWJ), and may begin with joiners.
func scanEmoji(w window) (end int) {
	next := anyEmoji
	if takeJoiners(&w) > 0 {
		next = unmodified
	}
	for next != nothing {
		c, size := w.peek()
		if !startsEmoji(c) || c == emojiMod && next == unmodified {
			break
		}
		w.take(size)
		end, next = takeEmojiTail(&w, c, end == 0)
	}
	return end
}

// takeEmojiTail takes what belongs to an emoji of class c: marks, then a modifier and
// its marks, or a style. It returns where the token may end.
func takeEmojiTail(w *window, c class, first bool) (end int, next follow) {
	joined := takeMarks(w)
	after, size := w.peek()
	if c != emojiMod && after == emojiStyle {
		w.take(size)
		return takeStyled(w, first)
	}
	if c == emojiBase && after == emojiMod {
		w.take(size)
		joined = takeMarks(w)
	}
	if joined {
		next = anyEmoji
	}
	return w.pos, next
}

// takeStyled takes what may follow an emoji with its style: tags, if it is the first of
// the sequence, or joiners, which belong to the token only with another emoji.
func takeStyled(w *window, first bool) (end int, next follow) {
	end = w.pos
	if tags := scanTags(*w); first && tags > 0 {
		return tags, nothing
	}
	switch takeJoiners(w) {
	case 0:
		return end, nothing
	case 1:
		return end, anyEmoji
	}
	return end, unmodified
}

func startsEmoji(c class) bool {
	return c == emoji || c == emojiLetter || c == emojiBase || c == emojiMod
}

// scanTags returns the end of the tags and their terminator at w, or 0.
func scanTags(w window) int {
	some := false
	for c, size := w.peek(); c == tag || c == tagEnd && some; c, size = w.peek() {
		w.take(size)
		if c == tagEnd {
			return w.pos
		}
		some = true
	}
	return 0
}

// takeJoiners takes joiners and counts them.
func takeJoiners(w *window) (n int) {
	for c, size := w.peek(); c == zwj; c, size = w.peek() {
		w.take(size)
		n++
	}
	return n
}

// takeMarks takes marks other than styles and tells whether the last is a joiner.
func takeMarks(w *window) (joined bool) {
	for {
		c, size := w.peek()
		if !c.isMark() || c == textStyle || c == emojiStyle {
			return joined
		}
		w.take(size)
		joined = c == zwj
	}
}

// scanFlag returns the end of the pair of regional indicators at w, or 0.
func scanFlag(w window) int {
	for range 2 {
		c, size := w.peek()
		if c != regional {
			return 0
		}
		w.take(size)
		for c, size = w.peek(); c.isMark(); c, size = w.peek() {
			w.take(size)
		}
	}
	return w.pos
}

// scanKeycap returns the end of the keycap sequence at w, or 0: `#` or `*` and marks,
// of which one is an enclosing keycap. One keycap may have an emoji style before it.
func scanKeycap(w window) (end int) {
	w.take(1)
	if takeKeycapMarks(&w) {
		end = w.pos
	}
	if c, size := w.peek(); c == emojiStyle {
		w.take(size)
		if c, _ = w.peek(); c == keycap {
			takeMarks(&w)
			end = w.pos
		}
	}
	return end
}

// takeKeycapMarks is takeMarks, but tells whether one of the marks is a keycap.
func takeKeycapMarks(w *window) (capped bool) {
	for {
		c, size := w.peek()
		if !c.isMark() || c == textStyle || c == emojiStyle {
			return capped
		}
		w.take(size)
		capped = capped || c == keycap
	}
}

// scanRun returns the end of the character at w and all that follow it and are marks
// or of class more.
func scanRun(w window, more class) int {
	_, size := w.peek()
	for c := more; c == more || c.isMark(); c, size = w.peek() {
		w.take(size)
	}
	return w.pos
}
