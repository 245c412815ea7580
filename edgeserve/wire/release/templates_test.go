// These tests check manifests that say what the items of each template hold.

package release

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// withTemplates is sample with two templates in its first environment, which has three items.
func withTemplates() *Manifest {
	m := sample()
	m.Environments[0].Templates = []Template{
		{Name: "Page", Items: 2, Paths: []Path{
			{Keys: []string{"Data"}, Always: true, Kinds: Kinds{KindObject: 2}},
			{Keys: []string{"Data", "author"}, Kinds: Kinds{KindReference: 1}, Targets: []string{"Page", "Person"}},
			{Keys: []string{"Data", "tags"}, Always: true, Kinds: Kinds{KindArray: 2}, Elements: []Kinds{{KindString: 5, KindNull: 1}}},
		}},
		{Name: "Person", Items: 1},
	}
	m.SetFormat()
	return m
}

func TestTemplates(t *testing.T) {
	m := withTemplates()
	text := m.Encode()
	want := `"templates":[{"name":"Page","items":2,"paths":[{"keys":["Data"],"always":true,"kinds":{"object":2}},` +
		`{"keys":["Data","author"],"kinds":{"reference":1},"targets":["Page","Person"]},` +
		`{"keys":["Data","tags"],"always":true,"kinds":{"array":2},"elements":[{"null":1,"string":5}]}]},{"name":"Person","items":1,"paths":[]}]`
	if !strings.Contains(string(text), want) || m.Format != 7 {
		t.Errorf("format %d: %s", m.Format, text)
	}
	back, err := Parse(text)
	if err != nil || !bytes.Equal(back.Encode(), text) || !back.OrdersByInstant() {
		t.Fatalf("read back: %v", err)
	}
	// Newer generators may add members here too.
	newer := addMembers(t, withTemplates(), `"keys":["Data","author"]`, `"keys":["Data","author"],"also":{"a":1}`)
	if _, err := Parse(newer); err != nil {
		t.Error(err)
	}
	m.Environments[0].Templates, m.Environments[0].TemplatesLeftOut = nil, true
	if m.SetFormat(); m.Format != 7 {
		t.Errorf("format %d", m.Format)
	}
	if _, err := Parse(m.Encode()); err != nil {
		t.Error(err)
	}
}

func TestParseRefusesTemplates(t *testing.T) {
	for name, change := range map[string]func(e *Environment, p *Path){
		"left out":        func(e *Environment, _ *Path) { e.TemplatesLeftOut = true },
		"order":           func(e *Environment, _ *Path) { e.Templates[0].Name = "Z" },
		"twice":           func(e *Environment, _ *Path) { e.Templates[0].Name = "Person" },
		"no items":        func(e *Environment, _ *Path) { e.Templates[0].Items = 0 },
		"too many items":  func(e *Environment, _ *Path) { e.Templates[1].Items = 2 },
		"order of paths":  func(_ *Environment, p *Path) { p.Keys[1] = "zzz" },
		"path twice":      func(_ *Environment, p *Path) { p.Keys[1] = "tags" },
		"no keys":         func(_ *Environment, p *Path) { p.Keys = nil },
		"no kinds":        func(_ *Environment, p *Path) { p.Kinds = nil },
		"no values":       func(_ *Environment, p *Path) { p.Kinds[KindNull] = 0 },
		"a kind":          func(_ *Environment, p *Path) { p.Kinds["a b"] = 1 },
		"a kind in array": func(_ *Environment, p *Path) { p.Elements = []Kinds{{"": 1}} },
		"nested deeply":   func(_ *Environment, p *Path) { p.Elements = make([]Kinds, MaxNesting+1) },
		"target twice":    func(_ *Environment, p *Path) { p.Targets[1] = "Page" },
	} {
		m := withTemplates()
		change(&m.Environments[0], &m.Environments[0].Templates[0].Paths[1])
		if _, err := Parse(m.Encode()); !errors.Is(err, ErrManifest) {
			t.Errorf("%s: %v", name, err)
		}
	}
	m := withTemplates()
	m.Format = 6
	if _, err := Parse(m.Encode()); err == nil || !strings.Contains(err.Error(), "it has format 6, but members of format 7") {
		t.Errorf("format 6: %v", err)
	}
}
