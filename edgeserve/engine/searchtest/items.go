// This file makes up items: few words in many scripts, so that queries find something,
// and every shape a path can have.

package searchtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// words are of every script the analysis treats in its own way, some near to each other.
var vocabulary = strings.Fields(`quick brown fox foxes foxy fo box Fox FOX lazy dog Dog dogs jumps over the The of a
	node.js node e-mail email x_1y O'Reilly don’t C++ v1.2.3 3.14 42 2021 2021-04-23 true false foo:bar a/b {{path}}
	лиса Лиса лис Σίσυφος σίσυφος café cafe` + " cafe\u0301 " + `NAÏVE naïve İstanbul istanbul ß ẞ straße
	東京 東京タワー 京 ひらがな カタカナ 日本語ABC123 한국어 한국 검색 ภาษาไทย ລາວ العربية שלום ש"ב ९९ 👍 👍🏽 👩‍👩‍👧 🇯🇵 ⅷ 𝐀𝐁 𠀀
	AND OR NOT ! -- ... AND_x *star* q?mark back\slash "quoted" (paren) a^b ~tilde [x] K k ſ`)

// dates are in every form a value may have; some are none. Some are one instant.
var dates = []string{"2021-04-23", "2021-04", "2021-04-23T10:15:30Z", "2021-04-23T10:15:30.123Z", "2019-12-31T23:59:59.999Z",
	"2021-04-23T10:15:30+02:00", "2020-02-29", "2022-01-01T00:00", "2021-04-23T08:15:30Z", "2021-04-23T00:00:00.5", "2021-04-23T01:00+0100",
	"-2021-04-23", "2021-02-30", "not a date"}

// isoDates is how many of dates are dates in ISO form. Lists know all but the last.
const isoDates = 12

var numbers = []string{"0", "1", "2", "-1", "-5", "10", "10.5", "1.5", "-1.5", "0.1", "3.14", "1e3", "1000", "2021", "42", "-0",
	"1.0", "9007199254740993", "9223372036854775807", "-9223372036854775808", "12345678901234567890", "1e40", "1609459200000"}

// spellings are numbers as texts of bodies, some of which only fractions are.
var spellings = append([]string{" 5", "42 ", "10f", "10.5D", "0x1p1", "NaN", "-Infinity", "-0.0", "1e-400", "1.5f", "9.99999999999999999999",
	"-1.5e0", "0e99"}, numbers...)

// wholes are numbers without fractions, the small ones more than once.
var wholes = []string{"0", "1", "1", "2", "2", "-1", "-5", "10", "10", "42", "100", "2021", "1609459200000",
	"9007199254740993", "9223372036854775807", "-9223372036854775808", "12345678901234567890"}

// strays are strings that read as numbers, booleans or dates, and some that nearly do.
var strays = []string{"204800", "1.50", "-3", "1e3", "2021", "1999", "1609459200000", "42", "1", "10", "+7", ".5", "007", "-0",
	"9223372036854775808", "1e400", "1e40", "0x1f", "1,5", "12 345", "true", "false", "True", "yes", "",
	"2021-04-23||/d", "now", "2021-04-23T10:15:30.123Z", "2023-05-08T00:00:00.000Z", "NaN", "-2021"}

// pure are the members of Data whose values are of one kind, but where they are blended.
var pure = []string{"count", "price", "live", "date", "rank", "day", "far", "close"}

// writer makes items of one environment.
type writer struct {
	*rand.Rand
	words []string // the words of this environment
	keys  []string // members of Data
	blend []string // keys of pure that have values of other kinds too
	rich  float64  // how likely a member is
	drift bool     // what texts say, and how much, changes with the month
	month int      // of the item being made
}

