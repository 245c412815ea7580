package items

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/visibility"
)

// files writes a file of each format that has the members, which are pairs of a name and a value.
func files(pairs ...string) map[string]string {
	var yaml, toml, names, values strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		name, value := pairs[i], pairs[i+1]
		if outer, inner, nested := strings.Cut(name, "."); nested {
			fmt.Fprintf(&yaml, "%s: {%s: %s}\n", outer, inner, value)
		} else {
			fmt.Fprintf(&yaml, "%s: %s\n", name, value)
		}
		if value == "true" || value == "false" {
			fmt.Fprintf(&toml, "%s = %s\n", name, value)
		} else {
			fmt.Fprintf(&toml, "%s = %q\n", name, value)
		}
		names.WriteString("," + name)
		values.WriteString("," + value)
	}
	return map[string]string{
		"a.md": "---\n" + yaml.String() + "---\nText\n", "a.mdx": "+++\n" + toml.String() + "+++\nText\n",
		"a.yaml": yaml.String(), "a.toml": toml.String(), "x.csv": "code" + names.String() + "\nA" + values.String() + "\n",
	}
}

const byCode = "sources: [{id: {from: code}, dates: [front matter, name, file]}]"

// readMarked reads one of files.
func readMarked(t *testing.T, path, text string) *recorder {
	t.Helper()
	settings := "sources: [{dates: [front matter, name, file]}]"
	if strings.HasSuffix(path, ".csv") {
		settings = byCode
	}
	return read(t, settings, path, text, false)
}

// TestMarks: each mark in each format gives the item its Status and its times.
func TestMarks(t *testing.T) {
	const later = `"2031-05-06T00:00:00Z"`
	cases := []struct{ member, value, status, published, expires string }{
		{"draft", "true", `"Draft"`, "", ""},
		{"draft", "false", "", "", ""},
		{"Draft", "Yes", `"Draft"`, "", ""},
		{"published", "false", `"Draft"`, "", ""},
		{"published", "true", "", "", ""},
		{"publish", "false", `"Draft"`, "", ""},
		{"publish", "true", "", "", ""},
		{"draft", "checked", `"Draft"`, "", ""},
		{"publish", "Unchecked", `"Draft"`, "", ""},
		{"PUBLISH", "off", `"Draft"`, "", ""},
		{"private", "true", `"Private"`, "", ""},
		{"private", "false", "", "", ""},
		{"unlisted", "true", `"Private"`, "", ""},
		{"unlisted", "false", "", "", ""},
		{"headless", "true", `"Private"`, "", ""},
		{"headless", "false", "", "", ""},
		{"build.render", "never", `"Private"`, "", ""},
		{"build.render", "link", `"Private"`, "", ""},
		{"build.render", "always", "", "", ""},
		{"build.render", "true", "", "", ""},
		{"build.render", "false", `"Private"`, "", ""},
		{"Build.Render", "NEVER", `"Private"`, "", ""},
		{"_build.render", "never", `"Private"`, "", ""},
		{"_build.render", "link", `"Private"`, "", ""},
		{"_build.render", "always", "", "", ""},
		{"_build.render", "true", "", "", ""},
		{"_build.render", "false", `"Private"`, "", ""},
		{"status", "draft", `"Draft"`, "", ""},
		{"status", "Published", "", "", ""},
		{"status", "in_review", `"InReview"`, "", ""},
		{"status", "expired", `"Archived"`, "", ""},
		{"status", "scheduled", `"Draft"`, "", ""},
		{"status", "Accepted", `"Accepted"`, "", ""},
	}
	for _, name := range []string{"publishDate", "publishdate", "publish_date", "pubDate", "publishedAt", "published_at", "datePublished", "published"} {
		cases = append(cases, struct{ member, value, status, published, expires string }{name, "2031-05-06", "", later, ""})
	}
	for _, name := range []string{
		"expiryDate", "expirydate", "expiry_date", "expires", "expires_at", "expiry", "ExpiresAt", "expiresAt", "expirationDate",
		"unpublishDate", "unpublishdate", "unpublish_date", "unpublishAt", "unpublish_at", "unpublishedAt", "unpublished_at", "expireAt", "expire_at", "unpublish_on",
	} {
		cases = append(cases, struct{ member, value, status, published, expires string }{name, "2031-05-06", "", "", later})
	}
	tested := map[string]bool{}
	for _, tt := range cases {
		tested[tt.member+" "+tt.value] = true
		for path, text := range files(tt.member, tt.value) {
			r := readMarked(t, path, text)
			if len(r.items) != 1 {
				t.Errorf("%s %q: %s", path, text, r.said)
				continue
			}
			for field, want := range map[string]string{"Status": tt.status, "PublishedAt": tt.published, "ExpiresAt": tt.expires} {
				if got := field1(r.items[0], field); got != want {
					t.Errorf("%s %q: %s is %s, want %s", path, text, field, got, want)
				}
			}
		}
	}
	for _, m := range visibility.Marks() {
		values := m.Values
		switch {
		case m.Member == visibility.Date || !slices.Contains(m.Readers, visibility.Members):
			continue // see TestSeveralMarks
		case m.IsWord() && m.Gives == address.FieldStatus:
			values = []visibility.Value{{Text: "draft"}}
		case m.IsWord():
			values = []visibility.Value{{Text: "2031-05-06"}}
		}
		for _, v := range values {
			if !tested[m.Member+" "+v.Text] {
				t.Errorf("no case has %s: %s", m.Member, v.Text)
			}
		}
	}
}

