// This file holds the part of BM25 that depends on a field's lengths alone: the
// index stores bounds made with it, the search scores with it.

package analysis

// K1 and B are the parameters of BM25 that Lucene uses unless told otherwise.
const (
	K1 = 1.2
	B  = 0.75
)

// LengthFactors returns, for each encoded length, k1*((1-b) + b*length/average): a
// term that stands tf times scores weight * tf/(tf+factor).
func LengthFactors(average float32) (f [256]float32) {
	for i := range f {
		f[i] = K1 * ((1 - B) + B*float32(DecodeLength(byte(i)))/average)
	}
	return f
}
