// Package bytesize reads sizes on command lines and writes sizes for people.
package bytesize

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

var units = [...]string{"KiB", "MiB", "GiB", "TiB"} // of 1,024 of the unit before, the first of bytes

// Parse reads a positive number of bytes, optionally with a unit: 268435456, 256MiB, 1 TiB. It
// reports whether text has this form.
func Parse(text string) (int64, bool) {
	number, shift := text, 0
	for i, unit := range units {
		if n, ok := strings.CutSuffix(text, unit); ok {
			number, shift = strings.TrimSpace(n), 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	return n << shift, err == nil && n > 0 && n <= math.MaxInt64>>shift
}

// Flag returns the function of a flag that sets a size.
func Flag(to *int64) func(text string) error {
	return func(text string) error {
		n, ok := Parse(text)
		if !ok {
			return errors.New("must be a whole number of bytes, optionally with " + strings.Join(units[:len(units)-1], ", ") + " or " + units[len(units)-1])
		}
		*to = n
		return nil
	}
}

// Format is a size with one digit after the point.
func Format(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	f, u := float64(n)/1024, 0
	for f >= 1024 && u < len(units)-1 {
		f /= 1024
		u++
	}
	return fmt.Sprintf("%.1f %s", f, units[u])
}

// Exact is a size that Parse reads back: a whole number of the largest unit of which it is one.
func Exact(n int64) string {
	unit := ""
	for _, next := range units {
		if n == 0 || n%1024 != 0 {
			break
		}
		n, unit = n>>10, next
	}
	return strconv.FormatInt(n, 10) + unit
}