// field1 returns a member of the item itself.
func field1(item, name string) string {
	before, data, _ := strings.Cut(item, `"Data":{`)
	if name == visibility.FieldExpiresAt && strings.Contains(data, `"ExpiresAt"`) {
		return "in Data"
	}
	return field(before+"}", name)
}

// TestSeveralMarks: of several marks the strictest counts, and what an author wrote as the date of a Markdown file is when
// it is published.
func TestSeveralMarks(t *testing.T) {
	const rule = "sources: [{dates: [{created: starts}, front matter], status: {from: kind, x: Live, else: Published}}]"
	for _, tt := range []struct{ name, settings, path, text, status, created, published, expires string }{
		{"the strictest status", "", "a.md", "---\ndate: 2024-01-02\ndraft: false\npublished: false\n---\n", `"Draft"`, `"2024-01-02T00:00:00Z"`, `"2024-01-02T00:00:00Z"`, ""},
		{"private before draft", "", "a.md", "---\ndraft: true\nunlisted: true\nstatus: published\n---\n", `"Private"`, `"2023-11-14T22:13:20Z"`, "", ""},
		{"draft before an unknown word", "", "a.md", "---\nstatus: Accepted\ndraft: true\n---\n", `"Draft"`, `"2023-11-14T22:13:20Z"`, "", ""},
		{"an unknown word before published", "", "a.md", "---\nstatus: Accepted\ndraft: false\n---\n", `"Accepted"`, `"2023-11-14T22:13:20Z"`, "", ""},
		{"the latest time of publication", "", "a.md", "---\npubDate: 2031-01-01\npublishDate: 2024-01-01\n---\n", "", "", `"2031-01-01T00:00:00Z"`, ""},
		{"the earliest end", "", "a.md", "---\ndate: 2024-01-02\nexpiryDate: 2031-01-01\nexpires: 2025-01-01 10:00 +0100\n---\n", "", `"2024-01-02T00:00:00Z"`, `"2024-01-02T00:00:00Z"`, `"2025-01-01T09:00:00Z"`},
		{"a future date of Markdown", "", "a.md", "---\ndate: 2031-01-02\n---\n", "", `"2031-01-02T00:00:00Z"`, `"2031-01-02T00:00:00Z"`, ""},
		{"a future date with an edit", "", "a.md", "---\ndate: 2031-01-02\nlastmod: 2024-01-01\n---\n", "", `"2031-01-02T00:00:00Z"`, `"2031-01-02T00:00:00Z"`, ""},
		{"a future date with a field", "", "a.md", "---\ndate: 2031-01-02\nUpdatedAt: 2024-01-01\n---\n", "", "", `"2031-01-02T00:00:00Z"`, ""},
		{"a date and a publish date", "", "a.md", "---\ndate: 2031-01-02\npublishDate: 2024-01-01\n---\n", "", `"2031-01-02T00:00:00Z"`, `"2024-01-01T00:00:00Z"`, ""},
		{"a date in the name", "", "2031-01-02-a.md", "", "", `"2031-01-02T00:00:00Z"`, `"2031-01-02T00:00:00Z"`, ""},
		{"a creation is not a publication", "", "a.md", "---\ncreated: 2031-01-02\n---\n", "", `"2031-01-02T00:00:00Z"`, "", ""},
		{"a date of data is not a publication", `sources: [{files: "**"}]`, "a.yaml", "date: 2031-01-02\n", "", `"2031-01-02T00:00:00Z"`, "", ""},
		{"dates of git are not", "", "a.md", "", "", `"2023-11-14T22:13:20Z"`, "", ""},
		{"scheduled with a date", "", "a.md", "---\nstatus: scheduled\ndate: 2031-01-02\n---\n", "", `"2031-01-02T00:00:00Z"`, `"2031-01-02T00:00:00Z"`, ""},
		{"scheduled with a date of git", "", "a.md", "---\nstatus: future\n---\n", `"Draft"`, `"2023-11-14T22:13:20Z"`, "", ""},
		{"a field wins, but times count", "", "a.md", "---\nStatus: Live\ndraft: true\ndate: 2024-01-02\nexpires: 2025-01-01\n---\n", `"Live"`, `"2024-01-02T00:00:00Z"`, `"2024-01-02T00:00:00Z"`, `"2025-01-01T00:00:00Z"`},
		{"a rule wins, but times count", rule, "a.md", "---\nkind: x\ndraft: true\nstarts: 2024-01-02\npublishDate: 2031-01-01\nexpires: 2035-01-01\n---\n", `"Live"`, `"2024-01-02T00:00:00Z"`, `"2031-01-01T00:00:00Z"`, `"2035-01-01T00:00:00Z"`},
		{"a rule says that date is the creation", "sources: [{dates: [{created: date}]}]", "a.md", "---\ndate: 2031-01-02\n---\n", "", `"2031-01-02T00:00:00Z"`, "", ""},
		{"PublishedAt wins", "", "a.md", "---\nPublishedAt: 2024-01-02\npublishDate: 2031-01-01\n---\n", "", "", `"2024-01-02T00:00:00Z"`, ""},
		{"an empty mark is not a mark", "", "a.md", "---\ndate: 2024-01-02\ndraft: ''\nstatus: ' '\nexpires:\nprivate: ''\n---\n", "", `"2024-01-02T00:00:00Z"`, `"2024-01-02T00:00:00Z"`, ""},
		{"a year of publication", "", "a.md", "---\ndate: 2024-01-02\npublished: 2019\n---\n", "", `"2024-01-02T00:00:00Z"`, `"2024-01-02T00:00:00Z"`, ""},
		{"build of another kind", "", "a.md", "---\ndate: 2024-01-02\nbuild: 17\n_build: {list: never}\n---\n", "", `"2024-01-02T00:00:00Z"`, `"2024-01-02T00:00:00Z"`, ""},
	} {
		r := read(t, tt.settings, tt.path, tt.text, false)
		if len(r.items) != 1 {
			t.Errorf("%s: %s", tt.name, r.said)
			continue
		}
		for field, want := range map[string]string{"Status": tt.status, "CreatedAt": tt.created, "PublishedAt": tt.published, "ExpiresAt": tt.expires} {
			if got := field1(r.items[0], field); got != want {
				t.Errorf("%s: %s is %s, want %s", tt.name, field, got, want)
			}
		}
	}
}

