// This file makes a corpus of values that engines like to confuse. Dates have several notations, fall
// on one day, or are at clock changes. Fractions are closer than 32 or 64 bits tell apart. Integers
// are at the ends of 53 and 64 bits. Some items have arrays of objects, empty texts and repeated values.
// The tame corpus lacks values that an item has twice, and values that their path's type cannot hold.

package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	hardName  = "hard" // of the environment
	hardItems = 1200
)

// hard writes the corpus of a seed into a file of a content directory, an item a line.
func hard(seed uint64, tame bool, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer out.Close()
	w, h := bufio.NewWriter(out), hardWriter{rand.New(rand.NewPCG(seed, 31)), tame}
	for i := range hardItems {
		fmt.Fprintf(w, `{"ContentID":"Content_%04d","Name":%q,"TemplateName":%q,"Status":%q,"CreatedBy":%q,"CreatedAt":%q,"Data":{%s}}`+"\n",
			i, h.words(4), h.pick("Page", "Post", "Event"), h.pick("Published", "Draft"), h.pick("", "Ann Lee", "Zoë"), "2024-0"+h.pick("1", "2", "3")+"-15T00:00:00.500Z", h.data())
	}
	return w.Flush()
}

type hardWriter struct {
	*rand.Rand
	tame bool
}

func (h hardWriter) pick(from ...string) string { return from[h.IntN(len(from))] }

func (h hardWriter) data() string {
	var members []string
	add := func(name string, value func() string, several bool) {
		switch n := h.IntN(8); {
		case n == 0:
		case n == 1:
			members = append(members, fmt.Sprintf("%q:%s", name, h.pick("null", "[]", "[null]", value())))
		case n < 5 && several:
			members = append(members, fmt.Sprintf("%q:[%s]", name, h.list(value)))
		default:
			members = append(members, fmt.Sprintf("%q:%s", name, value()))
		}
	}
	add("when", h.date, true)
	add("day", func() string { return h.quote(h.day()) }, false)
	add("at", h.clockChange, true)
	add("old", h.oldDate, false)
	// Several numbers are equal in 32 bits, as whole numbers or as fractions.
	add("close", func() string { return h.pick(closeNumbers...) }, !h.tame)
	add("deep", func() string { return h.pick(deepNumbers...) }, false)
	add("whole", func() string { return h.pick(wholeNumbers...) }, !h.tame)
	if !h.tame {
		add("big", func() string { return h.pick(bigNumbers...) }, false)
		add("huge", func() string { return h.pick(hugeNumbers...) }, false)
	}
	add("count", func() string { return fmt.Sprint(h.IntN(4) - 1) }, true)
	add("rank", func() string { return fmt.Sprint(h.IntN(100)) }, false)
	add("flag", func() string { return h.pick("true", "false") }, true)
	add("tags", func() string { return h.quote(h.pick("", "a", "b", "B", "a b", "é")) }, true)
	add("note", func() string { return h.quote(h.pick("", "", h.words(6))) }, true)
	add("lines", h.line, !h.tame)
	add("size", func() string {
		return h.quote(h.pick("204800", "1.50", "-3", "1e3", "", "007", "9007199254740993", "big"))
	}, !h.tame)
	add("mostly", func() string {
		if !h.tame && h.IntN(20) == 0 {
			return h.quote("soon")
		}
		return h.date()
	}, true)
	add("mixed", func() string {
		return h.pick(h.date(), h.pick(wholeNumbers...), h.pick(closeNumbers...), "true", h.quote(h.words(2)))
	}, !h.tame)
	return strings.Join(members, ",")
}

// list returns up to four values, some twice unless the corpus is tame.
func (h hardWriter) list(value func() string) string {
	var vs []string
	for range h.IntN(4) {
		v := value()
		if h.tame && slices.Contains(vs, v) {
			continue
		}
		if vs = append(vs, v); !h.tame && h.IntN(3) == 0 {
			vs = append(vs, v)
		}
	}
	return strings.Join(vs, ",")
}

func (h hardWriter) line() string {
	return fmt.Sprintf(`{"sku":%q,"price":%s,"on":%s,"parts":[%s]}`, h.pick("a-1", "a-2", "B-1", ""), h.pick("1.5", "10.0", "0.1", "16777217.5"), h.date(),
		h.list(func() string { return fmt.Sprintf(`{"n":%d}`, h.IntN(3)) }))
}

func (hardWriter) quote(s string) string { return fmt.Sprintf("%q", s) }

var vocabularyOfHard = strings.Fields("red green blue coat shoe lining The of a quick brown fox Straße naïve 東京 v1.2.3 node.js 2024-03-31 42 true")

func (h hardWriter) words(n int) string {
	ws := make([]string, h.IntN(n+1))
	for i := range ws {
		ws[i] = h.pick(vocabularyOfHard...)
	}
	return strings.Join(ws, " ")
}

// day returns one of few days: the ends of months and years, and the days of clock changes.
func (h hardWriter) day() string {
	return h.pick("2024-01-01", "2023-12-31", "2024-02-29", "2024-03-01", "2024-03-10", "2024-03-31", "2024-10-27", "2024-11-03", "2024-12-31")
}

// date is one of few instants in one of many notations.
func (h hardWriter) date() string {
	hour := h.day() + "T" + h.pick("00", "01", "08", "20", "23")
	minute := hour + ":" + h.pick("00", "30")
	second := minute + ":" + h.pick("00", "59")
	if h.tame {
		return h.quote(second + "Z") // the same instant has the same text
	}
	zone := h.pick("", "Z", "+01:00", "-0500", "+05:30", "+01")
	return h.quote(h.pick(h.day(), h.day()[:7], hour+h.pick("", "Z"), minute+zone, second+zone, second+"."+h.pick("5", "123", "999", "123456789")+zone, second+",5"+zone))
}

// clockChange is an instant near the change of clocks of some zones.
func (h hardWriter) clockChange() string {
	zones := []string{"Z", ".001Z", "+02:00", "-04:00"}
	if h.tame {
		zones = zones[:2]
	}
	return h.quote(fmt.Sprintf("%sT%02d:%s:00%s", h.pick("2024-03-31", "2024-10-27", "2024-03-10", "2024-11-03"), h.IntN(9), h.pick("00", "30"), h.pick(zones...)))
}

func (h hardWriter) oldDate() string {
	return h.quote(h.pick("1969-12-31T23:59:59.999Z", "1970-01-01", "1900-01-01", "0001-01-01", "9999-12-31T23:59:59.999Z", "1883-11-18T12:03:58Z", "1969-12-31T23:59:59.9999Z", "2038-01-19T03:14:08Z"))
}

var (
	closeNumbers = []string{"16777216.25", "16777217.0", "16777216.5", "16777218", "0.1", "0.10000000001", "0.1000000001", "-16777217.0", "-0.5", "1e30", "0.0", "2.5", "3"}
	deepNumbers  = []string{"0.1", "0.10000000000000002", "0.30000000000000004", "0.3", "1048576.0000000002", "1048576.0", "1e-320", "5.2", "-5.2"}
	wholeNumbers = []string{"9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993", "9223372036854775807", "9223372036854775806", "-9223372036854775808",
		"12345678901234567", "0", "1", "-1", "1704067200000"}
	hugeNumbers = []string{"1e400", "-1e400", "1.7976931348623157e308", "3.4028235e38", "1e39", "0.5"}
	bigNumbers  = []string{"9223372036854775807", "9223372036854775808", "18446744073709551616", "-9223372036854775809", "12345678901234567890", "1", "9007199254740993"}
)
