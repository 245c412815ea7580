package visibility

import (
	"fmt"
	"strings"
	"testing"

	"contentedge/edgeserve/pagetest"
	"contentedge/edgeserve/wire/address"
)

// TestVisibility shows what the words of systems mean, and which of them mean that an item is not public.
func TestVisibility(t *testing.T) {
	for word, want := range map[string]string{
		"published": Published, "PUBLISH": Published, "live": Published, "active": Published, " public ": Published,
		"changed": Changed, "updated": Changed, "draft": Draft, "unpublished": Draft, "auto-draft": Draft,
		"In Review": InReview, "in_review": InReview, "in-review": InReview, "InReview": InReview, "pending": InReview,
		"private": Private, "hidden": Private, "unlisted": Private, "password": Private,
		"trash": Archived, "archived": Archived, "expired": Archived, "future": Scheduled, "Scheduled": Scheduled,
	} {
		status, known := Status(word)
		if status != want || !known {
			t.Errorf("%q is %q, %v", word, status, known)
		}
		if NotPublic(word) != (want != Published) {
			t.Errorf("%q: %v", word, NotPublic(word))
		}
	}
	for _, word := range []string{"", "Accepted", "Drafts", "true"} {
		if status, known := Status(word); status != word || known || NotPublic(word) {
			t.Errorf("%q is %q, %v", word, status, known)
		}
	}
	for _, row := range Words() {
		if status, _ := Status(row.Status); status != row.Status {
			t.Errorf("%s means %s", row.Status, status)
		}
	}
}

func TestWritten(t *testing.T) {
	for _, tt := range []struct {
		status string
		dated  bool
		want   string
	}{{Scheduled, true, Published}, {Scheduled, false, Draft}, {Private, true, Private}, {"Accepted", false, "Accepted"}, {"", true, ""}} {
		if got := Written(tt.status, tt.dated); got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
}

func TestStricter(t *testing.T) {
	order := []string{"", Published, "Accepted", Scheduled, Changed, InReview, Archived, Draft, Private}
	for i, a := range order {
		for j, b := range order {
			if Stricter(a, b) != (i > j) {
				t.Errorf("%q is stricter than %q: %v", a, b, Stricter(a, b))
			}
		}
	}
}

// TestIsMark: names count in any case, and those that only Markdown reads do not.
func TestIsMark(t *testing.T) {
	for member, want := range map[string]bool{"draft": true, "Status": true, "PUBLISHED": true, "expiresat": true, "date": false, "title": false, "": false, "build.render": true} {
		if got := IsMark(member); got != want {
			t.Errorf("%q: %t", member, got)
		}
	}
}

// TestPage: VISIBILITY.md has the tables.
func TestPage(t *testing.T) {
	const page = "../VISIBILITY.md"
	var marks, words strings.Builder
	marks.WriteString("\n| member | value | gives | read by |\n|---|---|---|---|\n")
	for _, m := range Marks() {
		var readers []string
		for _, r := range m.Readers {
			readers = append(readers, string(r))
		}
		for _, row := range rows(&m) {
			fmt.Fprintf(&marks, "| `%s` | %s | %s |\n", m.Member, row, strings.Join(readers, ", "))
		}
	}
	words.WriteString("\n| word | status |\n|---|---|\n")
	for _, row := range Words() {
		fmt.Fprintf(&words, "| `%s` | `%s` |\n", strings.Join(row.Words, "` `"), row.Status)
	}
	pagetest.List(t, page, "marks", marks.String()+"\n")
	pagetest.List(t, page, "words", words.String()+"\n")
}

// rows returns the cells of a mark for its values and for what they give.
func rows(m *Mark) []string {
	switch {
	case m.IsWord() && m.Gives == address.FieldStatus:
		return []string{"a [word](#words) | `Status`"}
	case m.IsWord():
		return []string{"a date | `" + m.Gives + "`"}
	}
	values := map[string][]string{}
	var order []string
	for _, v := range m.Values {
		if values[v.Status] == nil && v.Status != "" {
			order = append(order, v.Status)
		}
		values[v.Status] = append(values[v.Status], "`"+v.Text+"`")
	}
	var cells []string
	for _, status := range order {
		cells = append(cells, strings.Join(values[status], " ")+" | `Status` `"+status+"`")
	}
	return cells
}
