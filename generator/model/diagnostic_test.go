// This table is what is said about wrong content, word for word: the messages
// are for people, and a change of one should be seen and meant.

package model

import (
	"strings"
	"testing"

	"contentedge/generator/source/documents"
)

func TestDiagnostics(t *testing.T) {
	deep := func(n int) string {
		return item(id1, `,"Data":{"a":`+strings.Repeat("[", n)+strings.Repeat("]", n)+`}`)
	}
	without := func(member string) string { return strings.Replace(item(id1, ""), member, "", 1) }
	with := func(member string) string { return item(id1, ","+member) }
	path := func(n int) string {
		return with(`"Data":{"` + strings.Repeat("k", n) + `":1}`)
	}
	id := func(id string) string { return strings.Replace(item("X", ""), `"X"`, id, 1) }
	const noUUID = "the ContentID %s is not of the form Content_<uuid>"
	tests := []struct {
		name, in, want string // in a .json file, unless the name begins with "lines:"
	}{
		{"empty", "", "1:1: the file is empty\n  hint: write an item into it, or remove it"},
		{"lines: empty", "", "1:1: the file is empty\n  hint: write an item into it, or remove it"},
		{"lines: blank", " \r\n\n", "1:1: the file is empty\n  hint: write an item into it, or remove it"},
		{"space", "\ufeff \n", "1:1: the file is empty\n  hint: write an item into it, or remove it"},
		{"cut", `{"a":1`, "1:7: the file ends in the middle of a value\n  hint: the file may be cut off, or a bracket or a quote is not closed"},
		{"cut in a string", "[\n{\"a\":\"ü", "2:8: the file ends in the middle of a value\n  hint: the file may be cut off, or a bracket or a quote is not closed"},
		{"cut in an array", "[" + item(id1, ""), "1:131: the file ends in the middle of a value\n  hint: the file may be cut off, or a bracket or a quote is not closed"},
		{"cut after a comma", "[" + item(id1, "") + ",", "1:132: the file ends in the middle of a value\n  hint: the file may be cut off, or a bracket or a quote is not closed"},
		{"lines: cut", "\n{\"a\":1\n", "2:7: the line ends in the middle of an item\n  hint: in this kind of file each item is on one line"},
		{"trailing comma", "{\n\"a\":1,\n}", "3:1: expected a name in double quotes, found '}'\n  hint: nothing follows the comma before it; remove the comma"},
		{"trailing comma of an array", "[" + item(id1, "") + ",]", "1:132: expected a value, found ']'\n  hint: nothing follows the comma before it; remove the comma"},
		{"missing comma", "[" + item(id1, "") + "\n" + item(id2, "") + "]", "2:1: a comma or the end of the array is missing here"},
		{"two values", "{}\n{}", "1:1: ContentID is missing\n  hint: every item needs an id of its own, \"ContentID\":\"Content_<uuid>\"\n" +
			"FILE:1:1: CreatedAt is missing, and so are PublishedAt and UpdatedAt\n  hint: give one, for example \"CreatedAt\":\"2025-01-31T09:00:00Z\"\n" +
			"FILE:1:1: Name is missing\n  hint: every item needs a name, for example \"Name\":\"About us\"\n" +
			"FILE:1:1: TemplateName is missing\n  hint: every item needs the name of its template, for example \"TemplateName\":\"Page\"\n" +
			"FILE:2:1: there is more after the end of the value\n  hint: several items go into an array, or one a line into an .ndjson file"},
		{"lines: two items", item(id1, "") + " " + item(id2, ""), "1:131: there is more after the end of the item\n  hint: each item is on a line of its own"},
		{"lines: array", "[]", "1:1: an item must be an object, not an array"},
		{"comment", "// x\n{}", "1:1: expected a value, found '/'\n  hint: JSON has no comments"},
		{"merge conflict", "{\n<<<<<<< HEAD\n\"a\":1}", "2:1: expected a name in double quotes, found '<'\n  hint: this looks like a merge conflict that is not resolved"},
		{"merge conflict after an item", item(id1, "") + "\n=======\n", "2:1: there is more after the end of the value\n  hint: this looks like a merge conflict that is not resolved"},
		{"a mark between items", item(id1, "") + "\n\ufeff" + item(id2, ""), "2:1: there is more after the end of the value\n  hint: this is a byte order mark (U+FEFF), as of files that were put together; it may only begin a file: remove it"},
		{"lines: a mark between lines", item(id1, "") + "\n\ufeff" + item(id2, ""), "2:1: expected a value, found '\\ufeff'\n  hint: this is a byte order mark (U+FEFF), as of files that were put together; it may only begin a file: remove it"},
		{"lines: a mark at the end of a line", item(id1, "") + "\ufeff\n", "1:130: there is more after the end of the item\n  hint: this is a byte order mark (U+FEFF), as of files that were put together; it may only begin a file: remove it"},
		{"a mark in an array", "[" + item(id1, "") + ",\ufeff" + item(id2, "") + "]", "1:132: expected a value, found '\\ufeff'\n  hint: this is a byte order mark (U+FEFF), as of files that were put together; it may only begin a file: remove it"},
		{"end of DOS", item(id1, "") + "\r\n\x1a", "2:1: there is more after the end of the value\n  hint: this is ^Z (0x1A), with which DOS ended files; remove it"},
		{"lines: end of DOS", item(id1, "") + "\r\n\x1a", "2:1: expected a value, found '\\x1a'\n  hint: this is ^Z (0x1A), with which DOS ended files; remove it"},
		{"lines: lines of CR", item(id1, "") + "\r" + item(id2, "") + "\r", "1:131: there is more after the end of the item\n  hint: its lines end with only CR; save the file with LF or CR LF"},
		{"HTML", "<!DOCTYPE html>", "1:1: expected a value, found '<'\n  hint: this looks like HTML, not JSON"},
		{"NaN", with(`"Data":{"a":NaN}`), "1:142: expected a value, found 'N'\n  hint: JSON has no NaN; it knows null, true, false and numbers"},
		{"single quotes", "{'a':1}", "1:2: expected a name in double quotes, found '\\''\n  hint: JSON writes strings in double quotes"},
		{"control character", "{\"a\":\"x\ny\"}", "1:8: expected a closing quote or an escape, found '\\n'\n  hint: inside a string, write a line break as \\n and a tab as \\t"},
		{"no comma between members", `{"a":1 "b":2}`, "1:8: expected a comma or '}', found '\"'"},
		{"no comma between elements", `{"a":[1 2]}`, "1:9: expected a comma or ']', found '2'"},
		{"no colon", `{"a" 1}`, "1:6: expected a colon, found '1'"},
		{"no value", `{"a":}`, "1:6: expected a value, found '}'"},
		{"text without quotes", `{"a": Content_1}`, "1:7: expected a value, found 'C'\n  hint: JSON writes text and names in double quotes"},
		{"name without quotes", `{a:1}`, "1:2: expected a name in double quotes, found 'a'\n  hint: JSON writes text and names in double quotes"},
		{"half a word", `{"a":tru}`, "1:9: expected the word true, found '}'"},
		{"half a number", `{"a":1.}`, "1:8: expected a digit, found '}'"},
		{"leading zero", `{"a":01}`, "1:7: expected a comma or '}', found '1'\n  hint: a number does not begin with 0; put a text in double quotes"},
		{"NUL bytes", "\x00\x00", "1:1: expected a value, found '\\x00'\n  hint: this looks like UTF-16 or a damaged file; save it as UTF-8"},
		{"UTF-16", "\xff\xfe{\x00", "1:1: the file is UTF-16, not UTF-8\n  hint: save the file as UTF-8"},
		{"Latin-1", "{\"ü\":\"\xe4\"}", "1:7: the byte 0xe4 is not UTF-8 here\n  hint: save the file as UTF-8"},
		{"overlong", "{\"a\":\"\xc0\xaf\"}", "1:7: the byte 0xc0 is not UTF-8 here\n  hint: save the file as UTF-8"},
		{"raw surrogate", "{\"a\":\"\xed\xa0\x80\"}", "1:7: the byte 0xed is not UTF-8 here\n  hint: save the file as UTF-8"},
		{"half a pair", with(`"Data":{"a":"x\ud800y"}`), "1:144: this escape is half of a surrogate pair\n  hint: write both halves, or the character itself"},
		{"key twice", "{\"a\":1,\n \"b\":{\"\\u0063\":1,\"c\":2}}", "2:18: the key \"c\" is given twice in this object\n  hint: it is given first at 2:7; keep one of the two"},
		{"lines: key twice", "\n" + with(`"Name":"m"`), "2:130: the key \"Name\" is given twice in this object\n  hint: it is given first in column 61 of this line; keep one of the two"},
		{"goes on after a key twice", `[{"a":1,"a":2},` + "\n" + `7]`, "1:9: the key \"a\" is given twice in this object\n  hint: it is given first at 1:3; keep one of the two\nFILE:2:1: an item must be an object, not a number"},
		{"number", "7", "1:1: an item must be an object, not a number"},
		{"saved error", `{"status":404,"data":[]}`, "1:11: this is a saved response with the status \"404\", not content\n  hint: save it again"},
		{"saved nothing", `{"status":200,"data":null}`, "1:22: an item must be an object, not null"},
		{"deep enough", deep(498), ""},
		{"too deep", deep(499), "1:640: brackets are nested more than 500 deep here"},
		{"much too deep", deep(100_000), "1:640: brackets are nested more than 500 deep here"},
		{"brackets in strings", with(`"Data":{"a":"` + strings.Repeat(`[\"{`, 1000) + `"}`), ""},
		{"long path", path(MaxPath - len("Data.")), ""},
		{"too long a path", path(MaxPath - len("Data.") + 1), "1:138: the path of this key has 32769 bytes; a path may have 32768\n  hint: shorten the keys; a text belongs into a value"},
		{"a key of 1 MB", path(1 << 20), "1:138: the path of this key has 1048581 bytes; a path may have 32768\n  hint: shorten the keys; a text belongs into a value"},
		{"a key of 1 MB beside Data", with(`"` + strings.Repeat("k", 1<<20) + `":1`), "1:130: the path of this key has 1048576 bytes; a path may have 32768\n  hint: shorten the keys; a text belongs into a value"},
		{"many long paths", with(`"Data":{"a":[` + strings.Repeat(`{"`+strings.Repeat("k", MaxPath/2)+`":"x, \"y\": {"},`, 9) + `1]}`), ""},
		{"too deep a path", with(`"Data":` + strings.Repeat(`{"x":[{"`+strings.Repeat("k", 10_000)+`":`, 4) + "1" + strings.Repeat("}]}", 4)), "1:30174: the path of this key has 40016 bytes; a path may have 32768\n  hint: shorten the keys; a text belongs into a value"},
		{"too large", with(`"Data":{"a":"` + strings.Repeat("x", documents.MaxSize) + `"}`), "1:1: this item has 16777361 bytes; an item may have 16777216"},

		{"id missing", without(`"ContentID":"` + id1 + `",`), "1:1: ContentID is missing\n  hint: every item needs an id of its own, \"ContentID\":\"Content_<uuid>\""},
		{"id null", id(`null`), "1:1: ContentID is missing\n  hint: every item needs an id of its own, \"ContentID\":\"Content_<uuid>\""},
		{"id number", id(`12`), "1:14: ContentID must be a string, not a number"},
		{"id array", id(`["a"]`), "1:14: ContentID must be a string, not an array"},
		{"id object", id(`{"a":"b"}`), "1:14: ContentID must be a string, not an object"},
		{"id boolean", id(`true`), "1:14: ContentID must be a string, not a boolean"},
		{"id other form", id(`"about-us"`), "1:14: warning: " + strings.Replace(noUUID, "%s", `"about-us"`, 1)},
		{"id almost a UUID", id(`"Content_0000000g-0000-4000-8000-000000000001"`), "1:14: warning: " + strings.Replace(noUUID, "%s", `"Content_0000000g-0000-4000-8000-000000000001"`, 1)},
		{"key in another case", item(id1, `,"contentid":"x"`), "1:130: the key \"contentid\" is not a field, but ContentID is\n  hint: write ContentID; keys are case-sensitive"},
		{"long s is no s", item(id1, `,"\u017ftatus":"x","\u212aelvin":1`), ""},

		{"status null", with(`"Status":null`), "1:139: the Status is null\n  hint: give it a text, or leave it out for \"Published\""},
		{"status boolean", with(`"Status":true`), "1:139: Status must be a string, not a boolean"},
		{"status empty", with(`"Status":""`), "1:139: warning: the Status is empty\n  hint: leave it out for \"Published\""},
		{"name missing", without(`"Name":"n",`), "1:1: Name is missing\n  hint: every item needs a name, for example \"Name\":\"About us\""},
		{"name empty", strings.Replace(item(id1, ""), `"n"`, `""`, 1), "1:68: warning: Name is empty"},
		{"template missing", without(`"TemplateName":"t",`), "1:1: TemplateName is missing\n  hint: every item needs the name of its template, for example \"TemplateName\":\"Page\""},
		{"template number", strings.Replace(item(id1, ""), `"t"`, `7`, 1), "1:87: TemplateName must be a string, not a number"},
		{"template id number", with(`"TemplateID":7`), "1:143: TemplateID must be a string, not a number"},
		{"person number", with(`"UpdatedBy":7`), "1:142: UpdatedBy must be a string, not a number"},
		{"data text", with(`"Data":"x"`), "1:137: Data must be an object, not a string"},
		{"data array", with(`"Data":[]`), "1:137: Data must be an object, not an array"},
		{"time number", with(`"UpdatedAt":1700000000`), "1:142: UpdatedAt must be a string, not a number"},
		{"time text", with(`"UpdatedAt":"soon"`), "1:142: UpdatedAt \"soon\" is not an RFC 3339 timestamp\n  hint: write it like 2025-01-31T09:00:00Z"},
		{"no time", without(`,"CreatedAt":"2025-01-31T09:00:00.000Z"`), "1:1: CreatedAt is missing, and so are PublishedAt and UpdatedAt\n  hint: give one, for example \"CreatedAt\":\"2025-01-31T09:00:00Z\""},
		{"id taken", "[" + item(id1, "") + ",\n " + item(id1, "") + "]", "2:15: the ContentID \"" + id1 + "\" is taken\n  hint: the other one is in FILE:1:15; give one item another id"},
		{"id taken in another case", "[" + item(id1, "") + ",\n " + item(strings.ToUpper(id1), "") + "]",
			"2:15: the ContentID \"" + strings.ToUpper(id1) + "\" differs only by case from \"" + id1 + "\"\n  hint: the other one is in FILE:1:15; give one item another id\nFILE:2:15: warning: " + strings.Replace(noUUID, "%s", `"`+strings.ToUpper(id1)+`"`, 1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := "e/x.json"
			if strings.HasPrefix(tt.name, "lines:") {
				file = "e/x.ndjson"
			}
			want := tt.want
			if want != "" {
				want = file + ":" + strings.ReplaceAll(want, "FILE", file)
			}
			site, diagnostics := load(t, map[string]string{file: tt.in}, Options{})
			if got := said(diagnostics); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
			if (site == nil) != failed(diagnostics) {
				t.Errorf("site %v with errors %v", site, failed(diagnostics))
			}
		})
	}
}

