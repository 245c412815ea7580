package watch

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkScan is for the cost that scan.go names, on a tenth of that tree.
func BenchmarkScan(b *testing.B) {
	dir := b.TempDir()
	d := disk{b, dir}
	const files, dirs = 4000, 40
	for i := range files {
		d.write(fmt.Sprintf("%d/%d.json", i%dirs, i), "{}")
	}
	for b.Loop() {
		newScan(dir, noDots, nil, time.Now()).dir(dir)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/files, "ns/file")
}
