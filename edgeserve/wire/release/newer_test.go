package release

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// addMembers returns a manifest as a newer version writes it: with a text in place of another, and its build.
func addMembers(t testing.TB, m *Manifest, old, new string) []byte {
	t.Helper()
	plain := string(m.Encode())
	text := strings.Replace(plain, old, new, 1)
	if text == plain {
		t.Fatalf("there is no %s in %s", old, plain)
	}
	build, err := buildOf([]byte(text))
	if err != nil {
		return []byte(text) // as it is refused
	}
	return []byte(strings.Replace(text, m.Build, build, 1))
}

// A reader ignores members that it does not know, which the build covers, and nothing else.
func TestUnknownMembersOfAManifest(t *testing.T) {
	for _, c := range []struct{ name, old, new string }{
		{"of the manifest", `"defaults"`, `"x":{"A":1,"a":[{}]},"defaults"`},
		{"the last one", `"}}`, `"},"x":1}`},
		{"of an environment", `"id":"Project_1"`, `"id":"Project_1","x":[]`},
		{"of the last environment", `"id":"empty"`, `"x":null,"id":"empty"`},
		{"of a field", `"type":"text"`, `"type":"text","x":"日本"`},
		{"of a list", `"pageSize":20`, `"pageSize":20,"x":0`},
		{"of a value of a list", `"totalItems":3`, `"totalItems":3,"x":true`},
	} {
		plain := sample()
		b := addMembers(t, plain, c.old, c.new)
		m, err := Parse(b)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if m.Build == plain.Build {
			t.Errorf("%s: the build does not cover it", c.name)
		}
		m.Build = plain.Build
		if want, _ := Parse(plain.Encode()); !reflect.DeepEqual(m, want) {
			t.Errorf("%s: got %+v, want %+v", c.name, m, want)
		}
		changed := strings.Replace(string(b), `"x":`, `"y":`, 1)
		if _, err := Parse([]byte(changed)); !errors.Is(err, ErrManifest) || !strings.Contains(err.Error(), "but the content has build") {
			t.Errorf("%s, changed: %v", c.name, err)
		}
	}
	for _, c := range []struct{ name, old, new string }{
		{"twice", `"defaults"`, `"x":1,"x":1,"defaults"`},
		{"twice in other letters", `"defaults"`, `"x":1,"X":1,"defaults"`},
		{"twice inside", `"defaults"`, `"x":[{"a":1,"a":2}],"defaults"`},
		{"a known member twice beside", `"files":9`, `"x":1,"files":9,"files":9`},
		{"a known member in other letters beside", `"files":9`, `"x":1,"Files":9`},
		{"a known member with an escape beside", `"files":9`, `"x":1,"\u0066iles":9`},
		{"another order beside", `"files":9,"bytes":5678`, `"x":1,"bytes":5678,"files":9`},
		{"with spaces", `"defaults"`, `"x": 1,"defaults"`},
		{"that is too deep", `"defaults"`, `"x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `,"defaults"`},
		{"text behind", "}\n", "}{}\n"},
		{"no value", `"defaults"`, `"x":,"defaults"`},
		{"a list that is none", `"lists":[]`, `"x":1,"lists":null`},
	} {
		if m, err := Parse(addMembers(t, sample(), c.old, c.new)); !errors.Is(err, ErrManifest) {
			t.Errorf("%s: %+v, %v", c.name, m, err)
		}
	}
}
