// This file holds the part of BM25 for field lengths, shared by the index's bounds and searches.

package analysis

// K1 and B are BM25's parameters, with Lucene's defaults.
const (
	K1 = 1.2
	B  = 0.75
)

// LengthFactors returns factor = k1*((1-b) + b*length/average) per encoded length. A term with
// frequency tf scores weight * tf/(tf+factor).
func LengthFactors(average float32) (f [256]float32) {
	for i := range f {
		f[i] = K1 * ((1 - B) + B*float32(DecodeLength(byte(i)))/average)
	}
	return f
}
