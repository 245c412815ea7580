// This file writes numbers as Elasticsearch does.

package envelope

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// AppendFloat writes a 32-bit or 64-bit number as Java does, always with a fraction. Numbers from
// 10^7 up and below 10^-3 have an exponent. NaN and infinities become strings, as JSON lacks them.
func AppendFloat(dst []byte, f float64, bits int) []byte {
	switch size := math.Abs(f); {
	case math.IsNaN(f):
		return append(dst, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...)
	case f == 0 || size >= 1e-3 && size < 1e7:
		start := len(dst)
		dst = strconv.AppendFloat(dst, f, 'f', -1, bits)
		if bytes.IndexByte(dst[start:], '.') < 0 {
			dst = append(dst, ".0"...)
		}
		return dst
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, bits), "e")
	dst = append(dst, mantissa...)
	if !strings.Contains(mantissa, ".") {
		dst = append(dst, ".0"...)
	}
	n, _ := strconv.Atoi(exponent)
	return strconv.AppendInt(append(dst, 'E'), int64(n), 10)
}
