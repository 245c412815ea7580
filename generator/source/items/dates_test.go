package items

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// spelled writes a file of each format and language of front matter with a member whose value is a text, or is written as
// in JSON. The value is the last of its line.
func spelled(member, value string, literal bool) map[string]string {
	quoted, cell := value, value
	if !literal {
		quoted = fmt.Sprintf("%q", value)
	}
	if strings.Contains(cell, ",") {
		cell = `"` + cell + `"`
	}
	made := map[string]string{
		"a.md": "---\n" + member + ": " + quoted + "\n---\nText\n", "b/a.md": "---json\n{\"" + member + "\": " + quoted + "\n}\n---\nText\n",
		"a.mdx": "+++\n" + member + " = " + quoted + "\n+++\nText\n", "b/a.mdx": "---toml\n" + member + " = " + quoted + "\n---\nText\n",
		"a.yaml": member + ": " + quoted + "\n", "a.toml": member + " = " + quoted + "\n", "x.csv": "code," + member + "\nA," + cell + "\n",
	}
	if literal && strings.ContainsAny(value, "[{") { // a cell is a text, TOML has another object
		delete(made, "x.csv")
		for _, path := range []string{"a.mdx", "b/a.mdx", "a.toml"} {
			made[path] = strings.ReplaceAll(made[path], `":`, `"=`)
		}
	}
	return made
}

// readDated reads one of spelled by a rule with some sources of dates.
func readDated(t *testing.T, path, text, sources string) *recorder {
	t.Helper()
	id := ""
	if strings.HasSuffix(path, ".csv") {
		id = "id: {from: code}, "
	}
	return read(t, "sources: [{"+id+"dates: ["+sources+"]}]", path, text, false)
}

// usualSources would give an item with an unreadable date the time of its file.
const usualSources = "front matter, name, file"

// TestSpellings: a date in any spelling is the same in each format and member.
func TestSpellings(t *testing.T) {
	for _, value := range []string{
		"2020-01-05T09:05:00Z", "2020-01-05 09:05:00 +0000 UTC", "2020-01-05 10:05:00 +0100 CET m=+0.1", "Sun Jan 05 2020 10:05:00 GMT+0100 (Central European Standard Time)",
		"Sun, 05 Jan 2020 09:05:00 GMT", "2020-01-05T09:05:00.000Z", "20200105090500", "2020年1月5日 9:05", "2020-01-05 9:05 AM", "=1578215100", "=1578215100000", "1578215100",
	} {
		text, literal := strings.CutPrefix(value, "=")
		for member, field := range map[string]string{
			"date": "CreatedAt", "Date": "CreatedAt", "createdAt": "CreatedAt", "created": "CreatedAt", "lastmod": "UpdatedAt", "updated": "UpdatedAt", "publishDate": "PublishedAt",
			"published": "PublishedAt", "expires": "ExpiresAt", "CreatedAt": "CreatedAt", "when": "CreatedAt",
		} {
			sources := usualSources
			if member == "when" {
				sources = "{created: when}"
			}
			for path, file := range spelled(member, text, literal) {
				r := readDated(t, path, file, sources)
				if len(r.items) != 1 || field1(r.items[0], field) != `"2020-01-05T09:05:00Z"` {
					t.Errorf("%s %q: %s %s", path, file, r.items, r.said)
				}
			}
		}
	}
}

