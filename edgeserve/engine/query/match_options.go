// This file interprets fuzziness and minimum_should_match, which have a syntax of their own.

package query

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"contentedge/edgeserve/engine/analysis"
)

// AutoFuzziness is AUTO: no edits in words below 3 code points, 1 edit below 6, otherwise 2.
var AutoFuzziness = Fuzziness{Auto: true, Low: 3, High: 6}

// ParseFuzziness parses AUTO, AUTO:low,high or a number. It drops the fraction of a number and
// takes more than 2 as 2. A negative number gives -1 edits, which callers must reject.
func ParseFuzziness(s string) (Fuzziness, error) {
	up := strings.ToUpper(s)
	if up == "AUTO" {
		return AutoFuzziness, nil
	}
	if limits, ok := strings.CutPrefix(up, "AUTO:"); ok {
		low, high, ok := strings.Cut(limits, ",")
		l, err1 := javaInt(low)
		h, err2 := javaInt(high)
		if !ok || err1 != nil || err2 != nil || l < 0 || l > h {
			return Fuzziness{}, errFuzziness
		}
		return Fuzziness{Auto: true, Low: l, High: h}, nil
	}
	f, ok := analysis.ParseDouble(s, 64)
	if !ok {
		return Fuzziness{}, errFuzziness
	}
	if math.IsNaN(f) {
		f = 0
	}
	return Fuzziness{Edits: int(max(-1, min(2, f)))}, nil
}

var errFuzziness = errors.New("a fuzziness is AUTO, AUTO:low,high, 0, 1 or 2")

// MinMatch returns how many of n clauses minimum_should_match requires. The result may exceed n. A
// syntax error counts only in a condition that n reaches.
func MinMatch(spec string, n int) (int, error) {
	spec = strings.TrimFunc(spec, func(c rune) bool { return c <= ' ' })
	if !strings.Contains(spec, "<") {
		return minMatchPart(spec, n)
	}
	result := n
	for _, cond := range strings.Fields(trimAroundLess(spec)) {
		bound, then, _ := strings.Cut(cond, "<")
		most, err := javaInt(bound)
		if err != nil {
			return 0, err
		}
		if n <= most {
			return result, nil
		}
		if result, err = minMatchPart(then, n); err != nil {
			return 0, err
		}
	}
	return result, nil
}

func trimAroundLess(s string) string {
	parts := strings.Split(s, "<")
	for i := range parts {
		if i > 0 {
			parts[i] = strings.TrimLeft(parts[i], " \t\n\r\f\v")
		}
		if i < len(parts)-1 {
			parts[i] = strings.TrimRight(parts[i], " \t\n\r\f\v")
		}
	}
	return strings.Join(parts, "<")
}

// minMatchPart evaluates an integer or a percentage of n. A negative result is subtracted from n.
func minMatchPart(spec string, n int) (int, error) {
	digits, percent := strings.CutSuffix(spec, "%")
	k, err := javaInt(digits)
	if err != nil {
		return 0, err
	}
	part := float32(k)
	if percent {
		part = float32(n*k) * (1 / float32(100))
	}
	if part < 0 {
		return max(0, n+int(part)), nil
	}
	return int(part), nil
}

func javaInt(s string) (int, error) {
	k, err := strconv.ParseInt(s, 10, 32)
	return int(k), err
}
