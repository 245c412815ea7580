// These tests check manifests that say which references are followed.

package release

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
)

// withReferences is sample with rules in its first environment.
func withReferences() *Manifest {
	m := sample()
	m.Environments[0].Include = []Include{{Template: "Article", Levels: 2}, {Template: "Page", Levels: 1, Paths: []string{"Data.a", "Data.b"}}}
	m.Environments[0].UsedIn = UsedIn{Templates: []string{"Person", "Tag"}}
	m.SetFormat()
	return m
}

func TestInclude(t *testing.T) {
	text := withReferences().Encode()
	want := `"include":[{"template":"Article","levels":2},{"template":"Page","levels":1,"paths":["Data.a","Data.b"]}],"usedIn":{"templates":["Person","Tag"]},`
	if !strings.Contains(string(text), want) || !strings.HasPrefix(string(text), `{"format":7,`) {
		t.Errorf("%s", text)
	}
	back, err := Parse(text)
	if err != nil || !bytes.Equal(back.Encode(), text) {
		t.Fatal(err)
	}
	rules, used := back.References(back.Environments[0].ID)
	if IncludeOf(rules, "Page") == nil || IncludeOf(rules, "Pag") != nil || !used.Of("Tag") || used.Of("Page") {
		t.Errorf("%+v, %+v", rules, used)
	}
	if rules, used := back.References("none"); rules != nil || used.Any() {
		t.Errorf("%+v, %+v", rules, used)
	}
	if all := (&UsedIn{All: true}); !all.Of("any") || !all.Any() {
		t.Error("all are not all")
	}
}

func TestParseRefusesReferences(t *testing.T) {
	for name, change := range map[string]func(e *Environment){
		"order":        func(e *Environment) { e.Include[0].Template = "Z" },
		"twice":        func(e *Environment) { e.Include[1].Template = "Article" },
		"no levels":    func(e *Environment) { e.Include[0].Levels = 0 },
		"many levels":  func(e *Environment) { e.Include[0].Levels = address.MaxInclude + 1 },
		"paths":        func(e *Environment) { e.Include[1].Paths[0] = "Data.b" },
		"templates":    func(e *Environment) { e.UsedIn.Templates[0] = "Tag" },
		"all and some": func(e *Environment) { e.UsedIn.All = true },
	} {
		m := withReferences()
		change(&m.Environments[0])
		if _, err := Parse(m.Encode()); !errors.Is(err, ErrManifest) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
