package release

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func withSearches() *Manifest {
	m := sample()
	m.Environments[0].Searches = []Search{
		{Name: "all", Body: json.RawMessage(`{"query":{"match":{"Name":"\u003cb\u003e 日本"}}}`), TotalItems: 3, Files: 1, Bytes: 70},
		{Name: "new-2", Body: json.RawMessage(`{}`), TotalItems: 12, Files: 2, Bytes: 1000},
	}
	return m
}

func TestSearches(t *testing.T) {
	m := withSearches()
	text := m.Encode()
	back, err := Parse(text)
	if err != nil || !bytes.Equal(back.Encode(), text) {
		t.Fatalf("%s: %v", text, err)
	}
	e := &back.Environments[0]
	if s := e.Search("all"); s == nil || string(s.Body) != `{"query":{"match":{"Name":"\u003cb\u003e 日本"}}}` || s.TotalItems != 3 {
		t.Errorf("%+v", s)
	}
	if s := e.Search("new-2"); s == nil || s.Files != 2 {
		t.Errorf("%+v", s)
	}
	if s := e.Search("new"); s != nil {
		t.Errorf("%+v", s)
	}
	plain := sample()
	plain.Encode()
	if plain.Build == m.Build {
		t.Error("saved searches do not change the build")
	}
}

func TestParseRefusesSearches(t *testing.T) {
	for name, change := range map[string]func(m *Manifest, s *Search){
		"format 3":   func(m *Manifest, _ *Search) { m.Format = OldestFormat },
		"name":       func(_ *Manifest, s *Search) { s.Name = "../x" },
		"order":      func(_ *Manifest, s *Search) { s.Name = "zzz" },
		"body":       func(_ *Manifest, s *Search) { s.Body = json.RawMessage(`[]`) },
		"no files":   func(_ *Manifest, s *Search) { s.Files = 0 },
		"many files": func(_ *Manifest, s *Search) { s.Files = 1001 },
		"total":      func(_ *Manifest, s *Search) { s.TotalItems = -1 },
		"bytes":      func(_ *Manifest, s *Search) { s.Bytes = -1 },
	} {
		m := withSearches()
		change(m, &m.Environments[0].Searches[0])
		if _, err := Parse(m.Encode()); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// Parse reads manifests of older formats, and OrdersByInstant knows the order of their lists.
func TestOlderFormats(t *testing.T) {
	for _, tt := range []struct {
		format    int
		m         *Manifest
		byInstant bool
		wrong     string
	}{
		{3, sample(), false, ""},
		{3, withSearches(), false, "it has format 3, but members of format 4"},
		{4, sample(), false, "it has format 4, but members of format 3"},
		{4, withSearches(), false, ""},
		{5, sample(), true, ""},
		{5, withSearches(), true, ""},
	} {
		tt.m.Format = tt.format
		m, err := Parse(tt.m.Encode())
		switch {
		case tt.wrong != "":
			if err == nil || !strings.Contains(err.Error(), tt.wrong) {
				t.Errorf("format %d: %v", tt.format, err)
			}
		case err != nil || m.OrdersByInstant() != tt.byInstant || m.Format != tt.format:
			t.Errorf("format %d: %v", tt.format, err)
		}
	}
}
