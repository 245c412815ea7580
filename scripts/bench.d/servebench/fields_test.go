package servebench

import (
	"net/http"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
)

// What is configured is what is asked for, and every field that differs is named.
func TestFields(t *testing.T) {
	all := fieldsOf("abc")
	h := http.Header{}
	for line := range strings.Lines(all.lines("%s=%s\n", release.ClassList)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		h.Add(name, value)
	}
	if err := all.missing(release.ClassList, h); err != nil || h.Get("X-Release") != "abc" || len(h) < 6 {
		t.Errorf("%v: %v", h, err)
	}
	for name := range h {
		for _, values := range [][]string{nil, {"other"}, {h.Get(name), "other"}} {
			changed := h.Clone()
			if changed[name] = values; values == nil {
				changed.Del(name)
			}
			if err := all.missing(release.ClassList, changed); err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(name)) {
				t.Errorf("%s is %q: %v", name, values, err)
			}
		}
	}
	h.Add("Vary", release.Vary)
	if err := all.missing(release.ClassList, h); err != nil {
		t.Error(err)
	}
	if err := all.missing(release.ClassItem, h); err == nil {
		t.Error("an item may have the fields of a list")
	}
	if err := (fields{}).missing(release.ClassItem, nil); err != nil {
		t.Error(err)
	}
}
