package yamltext

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source/record"
	"contentedge/generator/source/record/recordtest"
)

// read returns the JSON of a text's records, a line each, and its faults, a line each.
func read(text string) (records, faults string) {
	list, _, found := Records([]byte(text))
	for i := range list {
		records += string(list[i].JSON) + "\n"
	}
	return strings.TrimSuffix(records, "\n"), show(found)
}

func show(faults []record.Fault) string {
	var lines []string
	for _, f := range faults {
		line := fmt.Sprintf("%d:%d: %s", f.Line, f.Col, f.Message)
		if f.Warning {
			line = "warning " + line
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// TestYAMLText shows what becomes of YAML, and what is refused.
func TestYAMLText(t *testing.T) {
	tests := []struct{ name, text, records, faults string }{
		{"values as in JSON", "a: true\nb: null\nc: -1.50e3\nd: 12345678901234567890123\ne: ~\nf:\ng: 1.0\n",
			`{"a":true,"b":null,"c":-1.50e3,"d":12345678901234567890123,"e":null,"f":null,"g":1.0}`, ""},
		{"words and dates are strings", "a: yes\nb: on\nc: 2024-05-01\nd: 2024-05-01 10:00:00 +0200\ne: 12:30\nf: 1.2.3\ng: \"1\"\nh: 'true'\n",
			`{"a":"yes","b":"on","c":"2024-05-01","d":"2024-05-01 10:00:00 +0200","e":"12:30","f":"1.2.3","g":"1","h":"true"}`, ""},
		{"numbers that JSON has not stay strings", "a: 010\nb: 0x1F\nc: 1_000\nd: .5\ne: +1\nf: 0o17\ng: 1.\n", `{"a":"010","b":"0x1F","c":"1_000","d":".5","e":"+1","f":"0o17","g":"1."}`,
			"warning 1:4: \"010\" stays a text here, as JSON has no such number\nwarning 2:4: \"0x1F\" stays a text here, as JSON has no such number\nwarning 3:4: \"1_000\" stays a text here, as JSON has no such number\n" +
				"warning 4:4: \".5\" stays a text here, as JSON has no such number\nwarning 5:4: \"+1\" stays a text here, as JSON has no such number\nwarning 6:4: \"0o17\" stays a text here, as JSON has no such number\nwarning 7:4: \"1.\" stays a text here, as JSON has no such number"},
		{"words in other letters stay strings", "a: True\nb: NULL\n", `{"a":"True","b":"NULL"}`, "warning 1:4: True stays a text here\nwarning 2:4: NULL stays a text here"},
		{"the order of keys stays", "z: 1\na: {y: 2, b: [3, {x: 4}]}\n", `{"z":1,"a":{"y":2,"b":[3,{"x":4}]}}`, ""},
		{"block scalars", "a: |\n  one\n    two\n\nb: >\n  one\n  two\n\n  three\nc: |-\n  end\nd: >+\n  keep\n\n", `{"a":"one\n  two\n","b":"one two\nthree\n","c":"end","d":"keep\n\n"}`, ""},
		{"strings over lines", "a: one\n  two\nb: \"one\n  two\\n\"\nc: 'it''s'\n", `{"a":"one two","b":"one two\n","c":"it's"}`, ""},
		{"comments", "# top\na: 1 # one\n# between\nb: '#'\n", `{"a":1,"b":"#"}`, ""},
		{"CR LF", "a: b\r\nc: |\r\n  x\r\n  y\r\nd: [1,\r\n  2]\r\n", `{"a":"b","c":"x\ny\n","d":[1,2]}`, ""},
		{"anchors and aliases", "a: &x {k: v}\nb: *x\nc: [*x, &y 1, *y]\n&z d: *y\n", `{"a":{"k":"v"},"b":{"k":"v"},"c":[{"k":"v"},1,1],"d":1}`, ""},
		{"merge keys", "base: &b {x: 1, y: 2}\nmore: &m {y: 3, z: 4}\none: {<<: *b, y: 9}\ntwo:\n  <<: [*b, *m]\n  w: 0\n\"<<\": 5\n",
			`{"base":{"x":1,"y":2},"more":{"y":3,"z":4},"one":{"x":1,"y":9},"two":{"x":1,"y":2,"z":4,"w":0},"<<":5}`, ""},
		{"merges of merges", "a: &a {x: 1}\nb: &b {<<: *a, y: 2}\nc: {<<: *b, x: 3}\n", `{"a":{"x":1},"b":{"x":1,"y":2},"c":{"y":2,"x":3}}`, ""},
		{"a key in form of an explicit one", "? a\n: b\n? c\n", `{"a":"b","c":null}`, ""},
		{"allowed tags", "a: !!str 010\nb: !!map {x: !!seq [1]}\nc: !!str\n", `{"a":"010","b":{"x":[1]},"c":""}`, ""},
		{"a tag that makes strings", "a: ! 'x'\nb: ! 1\nc: ! [1]\nd:\n- ! 'a: b'\n", `{"a":"x","b":"1","c":[1],"d":["a: b"]}`, ""},
		{"documents are records", "a: 1\n---\nb: 2\n...\n---\n---\n- c: 3\n- d: 4\n", "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n{\"d\":4}", ""},
		{"entries are records", "- a: 1\n  b: [x, y]\n-\n  a: 2\n- {a: 3}\n", "{\"a\":1,\"b\":[\"x\",\"y\"]}\n{\"a\":2}\n{\"a\":3}", ""},
		{"anchors of other entries", "- &x\n  a: 1\n- b: *x\n", "{\"a\":1}\n{\"b\":{\"a\":1}}", ""},
		{"a directive", "%YAML 1.2\n---\na: 1\n", `{"a":1}`, ""},
		{"nothing", "# only this\n", "", ""},
		{"strange characters", "\"\\u00e9\": \"\\x41\"\nü: 😀\n", "{\"é\":\"A\",\"ü\":\"😀\"}", ""},

		{"no numbers", "a: .nan\nb: -.inf\n", "", "1:4: JSON has no number .nan\n2:4: JSON has no number -.inf"},
		{"tags", "a: !!binary aGk=\nb: !point {x: 1}\nc: !!set {x}\nd: !!timestamp 2024-01-01\n", "",
			"1:4: the tag \"!!binary\" is not read\n2:4: the tag \"!point\" is not read\n3:4: the tag \"!!set\" is not read\n4:4: the tag \"!!timestamp\" is not read"},
		{"keys that are no strings", "1: a\ntrue: b\n~: c\n", "", "1:1: this key is not a string\n2:1: this key is not a string\n3:1: this key is not a string"},
		{"a key twice", "a: 1\nb: {c: 1, \"c\": 2}\na: 2\n", "", "3:1: the key \"a\" is given twice in this mapping\n2:11: the key \"c\" is given twice in this mapping"},
		{"a key twice below", "b: {c: 1, \"c\": 2}\n", "", "1:11: the key \"c\" is given twice in this mapping"},
		{"an alias in itself", "a: &a [1, *a]\n", "", "1:11: the value of the anchor \"a\" contains itself here"},
		{"a merge of itself", "a: &a\n  <<: *a\n  b: 1\n", "", "2:7: the value of the anchor \"a\" contains itself here"},
		{"an alias without its anchor", "a: *b\n", "", "1:4: no anchor before this has the name \"b\""},
		{"an anchor of the document before", "a: &x 1\n---\nb: *x\n", `{"a":1}`, "3:4: no anchor before this has the name \"x\""},
		{"a merge of no mapping", "a: {<<: 1}\n", "", "1:9: the key << merges only mappings"},
		{"a record is a mapping", "- a\n- b: 1\n- [c]\n", `{"b":1}`, "1:3: an item must be a mapping of keys and values, not a single value\n3:3: an item must be a mapping of keys and values, not a sequence"},
		{"a directive that is not read", "%TAG ! tag:x,2000:\n---\na: 1\n", `{"a":1}`, "1:1: a directive is not read here"},
		{"spaces that the scanner would lose", "? a\n: |2\n    b\n", "", "2:3: a block of text with a number of spaces is not read after a key with a question mark"},
		{"a number of spaces", "a: |2\n    b\n", `{"a":"  b\n"}`, ""},
		{"a tab", "a:\n\tb: 1\n", "", "2:1: this is not YAML: found character tab that cannot start any token"},
		{"no UTF-8", "a: 1\nb: \xff\n", "", "2:4: the byte 0xff is not UTF-8 here"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			records, faults := read(tt.text)
			if records != tt.records {
				t.Errorf("records\n got %s\nwant %s", records, tt.records)
			}
			if faults != tt.faults {
				t.Errorf("faults\n got %s\nwant %s", faults, tt.faults)
			}
		})
	}
}

// TestPlaces: each key and each value knows its place, wherever the text stands in its file.
func TestPlaces(t *testing.T) {
	text := "title: One\nlist:\n  - ü: 'two'\n    x: |\n      text\n  - [3, {a: 4}]\nlast: &a {b: 5}\nmore: *a\n"
	r, faults := Object([]byte(text), record.Place{Line: 2, Col: 1})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	var got []string
	var walk func(name []byte, at int) int
	walk = func(name []byte, at int) int {
		if name != nil {
			p := r.Place(at - len(name) - 1)
			got = append(got, fmt.Sprintf("%s@%d:%d", name, p.Line, p.Col))
		}
		p := r.Place(at)
		if c := r.JSON[at]; c == '{' || c == '[' {
			got = append(got, fmt.Sprintf("%c@%d:%d", c, p.Line, p.Col))
			return jsoncursor.Children(r.JSON, at, walk)
		}
		end := jsoncursor.ScalarEnd(r.JSON, at)
		got = append(got, fmt.Sprintf("%s@%d:%d", r.JSON[at:end], p.Line, p.Col))
		return end
	}
	walk(nil, 0)
	want := `{@2:1 "title"@2:1 "One"@2:8 "list"@3:1 [@4:3 {@4:5 "ü"@4:5 "two"@4:8 "x"@5:5 "text\n"@5:8 [@7:5 3@7:6 {@7:9 "a"@7:10 4@7:13 "last"@8:1 {@8:10 "b"@8:11 5@8:14 "more"@9:1 {@8:10 "b"@8:11 5@8:14`
	if strings.Join(got, " ") != want {
		t.Errorf("\n got %s\nwant %s", strings.Join(got, " "), want)
	}
}

// TestObject: front matter is one mapping, or nothing.
func TestObject(t *testing.T) {
	at := record.Place{Line: 2, Col: 1}
	for text, want := range map[string]string{
		"":                 "{}",
		"# nothing\n":      "{}",
		"a: 1\n":           `{"a":1}`,
		"a: 1\n...\nb: 2":  "4:1: a second YAML document begins here",
		"- a: 1\n":         "2:1: this text must be a mapping of keys and values, not a sequence",
		"- a: 1\n- b: 2\n": "2:1: this text must be a mapping of keys and values, not a sequence",
		"just text\n":      "2:1: this text must be a mapping of keys and values, not a single value",
		"title: a: b\n":    "2:8: this is not YAML: mapping value is not allowed in this context",
		"a: [1\nb: 2\n":    "3:1: this is not YAML: ',' or ']' must be specified",
		"a: @x\n":          "2:4: this is not YAML: '@' is a reserved character",
		"a: {b: 1\n":       "2:4: this is not YAML: could not find flow mapping end token '}'",
		"a: \"x\n":         "2:4: this is not YAML: could not find end character of double-quoted text",
		"  a: 1\n b: 2\n":  "3:2: this is not YAML: value is not allowed in this context",
		"a: 1\n  b: 2\n":   "2:4: this is not YAML: mapping value is not allowed in this context",
		"!!set {a: 1}":     "2:1: the tag \"!!set\" is not read",
		"a: &x 1\nb: *x\n": `{"a":1,"b":1}`,
	} {
		r, faults := Object([]byte(text), at)
		if got := string(r.JSON) + show(faults); got != want {
			t.Errorf("%q\n got %s\nwant %s", text, got, want)
		}
	}
}

// hostile are texts that take much time or memory where nothing bounds them.
var hostile = map[string]struct{ text, fault string }{
	"aliases that multiply": {"a: &a [1,1,1,1,1,1,1,1,1]\n" + laughs(9), "aliases add more than"},
	"merges that multiply":  {"a: &a {x: 1}\nb: {<<: [" + strings.Repeat("*a,", 60_000) + "]}", "aliases add more than"},
	"a chain of merges": {"a: &a0 {x: 1}\n" + repeat(600, func(i int) string {
		return fmt.Sprintf("a%d: &a%d {<<: *a%d, k%d: 1}\n", i+1, i+1, i, i)
	}), "aliases add more than"},
	"deep by aliases":  {"a: &a0 [1]\n" + repeat(600, func(i int) string { return fmt.Sprintf("a%d: &a%d [*a%d]\n", i+1, i+1, i) }), "aliases add|nested more than"},
	"deep in brackets": {"a: " + strings.Repeat("[", 100_000), "nested more than"},
	"deep in braces":   {strings.Repeat("{a: ", 100_000), "nested more than"},
	"deep by dashes":   {strings.Repeat("- ", 100_000) + "a", "nested more than"},
	"deep by indent":   {repeat(2000, func(i int) string { return strings.Repeat(" ", i) + "a:\n" }), "nested more than"},
	"anchors in a row": {"a: " + strings.Repeat("&a ", 50_000) + "b", "in a row"},
	"tags in a row":    {"a: " + strings.Repeat("!a ", 50_000) + "b", "in a row"},
	"question marks":   {strings.Repeat("? ", 190_000) + "b", "in a row"},
	"many keys":        {repeat(150_000, func(i int) string { return fmt.Sprintf("k%d: 1\n", i) }), "more than 10000 keys"},
	"many keys in lists": {repeat(30, func(i int) string {
		return fmt.Sprintf("m%d:\n", i) + repeat(9_000, func(i int) string { return fmt.Sprintf("  k%d: 1\n", i) })
	}), "more than 200000"},
	"many values":   {"a: [" + strings.Repeat("1,", 180_000) + "]", "more than 200000"},
	"a key of 1 MB": {strings.Repeat("k", 1<<20) + ": 1\n", "this key has"},
	"long keys above many values": {repeat(80, func(i int) string { return strings.Repeat(" ", i) + strings.Repeat("k", 20_000) + ":\n" }) +
		repeat(20_000, func(i int) string { return strings.Repeat(" ", 80) + "- 1\n" }), "too long for"},
	"a long line":                   {"a: " + strings.Repeat("x", 5<<20), "in YAML may have"},
	"a large file":                  {"a: " + strings.Repeat("x", 65<<20), "YAML may have"},
	"many documents":                {strings.Repeat("---\na: 1\n", 100_000), ""},
	"many entries":                  {strings.Repeat("- a: 1\n", 100_000), ""},
	"many comments":                 {strings.Repeat("# text\n", 300_000), ""},
	"a large string":                {"a: \"" + strings.Repeat("word ", 800_000) + "\"", ""},
	"a large block":                 {"a: |\n" + strings.Repeat("  word\n", 590_000), ""},
	"a large text":                  {"a:\n" + strings.Repeat("  word\n", 590_000), ""},
	"a growing record":              {"a: &a \"" + strings.Repeat("x", 100_000) + "\"\nb: [" + strings.Repeat("*a,", 500) + "]", "more than 16777216 bytes as JSON"},
	"NUL":                           {strings.Repeat("\x00", 1<<20), "must be a mapping"},
	"percent signs":                 {"a: " + strings.Repeat("%", 100_000), "not YAML"},
	"percent signs in a large text": {"a: " + strings.Repeat("%", 4_000_000), "marks of YAML"},
	"percent signs in lines":        {strings.Repeat("%\n", 2_000_000), "directive is not read"},
	"percent signs with spaces":     {"a: " + strings.Repeat("% ", 2_000_000), "marks of YAML"},
	"a percent-encoded text":        {"a: " + strings.Repeat("%D0%B0", 600_000), "directive"},
	"another percent-encoded text":  {"a: x" + strings.Repeat("%D0%B0", 600_000), ""},
	"asterisks":                     {strings.Repeat("*", 100_000), "YAML"},
	"quotes":                        {"a: " + strings.Repeat("\"", 100_000), "YAML"},
	"brackets that close":           {strings.Repeat("]", 100_000), "YAML"},
	"colons":                        {strings.Repeat("a: ", 400), "not YAML"},
	"carriage returns":              {strings.Repeat("\r", 4_000_000) + "a: 1", "without a line feed"},
}

func repeat(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i))
	}
	return b.String()
}