// TestInvalidIDs holds ids that could be mistaken for something else in a path,
// a file name, a log or a header.
func TestInvalidIDs(t *testing.T) {
	for _, id := range []string{
		"", " ", ".", "..", "../x", "/abs", "a/b", `..\\x`, "..%2fx", "%2e%2e", "．．／", "a%00b", "x.json", "x.gz", "-a", "_a", "~root",
		`a\u0000b`, `a\nb`, `a\tb`, `a\u202eb`, `a\"b`, "<script>", "é", "e\u0301", strings.Repeat("x", 129), strings.Repeat("x", 100_000),
	} {
		site, diagnostics := load(t, map[string]string{"e/x.json": item(id, "")}, Options{})
		got := said(diagnostics)
		if site != nil || len(diagnostics) != 1 || !strings.HasPrefix(got, "e/x.json:1:14: the ContentID ") || strings.Count(got, "\n") != 1 || len(got) > 400 {
			t.Errorf("%.40q: %.500s", id, got)
		}
	}
	for _, id := range []string{"a", "0", "index", "CON", "manifest", "a_b-c", strings.Repeat("x", 128)} {
		if site, diagnostics := load(t, map[string]string{"e/x.json": item(id, "")}, Options{}); site == nil {
			t.Errorf("%s: %s", id, said(diagnostics))
		}
	}
}

