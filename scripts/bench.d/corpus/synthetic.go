// This file creates synthetic items for runs without a corpus. Word frequencies follow
// a natural distribution, with invented words.

package corpus

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// The shape of the synthetic corpus.
const (
	syntheticWords  = 30000
	syntheticPeople = 40
	syntheticDays   = 3 * 365
	zipfExponent    = 1.15
	zipfOffset      = 8
)

var (
	onsets    = strings.Fields("b br c ch d dr f fl g gr h j k l m n p pl qu r s sh st t th tr v w z")
	vowels    = strings.Fields("a e i o u ai ea io ou")
	codas     = []string{"", "", "", "n", "r", "s", "t", "l", "m", "nd", "st", "rk"}
	templates = strings.Fields("Article Page News Author Product Event Recipe Gallery")
)

// maker creates items from its word list.
type maker struct {
	*rand.Rand
	words  []string
	people []string
	zipf   *rand.Zipf
}

// Synthetic returns n items, equal for equal n.
func Synthetic(n int) [][]byte {
	rnd := rand.New(rand.NewPCG(20, 24))
	m := &maker{Rand: rnd, zipf: rand.NewZipf(rnd, zipfExponent, zipfOffset, syntheticWords-1)}
	m.words = m.vocabulary()
	for range syntheticPeople {
		m.people = append(m.people, title(m.words[m.IntN(len(m.words))])+" "+title(m.words[m.IntN(len(m.words))]))
	}
	items := make([][]byte, n)
	for i := range items {
		items[i] = m.item(i)
	}
	return items
}

// vocabulary creates distinct words, short ones first, because frequent words are
// short.
func (m *maker) vocabulary() []string {
	seen := map[string]bool{}
	words := make([]string, 0, syntheticWords)
	for len(words) < syntheticWords {
		var b strings.Builder
		for range 1 + m.IntN(2+len(words)*3/syntheticWords) {
			b.WriteString(pick(m, onsets) + pick(m, vowels) + pick(m, codas))
		}
		if w := b.String(); !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	return words
}

func pick(m *maker, list []string) string { return list[m.IntN(len(list))] }

func title(w string) string { return strings.ToUpper(w[:1]) + w[1:] }

// text returns a sentence of some words.
func (m *maker) text(words int) string {
	out := make([]string, words)
	for i := range out {
		out[i] = m.words[m.zipf.Uint64()]
	}
	return title(strings.Join(out, " "))
}

// syntheticItem has an item's members in their usual order.
type syntheticItem struct {
	Status, CreatedBy, CreatedAt string
	Data                         syntheticData
	PublishedBy, UpdatedAt, Name string
	PublishedAt, UpdatedBy       string
	TemplateName, TemplateID     string
	ContentID                    string
}

type syntheticData struct {
	Title    string             `json:"title"`
	Language string             `json:"language"`
	Summary  string             `json:"summary"`
	Sections []syntheticSection `json:"sections"`
	Words    int                `json:"wordCount"`
	Featured bool               `json:"featured"`
}

type syntheticSection struct {
	Heading string `json:"heading"`
	Text    string `json:"text"`
}

func (m *maker) item(i int) []byte {
	created := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(m.IntN(syntheticDays*24*3600*1000)) * time.Millisecond)
	template := m.IntN(len(templates))
	it := syntheticItem{
		Status: []string{"Published", "Published", "Published", "Draft"}[m.IntN(4)], CreatedBy: pick(m, m.people),
		CreatedAt: stamp(created), PublishedBy: pick(m, m.people), UpdatedAt: stamp(created.Add(time.Duration(m.IntN(90*24)) * time.Hour)),
		Name: m.text(2 + m.IntN(2)), PublishedAt: stamp(created.Add(time.Hour)), UpdatedBy: pick(m, m.people),
		TemplateName: templates[template], TemplateID: "Template_" + uuid(m, template), ContentID: "Content_" + uuid(m, i),
		Data: syntheticData{Title: m.text(2 + m.IntN(3)), Language: []string{"en", "de", "ar"}[m.IntN(3)], Summary: m.text(12 + m.IntN(12)), Featured: m.IntN(10) == 0},
	}
	for range 1 + m.IntN(5) {
		s := syntheticSection{m.text(3), m.text(10 + m.IntN(30))}
		it.Data.Words += strings.Count(s.Text, " ") + 1
		it.Data.Sections = append(it.Data.Sections, s)
	}
	b, err := json.Marshal(it)
	if err != nil {
		panic(err) // strings and numbers always have a JSON encoding
	}
	return b
}

func stamp(t time.Time) string { return t.Format("2006-01-02T15:04:05.000Z") }

// uuid returns an id whose last group is unique.
func uuid(m *maker, n int) string {
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", m.Uint32(), m.IntN(1<<16), m.IntN(1<<12), m.IntN(1<<12), n)
}
