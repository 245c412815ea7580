package module_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/releasedir"
)

// TestSearchOnly: from a search-only snapshot, the module answers as from the whole one. It reads each item once,
// and says so if it cannot have one.
func TestSearchOnly(t *testing.T) {
	dir, public := files(t), sample(t)
	d, err := releasedir.Open(public, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var b bytes.Buffer
	if err := d.Readers["site"].WriteSearchOnly(&b); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "search")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	node := exec.CommandContext(t.Context(), "node", "testdata/search_only.mjs", dir, public, "site", file)
	node.Stderr = os.Stderr
	out, err := node.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Compared, Reads, Again int
		Different              []string
		Refused, Counted       string
		Warnings               string
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if got.Compared != 45 || len(got.Different) > 0 {
		t.Errorf("of %d responses, other ones than from the whole snapshot: %v", got.Compared, got.Different)
	}
	if got.Reads == 0 || got.Again > 0 {
		t.Errorf("%d files of items read, %d for a response whose items were there", got.Reads, got.Again)
	}
	if got.Warnings != "" {
		t.Errorf("Node warns: %s", got.Warnings)
	}
	if !strings.HasPrefix(got.Refused, "503 ") || !strings.HasPrefix(got.Counted, "200 ") {
		t.Errorf("without items: %s; without hits: %s", got.Refused, got.Counted)
	}
}
