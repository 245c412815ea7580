package tomltext

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"contentedge/generator/source/record"
	"contentedge/generator/source/record/recordtest"

	"github.com/pelletier/go-toml/v2"
)

// TestTOMLText shows what becomes of TOML, and what is refused.
func TestTOMLText(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", "", "{}"},
		{"values", "a = 'x'\nb = \"y\\n\\u00e9\"\nc = true\nd = [1, [2], {e = 3}]\n", `{"a":"x","b":"y\né","c":true,"d":[1,[2],{"e":3}]}`},
		{"numbers by their text", "a = 1.50\nb = -0.0\nc = 1e06\nd = 9223372036854775807\n", `{"a":1.50,"b":-0.0,"c":1e06,"d":9223372036854775807}`},
		{"numbers that JSON writes otherwise", "a = 1_000\nb = +1\nc = 0x1F\nd = 0o17\ne = 0b101\nf = +1_0.5_0\n", `{"a":1000,"b":1,"c":31,"d":15,"e":5,"f":10.50}`},
		{"dates are strings as written", "a = 1979-05-27\nb = 07:32:00\nc = 1979-05-27T07:32:00.5\nd = 1979-05-27 07:32:00Z\ne = 1979-05-27t00:32:00-07:00\n",
			`{"a":"1979-05-27","b":"07:32:00","c":"1979-05-27T07:32:00.5","d":"1979-05-27 07:32:00Z","e":"1979-05-27t00:32:00-07:00"}`},
		{"strings over lines", "a = \"\"\"\none\r\ntwo \\\n  three\"\"\"\nb = '''\r\nx\r\ny'''\n", `{"a":"one\ntwo three","b":"x\ny"}`},
		{"tables, also out of order", "z = 0\n[a]\nx = 1\n[b]\ny = 2\n[a.c]\nz = 3\n", `{"z":0,"a":{"x":1,"c":{"z":3}},"b":{"y":2}}`},
		{"a table after those below it", "[a.b]\nx = 1\n[a]\ny = 2\n", `{"a":{"b":{"x":1},"y":2}}`},
		{"arrays of tables", "[[a]]\nx = 1\n[[a.b]]\ny = 2\n[[a]]\nx = 3\n[a.c]\nz = 4\n", `{"a":[{"x":1,"b":[{"y":2}]},{"x":3,"c":{"z":4}}]}`},
		{"keys with dots", "a.b.c = 1\na.d = 2\n\"e f\".'g' = 3\n3.14 = 'pi'\n", `{"a":{"b":{"c":1},"d":2},"e f":{"g":3},"3":{"14":"pi"}}`},
		{"inline tables", "a = {b = 1, c.d = 2, c.e = 3}\n", `{"a":{"b":1,"c":{"d":2,"e":3}}}`},
		{"CR LF and comments", "# c\r\na = 1 # d\r\n\r\n[b] # e\r\nc = 2\r\n", `{"a":1,"b":{"c":2}}`},
		{"many keys", keys(40), strings.Replace(strings.ReplaceAll(strings.ReplaceAll("{"+strings.ReplaceAll(keys(40), "\n", ",")+"}", " = ", `":`), "k", `"k`), ",}", "}", 1)},

		{"no numbers", "a = nan\n", `1:5: JSON has no number "nan"`},
		{"no numbers with a sign", "a = +inf\n", `1:5: JSON has no number "+inf"`},
		{"no date", "a = 2024-99-01\n", `1:5: "2024-99-01" is not a date or time`},
		{"leading zeroes", "a = 010\n", "1:5: this is not TOML: integers cannot have leading zeroes"},
		{"a key twice", "a = 1\nb = 2\na = 3\n", `3:1: the key "a" is given already, at 1:1`},
		{"a key twice with dots", "a.b = 1\na = 3\n", `2:1: the key "a" is given already, at 1:1`},
		{"a value as a table", "a = 1\na.b = 3\n", `2:1: "a" has a value already, at 1:1`},
		{"a table twice", "[a]\n[b]\n[a]\n", `3:2: the table "a" is given already, at 1:2`},
		{"a table of keys with dots", "[a]\nb.c = 1\n[a.b]\n", `3:4: the table "b" is given already, at 2:1`},
		{"dots into a table", "[a.b]\n[a]\nb.c = 1\n", `3:1: the table "b" has a header of its own`},
		{"an array as a table", "[[a]]\n[a]\n", `2:2: the table "a" is given already, at 1:3`},
		{"a table as an array", "[a]\n[[a]]\n", `2:3: "a" is not an array of tables: it is given at 1:2`},
		{"a value as an array of tables", "a = []\n[[a]]\n", `2:3: "a" is not an array of tables: it is given at 1:1`},
		{"more of an inline table", "a = {b = 1}\na.c = 2\n", `2:1: "a" has a value already, at 1:1`},
		{"a header of an inline table", "a = {b.c = 1}\n[a.b.d]\n", `2:2: "a" has a value already, at 1:1`},
		{"a text without quotes", "a = hello\n", "1:5: this is not TOML: unexpected character U+0068 'h' at start of value"},
		{"no end", "é = 1\nb = \"x\n", "1:1: this is not TOML: invalid character at start of key: U+00C3 'Ã'"},
		{"no closing quote", "b = \"x\n", "1:7: this is not TOML: basic strings cannot have new lines"},
		{"no closing bracket", "b = [1\n", "1:7: this is not TOML: array is incomplete"},
		{"no UTF-8", "b = \"\xff\"\n", "1:6: the byte 0xff is not UTF-8 here"},
		{"NUL", "b = \"\x00\"\n", "1:6: this is not TOML: basic strings cannot have control characters"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := read(tt.text); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func keys(n int) string { return repeat("k%[1]d = %[1]d\n", n) }

func read(text string) string {
	r, faults := Object([]byte(text), record.Place{Line: 1, Col: 1})
	for _, f := range faults {
		return fmt.Sprintf("%d:%d: %s", f.Line, f.Col, f.Message)
	}
	return string(r.JSON)
}

// TestPlaces: values know their places, wherever the text stands in its file.
func TestPlaces(t *testing.T) {
	r, faults := Object([]byte("a = 'é'\n[b]\nc = [1,\n  {d = 2}]\n"), record.Place{Line: 2, Col: 1})
	if faults != nil {
		t.Fatal(faults)
	}
	for text, want := range map[string]record.Place{`"a"`: {Line: 2, Col: 1}, `"é"`: {Line: 2, Col: 5}, `"b"`: {Line: 3, Col: 2}, `"c"`: {Line: 4, Col: 1}, `1,`: {Line: 4, Col: 6}, `{"d"`: {Line: 5, Col: 3}, `"d"`: {Line: 5, Col: 4}, `2}`: {Line: 5, Col: 8}} {
		if got := r.Place(strings.Index(string(r.JSON), text)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// TestHostile: every text is refused or read within bounds of time and memory.
func TestHostile(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"deep arrays":      {"a = " + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000), "nested more than"},
		"very deep arrays": {"a = " + strings.Repeat("[", 1<<20), "nested more than"},
		"deep tables":      {"a = " + strings.Repeat("{a = ", 9_000), "not TOML"},
		"a deep key":       {strings.Repeat("a.", 900_000) + "a = 1", "nested more than"},
		"a deep header":    {"[" + strings.Repeat("a.", 900_000) + "a]", "nested more than"},
		"deep by both":     {"[" + strings.Repeat("a.", 490) + "a]\n" + strings.Repeat("b.", 20) + "b = 1", "nested more than"},
		"many values":      {"a = [" + strings.Repeat("1,", 1_000_000) + "]", "more than 200000 values"},
		"many keys":        {keys(120_000), `{"k0":0`},
		"many tables":      {repeat("[t%d]\n", 150_000), `{"t0":{}`},
		"many elements":    {strings.Repeat("[[a]]\n", 200_000), `{"a":[{}`},
		"a large text":     {strings.Repeat("#", 3<<20), "TOML may have"},
		"a large string":   {"a = \"" + strings.Repeat("x", 2_000_000) + "\"", `{"a":"xxx`},
		"escapes":          {"a = \"" + strings.Repeat("\\n", 900_000) + "\"", `{"a":"\n`},
		"a large number":   {"a = " + strings.Repeat("9", 1_000_000), `{"a":99`},
		"a large hex":      {"a = 0x" + strings.Repeat("9", 1_000_000), "JSON has no number"},
		"quotes":           {"a = \"" + strings.Repeat("\"\"", 1_000_000), "not TOML"},
		"lines":            {strings.Repeat("\n", 2_000_000), "{}"},
	} {
		t.Run(name, func(t *testing.T) {
			var got string
			recordtest.Bounded(t, 2*time.Second, 300<<20, func() { got = read(tt.text) })
			if !strings.Contains(got, tt.want) {
				t.Errorf("got %.200s\nwant %s", got, tt.want)
			}
		})
	}
}

func repeat(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// FuzzTOMLText: a text gives valid JSON with places within it, whenever the library reads it too.
func FuzzTOMLText(f *testing.F) {
	for _, seed := range []string{"a = 1\n[b.c]\nd = [1, 'x', {e = 2024-05-01}]\n", "[[a]]\n[[a.b]]\nc.d = \"\"\"\nx\\\n y\"\"\"\n", "a = {b.c = 1, b.d = 0x1F}\n", "a = nan\n", "a.b = 1\n[a]\n", "'a' = 07:32:00.5\r\n\"b\" = 1979-05-27 07:32Z", "[a]\nb = 1\n[a.b]\n", "a=1_0.5e+1\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, faults := Object([]byte(text), record.Place{Line: 1, Col: 1})
		lines := strings.Count(text, "\n") + 1
		for _, f := range faults {
			if f.Line < 1 || f.Line > lines || f.Col < 1 || f.Message == "" {
				t.Errorf("%+v: the text has %d lines", f, lines)
			}
		}
		var std map[string]any
		err := toml.Unmarshal([]byte(text), &std)
		if len(faults) == 0 {
			recordtest.Check(t, &r, lines)
			if err != nil && !strings.Contains(err.Error(), "range") {
				t.Errorf("the library refuses it: %v", err)
			}
		} else if err == nil && !strings.Contains(faults[0].Message, "JSON has no number") && !strings.Contains(faults[0].Message, "nested") {
			t.Errorf("the library reads it: %v, %v", faults[0], std)
		}
	})
}
