// This file fills a twin with random data that favours edge cases: lists that just fill a
// block, values with equal first bytes, extreme numbers, strings stored only in a fragment.

package snapshot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"unicode/utf8"
)

type twinMaker struct {
	*rand.Rand
	tw *twin
}

// newTwin returns an environment with a field of each kind.
func newTwin(seed uint64, items int) *twin {
	m := &twinMaker{Rand: rand.New(rand.NewPCG(seed, 1))}
	m.tw = &twin{meta: Meta{Env: fmt.Sprintf("env-%d", seed), Sort: "CreatedAt", Asc: seed%2 == 1, Analysis: 3, Items: items}}
	ids := m.idField()
	if items == 0 {
		return m.tw
	}
	dense, sparse := m.share(1), m.share(50)
	m.tw.fields = []*twinField{
		ids, m.textField("body", dense, 400), m.textField("few", sparse, 40), newTwinField("gone", Text),
		m.numberField("n.bool", Boolean, dense), m.numberField("n.date", Date, dense),
		m.numberField("n.float", Float, m.share(3)), m.numberField("n.long", Long, m.share(2)), m.numberField("n.rare", Long, sparse),
		m.stringField("s.dense", dense), m.stringField("s.sparse", sparse),
	}
	for _, f := range m.tw.fields[1:] {
		m.subFields(f)
	}
	for d := range m.tw.fragments {
		m.tw.fragments[d] += `]}`
	}
	return m.tw
}

// share returns about one document in n.
func (m *twinMaker) share(n int) (docs []DocID) {
	for d := range m.tw.meta.Items {
		if m.IntN(n) == 0 {
			docs = append(docs, DocID(d))
		}
	}
	return docs
}

// idField adds the ids, in another order than the documents, at the start of the fragments.
func (m *twinMaker) idField() *twinField {
	f := newTwinField("ContentID", Text)
	n := m.tw.meta.Items
	m.tw.ids, m.tw.rank, m.tw.fragments = make([]string, n), make([]int, n), make([]string, n)
	for i, d := range m.Perm(n) {
		id := fmt.Sprintf("Item_%06d", i*7)
		if m.IntN(2) == 0 {
			id += "_of_the_greatest_length"
		}
		m.tw.ids[d], m.tw.rank[d] = id, i
		m.tw.fragments[d] = `{"ContentID":"` + id + `","v":[true`
		put(f.strings, id, DocID(d))
		f.where[id] = StringValue{Doc: DocID(d), Offset: uint32(len(`{"ContentID":"`))}
	}
	return f
}

// place writes a string into a document's fragment.
func (m *twinMaker) place(d DocID, text string) StringValue {
	f := &m.tw.fragments[d]
	*f += `,"`
	at := uint32(len(*f))
	*f += m.escapeAll(text) + `"`
	return StringValue{Doc: d, Offset: at}
}

var shortEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '/': `\/`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