// laughs is lists of aliases of the list before.
func laughs(levels int) string {
	return repeat(levels, func(i int) string {
		return fmt.Sprintf("%c: &%c [%s]\n", 'b'+i, 'b'+i, strings.Repeat(fmt.Sprintf("*%c,", 'a'+i), 9))
	})
}

// TestHostile: every text is refused or read within bounds of time and memory.
func TestHostile(t *testing.T) {
	for name, tt := range hostile {
		t.Run(name, func(t *testing.T) {
			var found string
			recordtest.Bounded(t, 3*time.Second, 300<<20, func() {
				_, _, faults := Records([]byte(tt.text))
				found = show(faults)
			})
			named := tt.fault == ""
			for part := range strings.SplitSeq(tt.fault, "|") {
				named = named || strings.Contains(found, part)
			}
			if !named || tt.fault == "" && found != "" {
				t.Errorf("got %.300s\nwant %s", found, tt.fault)
			}
		})
	}
}

// FuzzYAMLText: a text gives valid JSON with places within it, whose numbers stand in the text, and no panic.
func FuzzYAMLText(f *testing.F) {
	for _, seed := range []string{"a: 1\nb: [x, {y: z}]\n", "- a: |\n    x\n   y\n- b: >+\n\n  x\n\n", "a: &x {b: 1}\nc: {<<: *x, <<: [*x]}\n", "%YAML 1.2\n---\na: !!str 1\n...\n---\nb: \"\\x41\\u00e9\\n\"\n",
		"? a\n: - b\n  - c\n", "\"a\": 'it''s'\n# c\n'b' : ~\n", "a: 010\nb: .5\nc: 1e3\nd: -0\n", "a:\r\n  b: x\r\n   y\r\n", "- &a [*a]\n", "{a, b: , c: d}\n", "a: |2-\n    x\n", "a: b: c\n", "\ta: 1\n", "a: !!map\n", "!a &b c: d", "- - a: b\n  -\n- x: \n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Count(text, "\n") + 1
		for _, single := range []bool{false, true} {
			r := newReader([]byte(text), start)
			r.single = single
			r.read()
			for i := range r.records {
				recordtest.Check(t, &r.records[i], lines)
				recordtest.Numbers(t, &r.records[i], text)
			}
			for _, f := range r.findings() {
				if f.Line < 1 || f.Line > lines || f.Col < 1 || f.Message == "" {
					t.Errorf("%+v: the text has %d lines", f, lines)
				}
				if strings.Contains(f.Message, panicked) {
					t.Log(f.Message) // is refused
				}
			}
		}
	})
}

