// This file counts UTF-16 units. As in Java, offsets and lengths of words are in these units.

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