// escapeAll escapes what JSON requires, and some other characters.
func (m *twinMaker) escapeAll(text string) string {
	var b strings.Builder
	for _, r := range text {
		short, ok := shortEscapes[r]
		switch {
		case ok && m.IntN(4) > 0:
			b.WriteString(short)
		case r < ' ' || r == '"' || r == '\\' || m.IntN(8) == 0:
			b.WriteString(m.escape(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// escape writes a rune as \u escapes with digits of either case.
func (m *twinMaker) escape(r rune) string {
	format := []string{`\u%04x`, `\u%04X`}[m.IntN(2)]
	if r < 0x10000 {
		return fmt.Sprintf(format, r)
	}
	r -= 0x10000
	return fmt.Sprintf(format+format, 0xd800+r>>10, 0xdc00+r&0x3ff)
}

// frequencies are numbers of documents near the limits of blocks.
var frequencies = []int{1, 1, 1, 2, 3, 127, 128, 129, 255, 256, 257, 1000, 1279, 1281}

func (m *twinMaker) textField(path string, docs []DocID, words int) *twinField {
	f := newTwinField(path, Text)
	for i := range f.factor {
		f.factor[i] = 0.1 + 3*m.Float32()
	}
	for range words {
		n := frequencies[m.IntN(len(frequencies))]
		list, once := map[DocID][]uint32{}, m.IntN(3) == 0
		for _, i := range m.Perm(len(docs))[:min(n, len(docs))] {
			if list[docs[i]] = m.positions(); once {
				list[docs[i]] = list[docs[i]][:1]
			}
			f.norms[docs[i]] = byte(1 + m.IntN(255))
		}
		if len(list) > 0 {
			f.terms[m.word()] = list
		}
	}
	return f
}

// word returns a term. Many terms share all their first bytes.
func (m *twinMaker) word() string {
	switch m.IntN(8) {
	case 0:
		return string([]byte{byte(m.IntN(256))})
	case 1:
		return strings.Repeat("\x00", m.IntN(12))
	case 2:
		return "\xff\xff" + strings.Repeat("\xff", m.IntN(12))
	case 3:
		return strings.Repeat("long", m.IntN(60))
	}
	return fmt.Sprintf("prefix/that/is/shared/%d", m.IntN(1e6))
}

// positions returns mostly one position. Sometimes there are more than the dictionary
// stores inline or than a group holds, and large ones.
func (m *twinMaker) positions() []uint32 {
	n := []int{1, 1, 1, 1, 1, 1, 1, 2, 3, 8, 9, 10 + m.IntN(30)}[m.IntN(12)]
	if m.IntN(500) == 0 {
		n = 100 + m.IntN(400)
	}
	if m.IntN(100) == 0 {
		return []uint32{math.MaxUint32}
	}
	gap := []uint32{1, 1, 10, 1 << 10, 1 << 20, math.MaxUint32 - 1000}[m.IntN(6)] / uint32(n)
	at := make([]uint32, n)
	last := uint32(0)
	for i := range at {
		at[i] = last
		if m.IntN(2) == 0 {
			at[i] += m.Uint32N(gap + 1)
		}
		last = at[i] + 1
	}
	return at
}

func (m *twinMaker) numberField(path string, typ Type, docs []DocID) *twinField {
	f := newTwinField(path, typ)
	for _, d := range docs {
		n := 1
		if typ != Date && m.IntN(4) == 0 {
			n = 1 + m.IntN(5)
		}
		for range n {
			switch typ {
			case Float:
				put(f.floats, m.float(), d)
			case Boolean:
				put(f.ints, int64(m.IntN(2)), d)
			case Date:
				put(f.ints, 1.7e12+m.Int64N(1e9), d)
			default:
				put(f.ints, m.long(), d)
			}
		}
	}
	return f
}

func (m *twinMaker) long() int64 {
	extremes := []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64}
	switch m.IntN(3) {
	case 0:
		return extremes[m.IntN(len(extremes))]
	case 1:
		return int64(m.IntN(200) - 100)
	}
	return int64(m.Uint64()) >> m.IntN(64)
}

// float never returns 0: -0 is the only zero.
func (m *twinMaker) float() float64 {
	extremes := []float64{math.Inf(-1), -math.MaxFloat64, -1, -math.SmallestNonzeroFloat64, math.Copysign(0, -1),
		math.SmallestNonzeroFloat64, 1, math.MaxFloat64, math.Inf(1)}
	if m.IntN(3) == 0 {
		return extremes[m.IntN(len(extremes))]
	}
	return m.NormFloat64() * 1000
}

// stringField has values of every kind. Some documents have several, and some share one.
func (m *twinMaker) stringField(path string, docs []DocID) *twinField {
	f := newTwinField(path, Text)
	var pool []string
	for _, d := range docs {
		for range 1 + m.IntN(3)/2*m.IntN(4) {
			text := m.text()
			if len(pool) > 0 && m.IntN(3) == 0 {
				text = pool[m.IntN(len(pool))]
			}
			pool = append(pool, text)
			put(f.strings, text, d)
			if _, ok := f.where[text]; !ok {
				f.where[text] = StringValue{}
				if utf8.ValidString(text) && m.IntN(4) > 0 {
					f.where[text] = m.place(d, text)
				}
			}
		}
	}
	f.grams = map[uint64][]uint32{}
	for i, text := range sortedKeys(f.strings) {
		for k := range 3 {
			key, b := uint64(len(text)*k), uint32(i)
			if s := f.grams[key]; len(s) == 0 || s[len(s)-1] != b {
				f.grams[key] = append(s, b)
			}
		}
	}
	return f
}

// text returns a value, sometimes one that JSON cannot represent.
func (m *twinMaker) text() string {
	runes := []rune("aab \"\\/\b\f\n\r\t\x00\x1fé€\uffff\U0001f600\U0010ffff")
	switch m.IntN(6) {
	case 0:
		return ""
	case 1:
		return string([]byte{0xff, byte(m.IntN(256)), 0xff})
	case 2:
		return strings.Repeat("\xff", m.IntN(40))
	case 3:
		return "https://example.org/a/path/that/all/share/" + fmt.Sprint(m.IntN(1e5))
	case 4:
		return strings.Repeat("x", 300) + fmt.Sprint(m.IntN(100))
	}
	b := make([]rune, m.IntN(40))
	for i := range b {
		b[i] = runes[m.IntN(len(runes))]
	}
	return string(b)
}