// TestWarnings: warnings do not end the reading, however many there are.
func TestWarnings(t *testing.T) {
	list, _, found := Records([]byte(strings.Repeat("- {code: 010}\n", 500)))
	if len(list) != 500 || len(found) != 500 {
		t.Errorf("%d records, %d warnings", len(list), len(found))
	}
}

func TestHints(t *testing.T) {
	for text, want := range map[string]string{
		"a: \"x\n":            "close the quote",
		"a: 'It's fine'\n":    "an apostrophe is written twice",
		"a: {{ page.title }}": "\"{{ title }}\"",
		"a: %x\n":             "put the text in quotes",
		"a: **/*.md\n":        "put the text in quotes",
		"a: [b] c\n":          "put it in quotes",
		"a: [b\nc: 1\n":       "close the bracket",
		"a: {b: 1\n":          "close the brace",
		"a:\n\tb: 1\n":        "indent with spaces",
		"a: b: c\n":           "in quotes",
	} {
		if _, faults := Object([]byte(text), record.Place{Line: 1, Col: 1}); len(faults) != 1 || !strings.Contains(faults[0].Hint, want) {
			t.Errorf("%q: %+v, want a hint with %q", text, faults, want)
		}
	}
}

// TestStrayCharacters: a character that only looks like a space or a colon is named with its place.
func TestStrayCharacters(t *testing.T) {
	for text, want := range map[string]string{
		"title:\u00a0x\n":                    "the character U+00A0 at 2:7 only looks like a space: type a space instead",
		"title:\u00a0x\nb: 2\n":              "the character U+00A0 at 2:7 only",
		"a: 1\nb: 2\nünï co:\u3000x\nc: 3\n": "the character U+3000 at 4:8 only",
		"a:\n  b: 1\n  c:\u202fx\n":          "the character U+202F at 4:5 only",
		"a: 1\nb:\u200bx\n":                  "the character U+200B at 3:3 only",
		"a:\u00a0\r\nb: 1\r\n":               "the character U+00A0 at 2:3 only",
		"a：1\nb: 2\n":                        "the character U+FF1A at 2:2 only looks like a colon: type a colon instead",
		"- a: 1\n- b:\u00a01\n":              "",
		"a: 1\nb:x\n":                        "",
		"just text\n":                        "",
		strings.Repeat("x", 1<<20) + "\n":    "",
		"a: 'x\n":                            "close the quote",
	} {
		_, faults := Object([]byte(text), record.Place{Line: 2, Col: 1})
		if len(faults) != 1 || !strings.HasPrefix(faults[0].Hint, want) || want == "" && faults[0].Hint != "" {
			t.Errorf("%.40q: %+v, want %s", text, faults, want)
		}
	}
	if _, _, faults := Records([]byte("- a: 1\n- b:\u00a01\n- c: 2\n")); len(faults) != 1 || !strings.HasPrefix(faults[0].Hint, "the character U+00A0 at 2:5 only") {
		t.Error(faults)
	}
}
