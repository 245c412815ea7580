// This file counts in UTF-16, because Java does: offsets and lengths of words are in its units.

package analysis

// UTF16Len is the length of a text in UTF-16 code units.
func UTF16Len(text string) (n int) {
	for _, r := range text {
		if n++; r > 0xffff {
			n++
		}
	}
	return n
}
