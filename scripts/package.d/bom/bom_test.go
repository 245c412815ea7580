package bom

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"packaging/licences"
)

// TestBOM: the same source has the same bill, another one has another serial number, and each component
// has a place in the graph.
func TestBOM(t *testing.T) {
	std := licences.Module{Path: licences.Standard, Version: "go1.26.8", IDs: []string{"BSD-3-Clause"}}
	a := licences.Module{Path: "example.com/a", Version: "v1.0.0", Sum: "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", IDs: []string{"MIT", "Apache-2.0"}}
	b := licences.Module{Path: "example.com/b", Version: "v2.0.0", Sum: a.Sum, IDs: []string{"MIT"}}
	s := Subject{
		Name: "edgeserve", Version: "v1.2.3", Revision: "c0ffee", Time: time.Unix(1770000000, 0),
		Binaries: []Binary{{"linux/amd64", "11", []licences.Module{std, a, b}}, {"linux/arm64", "22", []licences.Module{std, a}}},
		Modules:  []licences.Module{a, b, std},
		Requires: map[string][]string{"": {"example.com/a", "example.com/unlinked"}, "example.com/a": {"example.com/b"}},
	}
	first, err := Write(s)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Write(s); err != nil || string(again) != string(first) {
		t.Errorf("the second bill is another one, %v", err)
	}
	var doc document
	if err := json.Unmarshal(first, &doc); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(doc.Serial) {
		t.Errorf("serial number %s", doc.Serial)
	}
	var graph []string
	for _, d := range doc.Dependencies {
		graph = append(graph, d.Ref+": "+strings.Join(d.On, " "))
	}
	want := []string{
		"pkg:generic/contentedge/edgeserve@v1.2.3: pkg:golang/example.com/a@v1.0.0 pkg:golang/std@go1.26.8",
		"pkg:golang/example.com/a@v1.0.0: pkg:golang/example.com/b@v2.0.0 pkg:golang/std@go1.26.8",
		"pkg:golang/example.com/b@v2.0.0: pkg:golang/std@go1.26.8",
		"pkg:golang/std@go1.26.8: ",
	}
	if strings.Join(graph, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(graph, "\n"), strings.Join(want, "\n"))
	}
	if p := doc.Components[1].Props; len(p) != 1 || p[0].Value != "linux/amd64" || doc.Components[0].Props != nil {
		t.Errorf("platforms: %+v", doc.Components)
	}
	s.Binaries[0].SHA256 = "33"
	other, err := Write(s)
	if err != nil || strings.Contains(string(other), doc.Serial) {
		t.Errorf("another bill has the same serial number, %v", err)
	}
	s.Modules[0].Sum = "h1:short"
	if _, err := Write(s); err == nil {
		t.Error("a sum that is none is accepted")
	}
}
