package compression

import (
	"fmt"
	"os"
	"testing"

	"contentedge/edgeserve/wire/contentcoding"
)

// BenchmarkEncode justifies the codings and levels of EncodeFast: a page of results at
// each level. ratio is compressed to plain bytes.
func BenchmarkEncode(b *testing.B) {
	page, err := os.ReadFile("testdata/list.json")
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range contentcoding.Codings {
		for level := bounds[c][0]; level <= bounds[c][1]; level++ {
			b.Run(fmt.Sprintf("%s/%d", c, level), func(b *testing.B) {
				var l Levels
				l[c] = level
				var out []byte
				b.SetBytes(int64(len(page)))
				b.ReportAllocs()
				for b.Loop() {
					out = l.Encode(c, out[:0], page)
				}
				b.ReportMetric(float64(len(out))/float64(len(page)), "ratio")
			})
		}
	}
}
