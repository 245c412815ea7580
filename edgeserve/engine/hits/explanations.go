// This file writes explanations of scores.

package hits

// Explanations returns a part that writes the explanations of a page, listed by place, and about
// their bytes.
func Explanations(list [][]byte) (part Part, size int) {
	for _, e := range list {
		size += len(e) + len(explanationMember)
	}
	return func(dst []byte, place int) ([]byte, error) {
		return append(append(dst, explanationMember...), list[place]...), nil
	}, size
}

const explanationMember = `,"_explanation":`
