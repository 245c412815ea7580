package differences_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/differences"
)

var update = flag.Bool("update", false, "rewrite the tables of the page")

const tableHead = "| | here |\n|---|---|\n"

// The two tables of the page are those of the package, so that what a log meets is what the page says.
func TestPage(t *testing.T) {
	const name = "../search/DIFFERENCES.md"
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(raw), tableHead)
	if len(parts) != 3 {
		t.Fatalf("the page has %d tables of differences, want 2", len(parts)-1)
	}
	for i, right := range []bool{false, true} {
		_, after, _ := strings.Cut("\n"+parts[i+1], "\n\n")
		parts[i+1] = tableOf(right) + "\n" + after
	}
	want := strings.Join(parts, tableHead)
	if *update {
		err = os.WriteFile(name, []byte(want), 0o666)
	}
	if err != nil || !*update && want != string(raw) {
		t.Errorf("the tables of %s are not those of the package (%v): run go test ./edgeserve/engine/differences -update", name, err)
	}
}

func tableOf(right bool) string {
	var b strings.Builder
	for _, r := range differences.Rows() {
		if r.Right == right {
			b.WriteString("| " + r.What + " | " + r.Here + " |\n")
		}
	}
	return b.String()
}
