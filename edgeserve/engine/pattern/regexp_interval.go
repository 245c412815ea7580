// This file expands number intervals such as <7-120> into other operators.

package pattern

import (
	"math"
	"strconv"
	"strings"
)

// interval parses <n-m> after the opening bracket. Bounds of equal length fix the number of digits; other
// bounds allow leading zeros. It swaps bounds in the wrong order.
func (p *regexpParser) interval() *node {
	from := p.pos
	low, high, _ := strings.Cut(p.until('>'), "-")
	a, errA := bound(low)
	b, errB := bound(high)
	if errA != nil || errB != nil || !p.has(Interval) {
		p.pos = from
		p.fail("expected an interval of numbers like <1-10>")
		return join(opUnion, nil)
	}
	a, b = min(a, b), max(a, b)
	if len(low) == len(high) {
		return digitRange(pad(a, len(low)), pad(b, len(low)))
	}
	zeros := repeat(literal('0'), 0, unlimited)
	return &node{op: opConcat, kids: []*node{zeros, numberRange(a, b)}}
}

func bound(s string) (int, error) {
	if strings.Contains(s, "-") {
		return 0, strconv.ErrSyntax
	}
	n, err := strconv.Atoi(s)
	if n > math.MaxInt32 {
		return 0, strconv.ErrRange
	}
	return n, err
}

func pad(n, digits int) string {
	s := strconv.Itoa(n)
	return strings.Repeat("0", max(0, digits-len(s))) + s
}

// numberRange matches the numbers from a to b without leading zeros.
func numberRange(a, b int) *node {
	var kids []*node
	for least := 1; ; least *= 10 {
		low, high := max(a, least), min(b, least*10-1)
		if least == 1 {
			low = a
		}
		if low <= high {
			kids = append(kids, digitRange(strconv.Itoa(low), strconv.Itoa(high)))
		}
		if high == b {
			return join(opUnion, kids)
		}
	}
}

// digitRange matches digit strings from a to b, of equal length. The full range ends the recursion,
// so the result grows only with the number of digits.
func digitRange(a, b string) *node {
	n := len(a)
	if a == strings.Repeat("0", n) && b == strings.Repeat("9", n) {
		return repeat(digitSet('0', '9'), n, n)
	}
	x, y := a[0], b[0]
	n--
	if x == y {
		return digits(x, x, digitRange(a[1:], b[1:]))
	}
	kids := []*node{
		digits(x, x, digitRange(a[1:], strings.Repeat("9", n))),
		digits(y, y, digitRange(strings.Repeat("0", n), b[1:])),
	}
	if x+1 < y {
		kids = append(kids, digits(x+1, y-1, repeat(digitSet('0', '9'), n, n)))
	}
	return join(opUnion, kids)
}

func digits(x, y byte, rest *node) *node {
	return &node{op: opConcat, kids: []*node{digitSet(x, y), rest}}
}

func digitSet(x, y byte) *node {
	return &node{op: opSet, spans: []span{{rune(x), rune(y)}}}
}