// TestUnreadable: a date that is there but unreadable is an error at its place. It is never replaced by another date.
func TestUnreadable(t *testing.T) {
	for _, tt := range []struct{ value, want string }{
		{"=[\"2020-01-05\"]", "must be a date, not an array (write one date without brackets, for example 2025-01-31)"},
		{"=[]", "must be a date, not an array"},
		{`={"start": "2020-01-05"}`, "must be a date, not an object (if one of its members"},
		{"=true", "must be a date, not a boolean (write a date"},
		{"=false", "must be a date, not a boolean (write a date"},
		{"=2020", `"2020" is not a date: a number is seconds or milliseconds`},
		{"=-3.5", `"-3.5" is not a date: a number is seconds or milliseconds`},
		{"=20201399", `"20201399" is not a date: month 13 does not exist`},
		{"=157818240000000000", `"157818240000000000" is not a date: a number`},
		{"2020-01", `"2020-01" is not a date (a month has no day`},
		{"2020-01-05 09:05:00 PST", `is not a date (PST is not the same zone everywhere`},
		{"soon", `"soon" is not a date (write it like`},
	} {
		text, literal := strings.CutPrefix(tt.value, "=")
		for _, member := range []string{"date", "DATE", "createdAt", "created_at", "lastmod", "updated_at", "publishDate", "pubDate", "expires", "when"} {
			sources := usualSources
			if member == "when" {
				sources = "{created: when}, file"
			}
			for path, file := range spelled(member, text, literal) {
				want := tt.want
				if path == "x.csv" && (text == "true" || text == "false") {
					want = `is not a date (write it like` // a cell is a text
				}
				r := readDated(t, path, file, sources)
				faults := slices.DeleteFunc(r.said, func(said string) bool { return !strings.Contains(said, "error: ") })
				at := strings.Index(file, member)
				at += strings.IndexAny(file[at:], ":=\n") // of CSV, the end of the first row
				if strings.HasPrefix(file[at:], "\":") {
					at++
				}
				at += strings.Index(file[at:], text[:1])
				line := strings.Count(file[:at], "\n") + 1
				if len(r.items) > 0 || len(faults) != 1 || !strings.HasPrefix(faults[0], fmt.Sprint(line, ":")) || !strings.Contains(faults[0], "error: "+member+" ") || !strings.Contains(faults[0], want) {
					t.Errorf("%s %q: %s %s", path, file, r.items, r.said)
				}
			}
		}
	}
}

// TestPerhapsDates: a member that may also say whether something is so is read as a date if it has one, and passed over if
// it is a word, a boolean, or a small number. What has digits but is not a date is an error.
func TestPerhapsDates(t *testing.T) {
	const wrong = ""
	for value, want := range map[string]string{
		"=true": "file", "=false": "file", "yes": "file", "=3": "file", "=2019": "file", "2019": "file", "=[]": "file", "={}": "file", `=["new"]`: "file",
		"=20200105": "2020", "=1578182400": "2020", "Jan 5, 2020": "2020",
		"2020-01": wrong, "=20201399": wrong, `=["2020-01-05"]`: wrong, `={"at": "2020-01-05"}`: wrong, "=15781824000": "2470", "v1": wrong,
	} {
		text, literal := strings.CutPrefix(value, "=")
		for _, member := range []string{"updated", "created", "modified", "lastUpdated"} {
			for path, file := range spelled(member, text, literal) {
				if want == "file" {
					want = fmt.Sprint(modified.Year())
				}
				r := readDated(t, path, file, usualSources)
				faulty := slices.ContainsFunc(r.said, func(said string) bool { return strings.Contains(said, "error: "+member+" ") })
				dated := len(r.items) == 1 && strings.Contains(field1(r.items[0], "UpdatedAt")+field1(r.items[0], "CreatedAt"), `"`+want+"-")
				if (want == wrong) != faulty || want != wrong && !dated {
					t.Errorf("%s %q: %s %s, want %q", path, file, r.items, r.said, want)
				}
			}
		}
	}
	if r := readDated(t, "a.md", "---\ndate: 2024-01-02\npublished: [2020-01-05]\n---\n", usualSources); len(r.items) > 0 || len(r.said) != 1 || !strings.Contains(r.said[0], "3:12 error: published must be a date, not an array") {
		t.Error(r.items, r.said)
	}
}

// TestUndated: a build and a preview name the same ways to give an item a date, whatever the reason.
func TestUndated(t *testing.T) {
	for _, tt := range []struct{ settings, path, first string }{
		{"", "about/index.md", "commit the files"},
		{"", "_index.md", "commit the files"},
		{"", "shallow.md", "fetch it"},
		{"sources: [{dates: [front matter, name]}]", "about/index.md", "add git to dates"},
	} {
		var hints []string
		for _, lenient := range []bool{false, true} {
			r := read(t, tt.settings, tt.path, "---\ntitle: A\n---\nText\n", lenient)
			kind := r.reader.(*reader).made[0].findings[0].kind
			if kind.Error == lenient || len(r.items) == 1 != lenient {
				t.Errorf("%s: %+v", tt.path, kind)
			}
			hints = append(hints, kind.Hint)
		}
		if hints[0] != hints[1] || !strings.HasPrefix(hints[0], tt.first) {
			t.Errorf("%s: %q", tt.path, hints)
		}
		for _, way := range []string{"date: 2025-01-31", "dates: [front matter, name, file]", "generator import markdown"} {
			if !strings.Contains(hints[0], way) {
				t.Errorf("%s: %q lacks %s", tt.path, hints[0], way)
			}
		}
	}
}
