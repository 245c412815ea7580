// This benchmark measures loading: one large file, whose parts the workers share,
// and many small ones.

package model

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

func BenchmarkLoad(b *testing.B) {
	lines := many(40_000, nil)
	small := make(map[string]string)
	for i, line := range strings.Split(many(10_000, nil), "\n")[:10_000] {
		small[fmt.Sprintf("e/%d.json", i)] = strings.ReplaceAll(line, `,"`, ",\n  \"")
	}
	for name, files := range map[string]map[string]string{"one file of 40000 lines": {"e/x.ndjson": lines}, "10000 files": small} {
		b.Run(name, func(b *testing.B) {
			t := tree(b, files)
			b.ReportAllocs()
			for b.Loop() {
				if site, diagnostics, err := Load(context.Background(), t, Options{}); site == nil {
					b.Fatal(said(diagnostics), err)
				}
			}
		})
	}
}