func TestHopelessFile(t *testing.T) {
	var b strings.Builder
	for range 1000 {
		b.WriteString("{\n")
	}
	_, diagnostics := load(t, map[string]string{"e/a.ndjson": b.String(), "e/b.json": "7"}, Options{})
	if len(diagnostics) != maxErrors+2 {
		t.Fatalf("%d diagnostics", len(diagnostics))
	}
	got := said(diagnostics[maxErrors:])
	want := "e/a.ndjson: and 980 more errors in this file\ne/b.json:1:1: an item must be an object, not a number"
	if got != want {
		t.Errorf("got %s", got)
	}
}

// TestRepeatedWarnings: what many items give cause for is said once, with its count and
// its first place, and behind what has a place of its own.
func TestRepeatedWarnings(t *testing.T) {
	files := map[string]string{
		"e/a.ndjson": item(id1, "") + "\n" + item("a2", "") + "\n" + item("a3", `,"Status":""`),
		"e/b.json":   "[" + item("a4", "") + ",\n" + strings.Replace(item("a5", ""), `"n"`, `""`, 1) + "]",
		"e/c.json":   data(id2, `{"a":`+refers(`"gone"`)+`}`),
		"f/x.ndjson": many(12_000, nil) + item("a6", "") + "\n" + strings.Replace(item("a7", ""), `"n"`, `""`, 1),
	}
	want := []string{
		`e/c.json:1:202: warning: Data.a refers to "gone"`,
		"warning: 6 ContentIDs are not of the form Content_<uuid> (first: e/a.ndjson:2:14)",
		"warning: 2 items have an empty Name (first: e/b.json:2:26)",
		"e/a.ndjson:3:97: warning: the Status is empty\n  hint: ",
	}
	for range 3 {
		site, diagnostics := load(t, files, Options{})
		if site == nil || len(diagnostics) != len(want) {
			t.Fatal(said(diagnostics))
		}
		for i, d := range diagnostics {
			if !strings.HasPrefix(d.String(), want[i]) {
				t.Errorf("got %s\nwant %s", d, want[i])
			}
		}
		if d := diagnostics[1]; d.Count != 6 || d.File != "e/a.ndjson" || d.Line != 2 || d.Col != 14 {
			t.Errorf("%+v", d)
		}
	}
	if site, diagnostics := load(t, files, Options{Strict: true}); site != nil || strings.Count(said(diagnostics), "warning") != 1 || !diagnostics[1].Warning {
		t.Error(said(diagnostics)) // any valid id is accepted
	}
}

// TestManyClashes: clashes are found after everything else and counted with it.
func TestManyClashes(t *testing.T) {
	_, diagnostics := load(t, map[string]string{"e/x.ndjson": strings.Repeat(item(id1, "")+"\n", 100)}, Options{})
	if len(diagnostics) != maxErrors+1 || diagnostics[maxErrors].Message != "and 79 more errors in this file" {
		t.Error(said(diagnostics))
	}
}

func TestDiagnosticString(t *testing.T) {
	for want, d := range map[string]Diagnostic{
		"a.json:1:2: m\n  hint: h":   {File: "a.json", Line: 1, Col: 2, Message: "m", Hint: "h"},
		"a.json: warning: m":         {File: "a.json", Message: "m", Warning: true},
		`"a\nb\x1b[31m.json":1:1: m`: {File: "a\nb\x1b[31m.json", Line: 1, Col: 1, Message: "m"},
		"m":                          {Message: "m"},
	} {
		if got := d.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
