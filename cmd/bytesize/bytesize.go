// Package bytesize reads sizes on command lines.
package bytesize

import (
	"math"
	"strconv"
	"strings"
)

// Parse reads a positive number of bytes, optionally with a unit: 268435456, 256MiB, 1 TiB.
// It reports whether text is one.
func Parse(text string) (int64, bool) {
	number, shift := text, 0
	for i, unit := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if n, ok := strings.CutSuffix(text, unit); ok {
			number, shift = strings.TrimSpace(n), 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	return n << shift, err == nil && n > 0 && n <= math.MaxInt64>>shift
}