// TestUnclearMarks: a value of a mark that nobody understands is an error at its place in each format; an unknown status
// is a warning that names it.
func TestUnclearMarks(t *testing.T) {
	for _, tt := range []struct{ member, value, want string }{
		{"draft", "maybe", `error: draft must be true or false, not "maybe" (write draft: true or draft: false)`},
		{"published", "maybe", `error: published must be true or false, not "maybe" (write published: true or published: false)`},
		{"private", "1", `error: private must be true or false, not "1" (write private: true or private: false)`},
		{"build.render", "soon", `error: build.render must be always, never, link, true or false, not "soon" (write build.render: always or build.render: never)`},
		{"expires", "soon", `error: expires "soon" is not a date (write it like 2025-01-31, 2025-01-31 09:00:00 +0100 or 2025-01-31T09:00:00Z)`},
		{"expires", "3600", `error: expires "3600" is not a date: a number is seconds or milliseconds since 1970, with 9 to 13 digits (write it like 2025-01-31, 2025-01-31 09:00:00 +0100 or 2025-01-31T09:00:00Z)`},
		{"published_at", "soon", `error: published_at "soon" is not a date (write it like 2025-01-31, 2025-01-31 09:00:00 +0100 or 2025-01-31T09:00:00Z)`},
		{"status", "Accepted", `warning: the status "Accepted" is unknown, and stays as it is: builds leave the item out by default`},
	} {
		for path, text := range files(tt.member, tt.value) {
			r := readMarked(t, path, text)
			i := slices.IndexFunc(r.said, func(said string) bool { return strings.HasSuffix(said, " "+tt.want) })
			if i < 0 {
				t.Errorf("%s %q: %s", path, text, r.said)
				continue
			}
			if line := strings.Index(text, tt.value); !strings.HasPrefix(r.said[i], fmt.Sprint(1+strings.Count(text[:line], "\n"), ":")) {
				t.Errorf("%s %q: %s", path, text, r.said[i])
			}
		}
	}
	if r := read(t, "", "a.md", "---\ndate: 2024-01-02\nstatus: [draft]\nprivate: {a: b}\n---\n", false); len(r.items) > 0 || len(r.said) != 2 {
		t.Error(r.items, r.said)
	}
}

// TestManyWords: the unknown words of a file are named, but not without bound.
func TestManyWords(t *testing.T) {
	r := read(t, byCode, "x.csv", "code,date,status\n"+numbered("%[1]d,2024-01-02,word %[1]d\n", 1000), false)
	kinds := map[string]bool{}
	for _, m := range r.reader.(*reader).made {
		for _, f := range m.findings {
			kinds[f.kind.Many] = true
		}
	}
	if len(kinds) != maxWords+1 || len(r.items) != 1000 {
		t.Errorf("%d kinds, %d items", len(kinds), len(r.items))
	}
}
