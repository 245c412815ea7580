package openapi

import (
	"fmt"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/openapi/openapitest"
	"contentedge/edgeserve/wire/release"
)

// manifestOf returns a manifest of environments with templates, whose items hold paths at a depth.
func manifestOf(environments, templates, paths, depth int, name string) *release.Manifest {
	m := &release.Manifest{Build: "0123456789abcdef"}
	for i := range environments {
		e := release.Environment{ID: fmt.Sprintf("env%05d", i)}
		for j := range templates {
			template := release.Template{Name: fmt.Sprintf("%s%d", name, j), Items: 1}
			var keys []string
			for level := range depth {
				keys = append(keys[:level:level], fmt.Sprintf("%s_%d", name, level))
				template.Paths = append(template.Paths, release.Path{Keys: keys, Always: true, Kinds: release.Kinds{release.KindObject: 1}})
			}
			for k := range paths {
				template.Paths = append(template.Paths, release.Path{
					Keys: append(keys[:depth:depth], fmt.Sprintf("%s%d", name, k)), Kinds: release.Kinds{release.KindString: 2, release.KindArray: 1, release.KindReference: 1},
					Elements: []release.Kinds{{release.KindInteger: 1, release.KindHTML: 1}}, Targets: []string{name},
				})
			}
			e.Templates = append(e.Templates, template)
		}
		m.Environments = append(m.Environments, e)
	}
	return m
}

// TestSize compares the announced length of documents with their real length, and expects that no document is far longer
// than its limit.
func TestSize(t *testing.T) {
	for _, c := range []struct {
		name     string
		manifest *release.Manifest
		names    bool // the document names environments
		typed    bool // the document describes templates
	}{
		{"nothing", &release.Manifest{}, false, false},
		{"environments without items", manifestOf(3, 0, 0, 0, ""), true, false},
		{"as many environments as a document names", manifestOf(maxListed, 0, 0, 0, ""), true, false},
		{"more environments", manifestOf(maxListed+1, 0, 0, 0, ""), false, false},
		{"a hundred thousand environments", manifestOf(100_000, 0, 0, 0, ""), false, false},
		{"some templates", manifestOf(2, 10, 20, 2, "word"), true, true},
		{"as many templates as a document describes", manifestOf(1, maxTyped, 3, 1, "word"), true, true},
		{"more templates", manifestOf(1, maxTyped+1, 1, 1, "word"), true, false},
		{"many paths", manifestOf(1, 10, 500, 3, "word"), true, true},
		{"too many paths", manifestOf(1, 10, 10_000, 1, "word"), true, false},
		{"deep paths", manifestOf(1, 10, 20, 30, "word"), true, true},
		{"too deep", manifestOf(1, 10, 300, 200, "w"), true, false},
		{"long names", manifestOf(1, 10, 10, 2, strings.Repeat("é", 1000)), true, true},
		{"names that are too long", manifestOf(1, 10, 10, 2, strings.Repeat("é", 30_000)), true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := New(c.manifest, "")
			if err != nil {
				t.Fatal(err)
			}
			text := d.Append(nil)
			if size := d.Size(); size < len(text)*3/4 || size > len(text)*3/2 || len(text) > 2*maxTypedBytes {
				t.Errorf("%d bytes, announced as %d", len(text), size)
			}
			if names := strings.Contains(string(text), `"env00000"`); names != c.names {
				t.Errorf("names environments: %t", names)
			}
			if typed := strings.Contains(string(text), `"env00000.`); typed != c.typed {
				t.Errorf("describes templates: %t", typed)
			}
			if _, err := openapitest.Parse(text); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestGeneric expects a document that differs from another release's only in the release's identity.
func TestGeneric(t *testing.T) {
	empty, err := New(&release.Manifest{Build: "a"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := string(Generic("a").Append([]byte("before"))); got != "before"+string(empty.Append(nil)) {
		t.Error("the document is not that of a release without environments")
	}
}
