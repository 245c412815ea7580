package licences

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const mit = `MIT License

Copyright (c) 2026 Somebody

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`

// TestLicences: licences and notices are found wherever they are in a module; without a licence at
// its root, or with an unknown one, a module may not be passed on.
func TestLicences(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string // names of texts
		fault string // part of the error
	}{
		{"a licence", map[string]string{"LICENSE": mit, "main.go": ""}, "LICENSE", ""},
		{"other names", map[string]string{"LICENCE.md": mit, "NOTICE": "by us", "PATENTS": "none", "license.go": ""}, "LICENCE.md NOTICE PATENTS", ""},
		{"of a part", map[string]string{"COPYING": mit, "vendored/LICENSE.txt": "own", "testdata/LICENSE": "of a test"}, "COPYING vendored/LICENSE.txt", ""},
		{"none", map[string]string{"README.md": mit}, "", "example.com/m v1.0.0 has no licence file"},
		{"a notice alone", map[string]string{"NOTICE": mit}, "", "has no licence file"},
		{"of a part alone", map[string]string{"part/LICENSE": mit}, "", "has no licence file"},
		{"unknown", map[string]string{"LICENSE": "You may use this on Sundays."}, "", "LICENSE is not a known licence"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range c.files {
				file := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			m := Module{Path: "example.com/m", Version: "v1.0.0"}
			err := m.read(dir, true)
			if c.fault != "" {
				if err == nil || !strings.Contains(err.Error(), c.fault) {
					t.Errorf("%v, want %q", err, c.fault)
				}
				return
			}
			var got []string
			for _, text := range m.Texts {
				got = append(got, text.Name)
			}
			if err != nil || strings.Join(got, " ") != c.want || strings.Join(m.IDs, " ") != "MIT" {
				t.Errorf("%q, %q, %v, want %s", got, m.IDs, err, c.want)
			}
		})
	}
}
