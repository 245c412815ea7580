package generator

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"contentedge/generator/visibility"
)

// dated is what of an item decides when it is visible.
type dated struct {
	Status                 string
	PublishedAt, ExpiresAt time.Time
}

// dates returns the items of a folder.
func (f *folder) dates() (items []dated) {
	for _, name := range f.files() {
		if ext := filepath.Ext(name); ext != ".json" && ext != ".ndjson" {
			continue // a picture
		}
		text, err := os.ReadFile(filepath.Join(f.dir, name))
		if err != nil {
			f.t.Fatal(err)
		}
		texts := json.NewDecoder(bytes.NewReader(text))
		for texts.More() {
			var one json.RawMessage
			var list []dated
			if err := texts.Decode(&one); err != nil {
				f.t.Fatal(err)
			}
			if one[0] != '[' {
				one = slices.Concat([]byte("["), one, []byte("]"))
			}
			if err := json.Unmarshal(one, &list); err != nil {
				f.t.Fatal(err)
			}
			items = append(items, list...)
		}
	}
	return items
}

// nextChange looks at every item at every later time of an item, and returns the first time at which an item comes or
// goes. It is zero if there is none.
func (f *folder) nextChange(rules visibility.Rules, at time.Time) (next time.Time) {
	items := f.dates()
	shown := func(it dated, at time.Time) bool {
		delivered := slices.Contains(rules.Statuses, it.Status) || slices.Contains(rules.Statuses, "all") || len(rules.Statuses) == 0 && it.Status == "Published"
		return delivered && (rules.Scheduled || !it.PublishedAt.After(at)) && (rules.Expired || it.ExpiresAt.IsZero() || it.ExpiresAt.After(at))
	}
	for _, it := range items {
		for _, moment := range []time.Time{it.PublishedAt, it.ExpiresAt} {
			if moment.After(at) && (next.IsZero() || moment.Before(next)) && shown(it, moment) != shown(it, moment.Add(-time.Millisecond)) {
				next = moment
			}
		}
	}
	return next
}

// TestSessionView: a visitor gets the items of the statuses whose time has come, and the session
// knows when the next one comes.
func TestSessionView(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "content", "site"), 0o755); err != nil {
		t.Fatal(err)
	}
	for id, members := range map[string]string{
		"a": `"Status":"Published","PublishedAt":"2026-01-01T00:00:00Z","TemplateName":"Page"`,
		"b": `"Status":"Published","PublishedAt":"2026-03-01T00:00:00Z","TemplateName":"Page"`,
		"c": `"Status":"Published","PublishedAt":"2026-04-01T00:00:00Z","TemplateName":"News"`,
		"d": `"Status":"Draft","PublishedAt":"2026-02-01T00:00:00Z","TemplateName":"Page"`,
	} {
		text := `{"ContentID":"` + id + `","Name":"N","CreatedAt":"2026-01-01T00:00:00Z",` + members + `}`
		if err := os.WriteFile(filepath.Join(dir, "content", "site", id+".json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := NewSession(BuildConfig{Visible: visibility.Everything(), Content: filepath.Join(dir, "content"), Out: filepath.Join(dir, "out"), SnapshotOnly: true, Removal: Removal{Allow: true}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Templates("site") != nil || !s.NextChange().IsZero() {
		t.Error("a session that has built nothing knows items")
	}
	at := func(month time.Month) time.Time { return time.Date(2026, month, 1, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		view View
		next time.Time
		want []TemplateInfo
	}{
		{View{}, time.Time{}, []TemplateInfo{{"News", 1, map[string]int{"Published": 1}}, {"Page", 3, map[string]int{"Published": 2, "Draft": 1}}}},
		{View{Visible: &visibility.Rules{Statuses: []string{"Published"}}, At: at(2)}, at(3), []TemplateInfo{{"Page", 1, map[string]int{"Published": 1}}}},
		{View{Visible: &visibility.Rules{Statuses: []string{"Published"}}, At: at(3)}, at(4), []TemplateInfo{{"Page", 2, map[string]int{"Published": 2}}}},
		{View{Visible: &visibility.Rules{Statuses: []string{"Draft", "Published"}}, At: at(1)}, at(2), []TemplateInfo{{"Page", 1, map[string]int{"Published": 1}}}},
		{View{Visible: &visibility.Rules{Statuses: []string{"Published"}}, At: at(4)}, time.Time{}, []TemplateInfo{{"News", 1, map[string]int{"Published": 1}}, {"Page", 2, map[string]int{"Published": 2}}}},
	} {
		if _, err := s.Build(t.Context(), c.view); err != nil {
			t.Fatal(err)
		}
		if got := s.Templates("site"); !reflect.DeepEqual(got, c.want) || !s.NextChange().Equal(c.next) {
			t.Errorf("%+v: %+v, next %s; want %+v, %s", c.view, got, s.NextChange(), c.want, c.next)
		}
	}
	if s.Templates("other") != nil {
		t.Error("an environment that is not there has templates")
	}
}
