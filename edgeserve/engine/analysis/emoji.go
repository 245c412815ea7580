// This file scans emoji sequences, flags, keycaps, and runs of scripts without spaces.

package analysis

type emojiNext uint8

const (
	nothing    emojiNext = iota
	unmodified           // an emoji that is not a bare modifier
	anyEmoji
)

// scanEmoji returns the end of an emoji sequence or 0. Joiners (ZWJ) connect emoji or begin the
// sequence.
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

// takeEmojiTail consumes an emoji's marks and modifier, or style. It returns a possible token end.
func takeEmojiTail(w *window, c class, first bool) (end int, next emojiNext) {
	joined, _ := takeMarks(w)
	after, size := w.peek()
	if c != emojiMod && after == emojiStyle {
		w.take(size)
		return takeStyled(w, first)
	}
	if c == emojiBase && after == emojiMod {
		w.take(size)
		joined, _ = takeMarks(w)
	}
	if joined {
		next = anyEmoji
	}
	return w.pos, next
}

// takeStyled consumes the tags or joiners after a styled emoji. Tags may follow only the first emoji. Joiners belong to
// the token only before another emoji.
func takeStyled(w *window, first bool) (end int, next emojiNext) {
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

func takeJoiners(w *window) (n int) {
	for c, size := w.peek(); c == zwj; c, size = w.peek() {
		w.take(size)
		n++
	}
	return n
}

// takeMarks consumes marks except styles. joined reports whether the last mark is a joiner, keycapped
// whether any mark is a keycap.
func takeMarks(w *window) (joined, keycapped bool) {
	for {
		c, size := w.peek()
		if !c.isMark() || c == textStyle || c == emojiStyle {
			return joined, keycapped
		}
		w.take(size)
		joined, keycapped = c == zwj, keycapped || c == keycap
	}
}

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

// scanKeycap returns the end of a keycap sequence, or 0: `#` or `*` and marks with an enclosing
// keycap among them. An emoji style may precede one keycap.
func scanKeycap(w window) (end int) {
	w.take(1)
	if _, keycapped := takeMarks(&w); keycapped {
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

// scanRun returns the end of a character and the marks and characters of class more after it.
func scanRun(w window, more class) int {
	_, size := w.peek()
	for c := more; c == more || c.isMark(); c, size = w.peek() {
		w.take(size)
	}
	return w.pos
}