func newWriter(r *rand.Rand) *writer {
	w := &writer{Rand: r, rich: 0.3 + float64(0.7*r.Float64()), drift: r.IntN(2) == 0}
	for range 4 + r.IntN(60) {
		w.words = append(w.words, pick(r, vocabulary))
	}
	for _, k := range []string{"title", "body", "tags", "count", "price", "live", "date", "day", "far", "close", "mixed", "parts", "a.b", "a", "long", "same", "rank", "size", "year", "flag", "any", `k"\`, "日"} {
		if r.IntN(4) > 0 {
			w.keys = append(w.keys, k)
		}
	}
	for _, k := range pure {
		if r.IntN(3) == 0 {
			w.blend = append(w.blend, k)
		}
	}
	return w
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// items makes an environment. CreatedAt repeats, so that ContentID decides too.
func (w *writer) items(n int) []string {
	var items []string
	for _, i := range w.Perm(n) {
		w.month = 1 + w.IntN(9)
		m := []string{
			fmt.Sprintf(`"ContentID":"C_%d"`, i),
			`"Status":` + w.text(pick(w.Rand, []string{"Published", "Draft"})),
			`"CreatedBy":` + w.text(pick(w.Rand, []string{"", "Ann Lee", "ann", "Zoë"})),
			fmt.Sprintf(`"CreatedAt":"2021-0%d-15T%02d:00:00.%03dZ"`, w.month, w.IntN(3), w.IntN(2)*500),
			`"Name":` + w.text(w.phrase(3)),
			`"TemplateName":` + w.text(pick(w.Rand, []string{"Page", "Post", "2021-04-23"})),
		}
		if w.IntN(3) > 0 {
			m = append(m, `"Data":`+w.data())
		}
		if w.IntN(9) == 0 {
			m = append(m, `"Extra":`+w.value("mixed"))
		}
		items = append(items, "{"+strings.Join(m, ",")+"}")
	}
	return items
}

func (w *writer) data() string {
	var m []string
	for _, k := range w.keys {
		if w.Float64() < w.rich {
			m = append(m, w.text(k)+":"+w.member(k))
		}
	}
	return "{" + strings.Join(m, ",") + "}"
}

// member is a value, an array of values, or, seldom, something else.
func (w *writer) member(key string) string {
	blended := !slices.Contains(pure, key) || slices.Contains(w.blend, key)
	value := func() string {
		if blended && w.IntN(6) == 0 {
			return w.value("any")
		}
		return w.value(key)
	}
	if key == "rank" { // never several
		return value()
	}
	switch w.IntN(12) {
	case 0:
		if blended {
			return pick(w.Rand, []string{`""`, `["",""]`})
		}
	case 1:
		return pick(w.Rand, []string{"null", "[]", "{}", "[null]"})
	case 2, 3, 4:
		return w.array(value)
	}
	return value()
}

func (w *writer) array(value func() string) string {
	var vs []string
	for range w.IntN(5) {
		vs = append(vs, value())
	}
	return "[" + strings.Join(vs, ",") + "]"
}

func (w *writer) value(key string) string {
	switch key {
	case "count", "rank":
		return pick(w.Rand, wholes)
	case "price":
		return pick(w.Rand, numbers)
	case "live":
		return pick(w.Rand, []string{"true", "false"})
	case "date":
		return w.text(pick(w.Rand, dates[:isoDates]))
	case "day":
		return w.text(pick(w.Rand, dates[:isoDates-1]))
	case "far":
		return w.text(pick(w.Rand, append([]string{"2021-04-23T10:15:30-23:00", "2021-04-24T09:15:30Z"}, dates[:isoDates-1]...)))
	case "close":
		return pick(w.Rand, []string{"16777216.25", "16777217.0", "16777216.5", "16777218", "0.1", "0.10000000001", "1e400", "-16777216.25", "-16777217"})
	case "mixed":
		return w.value(pick(w.Rand, []string{"count", "price", "live", "date", "title"}))
	case "any":
		return w.value(pick(w.Rand, []string{"count", "price", "live", "date", "title", "stray", "stray", "stray"}))
	case "stray":
		return w.text(pick(w.Rand, append(strays, dates[isoDates:]...)))
	case "parts":
		return w.array(func() string { return `{"h":` + w.member("title") + `,"n":` + w.value("count") + `}` })
	case "a":
		return `{"b":` + w.value("title") + `,"c":{"d":` + w.value("mixed") + `}}`
	case "long":
		return w.text(strings.Repeat(w.phrase(3)+" ", w.IntN(40)))
	case "same":
		return w.text(w.words[0])
	case "size":
		return w.size()
	case "year":
		return pick(w.Rand, []string{`"2021"`, `"2019"`, `"2021-04"`, "2021", "1609459200000", `"1609459200000"`})
	case "flag":
		return pick(w.Rand, []string{"true", "false", `"true"`, `"false"`, `"yes"`, "1"})
	case "body":
		return w.text(w.phrase(12))
	}
	return w.text(w.phrase(4))
}

// size is a number as a string, or, seldom, an object with a member that is named like
// a sub-field.
func (w *writer) size() string {
	if w.IntN(12) == 0 {
		return "{" + w.text(pick(w.Rand, []string{"long", "long", "date", "keyword"})) + ":" + w.value("any") + "}"
	}
	return pick(w.Rand, []string{`"204800"`, `"1048576"`, `"12"`, `"1.50"`, `"-3"`, `"1e3"`, "512"})
}

// phrase is up to n words. Where texts drift, items of a month have few words in common with other items, and in some
// months they repeat these words much.
func (w *writer) phrase(n int) string {
	words := w.words
	if w.drift {
		from := w.month * len(words) / 12
		words = words[from : from+(len(words)+3)/4]
		n *= 1 + w.month%3
	}
	var ws []string
	for range w.IntN(n + 1) {
		ws = append(ws, pick(w.Rand, words))
	}
	return strings.Join(ws, pick(w.Rand, []string{" ", " ", " ", "\n", ", ", "-", "\t"}))
}

// text is a JSON string, some of its characters escaped without need.
func (w *writer) text(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r < ' ' || r < 0x10000 && w.IntN(30) == 0:
			fmt.Fprintf(&b, `\u%04x`, r)
		case r == '/' && w.IntN(2) == 0:
			b.WriteString(`\/`)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
