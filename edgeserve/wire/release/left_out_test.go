// These tests check manifests that name paths left out of the index: they have a format of their own, so that
// programs that would treat such a path as one that no item has refuse the release.

package release

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// withLeftOut is sample with rules in its first environment.
func withLeftOut(exclude, include []string) *Manifest {
	m := sample()
	m.Environments[0].LeftOut.Exclude, m.Environments[0].LeftOut.Include = exclude, include
	m.SetFormat()
	return m
}

func TestManifestNamesPathsLeftOut(t *testing.T) {
	m := withLeftOut([]string{"Data.body", "Source"}, []string{"Data.body.title"})
	text := string(m.Encode())
	for _, want := range []string{`{"format":6,`, `],"leftOut":{"exclude":["Data.body","Source"],"include":["Data.body.title"]},"lists":`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	if n := strings.Count(text, "leftOut"); n != 1 {
		t.Errorf("%d environments name paths left out", n)
	}
	back, err := Parse([]byte(text))
	if err != nil || !back.OrdersByInstant() || !back.Environments[0].LeftOut.Covers("Data.body.x") || !back.Environments[1].LeftOut.Empty() {
		t.Errorf("read back: %+v, %v", back, err)
	}
	if !bytes.Equal(back.Encode(), []byte(text)) {
		t.Error("encoded again it has other bytes")
	}
}

// Older programs read a release whose environments leave nothing out.
func TestSetFormat(t *testing.T) {
	plain := withLeftOut(nil, nil)
	if plain.Format != 5 || !bytes.Equal(plain.Encode(), sample().Encode()) {
		t.Errorf("format %d", plain.Format)
	}
	if m := withLeftOut([]string{"Data.body"}, nil); m.Format != 6 {
		t.Errorf("format %d", m.Format)
	}
}

func TestParseRefusesPathsLeftOut(t *testing.T) {
	for name, m := range map[string]*Manifest{
		"order":           withLeftOut([]string{"Data.b", "Data.a"}, nil),
		"include alone":   withLeftOut([]string{"Data.b"}, []string{"Data.c"}),
		"a field of all":  withLeftOut([]string{"Name"}, nil),
		"a field of them": withLeftOut([]string{"Data.size"}, nil),
		"a field below":   withLeftOut([]string{"Data"}, []string{"Data.title"}),
	} {
		if _, err := Parse(m.Encode()); !errors.Is(err, ErrManifest) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range map[string]func(*Manifest){
		"the format before":        func(m *Manifest) { m.Format = 5 },
		"the format of old orders": func(m *Manifest) { m.Format = 3 },
		"without rules":            func(m *Manifest) { m.Environments[0].LeftOut.Exclude = nil },
	} {
		m := withLeftOut([]string{"Data.body"}, nil)
		change(m)
		if _, err := Parse(m.Encode()); !errors.Is(err, ErrManifest) {
			t.Errorf("%s: %v", name, err)
		}
	}
	text := string(sample().Encode())
	empty := strings.Replace(text, `],"lists":`, `],"leftOut":{"exclude":[],"include":[]},"lists":`, 1)
	if _, err := Parse([]byte(empty)); !errors.Is(err, ErrManifest) {
		t.Errorf("empty rules: %v", err)
	}
}
