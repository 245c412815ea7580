package terminal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "Größe 東京 \U0001F600 a\u0301": "Größe 東京 \U0001F600 a\u0301",
		"k\n::set-output name=build::forged":  `k\u000a::set-output name=build::forged`,
		"\x1b]0;pwned\a\x1b[2J":               `\u001b]0;pwned\u0007\u001b[2J`,
		"a\u0085b\u009bc\x7f\r\t":             `a\u0085b\u009bc\u007f\u000d\u0009`,
		"user\u202etxt.exe\u2066\u200f\u061c": `user\u202etxt.exe\u2066\u200f\u061c`,
		"##teamcity[x":                        `##teamcity\u005bx`, "###[x": `###\u005bx`, "a##VSO[[": `a##VSO\u005b[`, "##\u200bvs\u00ado[": "##\u200bvs\u00ado" + `\u005b`,
		"##vso#[ ## [x] #[y] ##a1[z]": "##vso#[ ## [x] #[y] ##a1[z]", "##vso##[": `##vso##\u005b`, "##\x00[": `##\u0000[`, "::a": "::a",
		"a\u2028b\u2029": `a\u2028b\u2029`,
		"\xff\xc3":       `\xff\xc3`,
	} {
		if got := Text(in); got != want {
			t.Errorf("%q: %s", in, got)
		}
	}
}

func TestWriter(t *testing.T) {
	for _, c := range []struct {
		parts []string
		want  string
	}{
		{[]string{"a: b\n  hint: c\n"}, "a: b\n  hint: c\n"},
		{[]string{"::error::x\n", " ::stop-commands::x\n", "a ::b\n"}, `:\u003aerror::x` + "\n " + `:\u003astop-commands::x` + "\na ::b\n"},
		{[]string{"k", "::b\n", "::c"}, "k::b\n" + `:\u003ac`},
		{[]string{" ", "\t:", ":a\n", ":\n:", "b: :"}, " \t:" + `\u003aa` + "\n:\n:b: :"},
		{[]string{"a ##vso[task.setvariable]b\n", "#", "#v", "so", "[c\n", "##\n[d ##", "[e]\n"}, `a ##vso\u005btask.setvariable]b` + "\n" + `##vso\u005bc` + "\n##\n[d " + `##\u005be]` + "\n"},
		{[]string{"\x1b[2J", "\r\n"}, `\u001b[2J\u000d` + "\n"},
		{[]string{""}, ""},
		{[]string{"a\n\tb\r\x1b"}, "a\n\tb" + `\u000d\u001b`},
		{[]string{"\xf0\x9f", "\x98\x80 \xc2", "\x9b", "1m"}, "\U0001F600 " + `\u009b1m`},
		{[]string{"\xe6\x9d", "a\n"}, `\xe6\x9da` + "\n"},
	} {
		var out strings.Builder
		w := &Writer{Out: &out}
		for _, p := range c.parts {
			if n, err := fmt.Fprint(w, p); err != nil || n != len(p) {
				t.Errorf("%q: %d %v", p, n, err)
			}
		}
		if out.String() != c.want {
			t.Errorf("%q: %q, want %q", c.parts, out.String(), c.want)
		}
	}
	if _, err := (&Writer{Out: broken{}}).Write([]byte("x")); err == nil {
		t.Error("an error is lost")
	}
}

func TestError(t *testing.T) {
	_, err := os.Stat("a\n::b")
	for err, want := range map[error]string{err: `stat a\u000a::b: `, errors.New("a\nb"): "a\nb", fmt.Errorf("x\n%w", err): "x\nstat " + `a\u000a::b: `} {
		if got := Error(err); !strings.HasPrefix(got, want) {
			t.Errorf("%q becomes %q", err, got)
		}
	}
}

// command matches what Azure Pipelines and TeamCity obey.
var command = regexp.MustCompile(`(?i)##(vso|teamcity)?\[`)

// TestSource: the value stays, and its text has no commands.
func TestSource(t *testing.T) {
	for _, value := range []any{nil, "##vso[a]", []string{"##", "[", "##[", "#"}, map[string]any{"##teamcity[x='1']": []any{"a ## [b]", 1.0}}, strings.Repeat("##[", 1000), "a\x7f\u009b\u202e\u2028\n\U0001f600"} {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		got := Source(text)
		var before, after any
		if err := errors.Join(json.Unmarshal(text, &before), json.Unmarshal(got, &after)); err != nil || !reflect.DeepEqual(before, after) || command.Match(got) || bytes.ContainsFunc(got, controls) {
			t.Errorf("%s becomes %s: %v", text, got, err)
		}
	}
}

func TestRaw(t *testing.T) {
	var out strings.Builder
	for _, w := range []io.Writer{&out, &Writer{Out: &out}} {
		if Raw(w) != io.Writer(&out) {
			t.Errorf("%T", w)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no") }

func FuzzText(f *testing.F) {
	f.Add("a\n::b\x1b\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := Text(s)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, controls) {
			t.Errorf("%q becomes %q", s, got)
		}
		if command.MatchString(got) {
			t.Errorf("%q becomes %q, which is a command", s, got)
		}
		if again := Text(got); again != got {
			t.Errorf("%q becomes %q the second time", got, again)
		}
	})
}

// BenchmarkWriter writes lines as the access log does.
func BenchmarkWriter(b *testing.B) {
	line := `{"time":"2026-11-29T12:00:00.123456Z","client":"192.0.2.17","method":"GET","target":"/cda/rest/v1/site/contents/Content_162?select=Data.title","status":200,"bytes":1432,"agent":"Mozilla/5.0 (X11; Linux x86_64)","release":"a164f219b03abea7"}` + "\n"
	lines := []byte(strings.Repeat(line, 16))
	w := &Writer{Out: io.Discard, Source: true}
	b.SetBytes(int64(len(lines)))
	for b.Loop() {
		if _, err := w.Write(lines); err != nil {
			b.Fatal(err)
		}
	}
}

// TestPlain compares texts with what each of their characters becomes when it is written by a Write of its own, without
// the characters that pass together.
func TestPlain(t *testing.T) {
	parts := []string{"a", " ", "#", "[", ":", "\n", "\t", "é", "\u200b", "\x1b", "\xff", "vso", "::", "##", "~"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		text := ""
		for range random.IntN(9) {
			text += parts[random.IntN(len(parts))]
		}
		for _, source := range []bool{false, true} {
			whole, one := escaper{source: source}, escaper{source: source}
			got, want := whole.append(nil, []byte(text), controlsLine), []byte(nil)
			for rest := []byte(text); len(rest) > 0; {
				_, n := utf8.DecodeRune(rest)
				want = one.appendOne(want, rest[:n], controlsLine)
				rest = rest[n:]
			}
			if string(got) != string(want) || whole != one {
				t.Fatalf("%q: %q, %+v; one by one %q, %+v", text, got, whole, want, one)
			}
		}
	}
}
