// These tests compare boundaries with those of Java 17 with -Djava.locale.providers=COMPAT.

package highlight

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// walk prints the boundaries that an iterator returns, in UTF-16 units. First it calls preceding and
// following of a new iterator for each offset, then those of one iterator for increasing offsets.
func walk(it iterator, text string) string {
	p := part{text: text}
	p.count()
	unit := func(at int) int {
		if at == none {
			return none
		}
		return p.unit(at)
	}
	var out strings.Builder
	for at := range p.units + 1 {
		it.reset(text)
		fmt.Fprintf(&out, "%d ", unit(it.preceding(p.byteUp(at))))
		it.reset(text)
		fmt.Fprintf(&out, "%d ", unit(it.following(p.byteDown(at))))
	}
	it.reset(text)
	out.WriteByte('|')
	for at := 1; at < p.units; at += 3 {
		fmt.Fprintf(&out, "%d %d ", unit(it.preceding(p.byteUp(at))), unit(it.following(p.byteDown(at-1))))
		if at%2 == 0 {
			fmt.Fprintf(&out, "%d ", unit(it.following(p.byteDown(min(p.units, at+2)))))
		}
	}
	return out.String()
}

func TestBoundaries(t *testing.T) {
	text, err := os.ReadFile("testdata/breaks.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var c struct{ Text, Sentences, Words string }
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		for _, k := range []struct {
			name, want string
			it         iterator
		}{{"sentences", c.Sentences, &sentences{}}, {"words", c.Words, &words{}}} {
			if got := walk(k.it, c.Text); got != k.want {
				t.Errorf("%s of %q:\n got %s\nwant %s", k.name, c.Text, got, k.want)
			}
		}
	}
}

// sentencesOf cuts a text from its start.
func sentencesOf(text string) (list []string) {
	var s sentences
	s.reset(text)
	for at := 0; at < len(text); {
		end := s.next(at)
		list = append(list, text[at:end])
		at = end
	}
	return list
}

func TestSentences(t *testing.T) {
	for _, c := range [][]string{
		{"The end. ", "The next one."},
		{"Dr. ", "Smith met e.g. a fox, i.e. one."}, // the character behind a period and a space decides
		{"No. 5 is here."},
		{"lower case. follows"},
		{"Two spaces.  ", "lower case."},
		{"A new line.\nlower case.\n\n", "two of them."},
		{"Wait... ", "What?! ", "Yes! ", "(no)"},
		{"\"Go.\" ", "\"Why?\" ", "he said."},
		{"See a.b.c and example.com.", "<b>bold</b>"},
		{"日本語。", "次の文。"},
		{"क्या है। ", "हाँ।"},
		{"first\u2029", "second"},
	} {
		if got := sentencesOf(strings.Join(c, "")); strings.Join(got, "|") != strings.Join(c, "|") {
			t.Errorf("got %q, want %q", got, c)
		}
	}
}

// Remembered boundaries change no result. With them, calls for all offsets of a text read each byte only
// a few times.
func TestSentencesRemember(t *testing.T) {
	parts := []string{"bread ", "Bread ", ". ", "! ", ", ", "\"", "(", ") ", "\u2029", "\u0301", "日本", "。", "7", ".", "e.g. A ", "\n"}
	random := rand.New(rand.NewPCG(1, 2))
	texts := []string{strings.Repeat("bread ", 5000), strings.Repeat("The bread of the garden. A rope by the river, e.g. here. ", 500), strings.Repeat("a! ", 10000), strings.Repeat("\"", 30000), strings.Repeat("a \"b\" ", 5000), strings.Repeat(" . ", 9000)}
	for range 300 {
		var b strings.Builder
		for range random.IntN(60) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		texts = append(texts, b.String())
	}
	for _, text := range texts {
		var s, forgetful sentences
		s.reset(text)
		forgetful.reset(text)
		for at := 0; at <= len(text); at += 1 + len(text)/300 {
			for at < len(text) && !utf8.RuneStart(text[at]) {
				at++
			}
			forgetful.walked, forgetful.run = none, nil
			got, want := [2]int{s.preceding(at), s.following(at)}, [2]int{forgetful.preceding(at), forgetful.following(at)}
			if got != want {
				t.Fatalf("%.200q at %d: %v, from the text %v", text, at, got, want)
			}
		}
		if s.work > 8*len(text)+64 {
			t.Errorf("%.60q: %d bytes of %d looked at", text, s.work, len(text))
		}
	}
}

func FuzzBoundaries(f *testing.F) {
	f.Add("Dr. Smith (e.g.) said: \"No! 日本。\" 😀\u200d.")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ReplaceAll(strings.ToValidUTF8(text, "?"), "\x00", "")
		if text == "" {
			return
		}
		for i, it := range []iterator{&sentences{}, &words{}} {
			walk(it, text)
			at := 0
			for next := 0; at < len(text); at = next {
				if i == 0 {
					next = it.(*sentences).next(at)
				} else {
					next = it.(*words).next(at)
				}
				if next <= at || next > len(text) {
					t.Fatalf("%d: %q: after %d comes %d", i, text, at, next)
				}
			}
		}
	})
}
