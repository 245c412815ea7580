// These tests open files that another program wrote, as programs meet snapshots of older
// ones. As long as no program with Version 2 has been released, its file is written
// again, by -update, when the format changes. After that it is not: a format that cannot
// read it gets a Version of its own, and joins those that are refused.

package snapshot

import (
	"math/rand/v2"
	"os"
	"testing"
)

func TestKeptFile(t *testing.T) {
	const path = "testdata/v2/pocket.snap"
	if *update {
		if err := os.WriteFile(path, pocket().write(t), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	reads(t, r, "pocket")
	c := &comparer{t, rand.New(rand.NewPCG(1, 2)), pocket(), r}
	c.all()
}

func TestOlderFile(t *testing.T) {
	const path = "testdata/v1/pocket.snap"
	_, err := Open(path)
	want := "snapshot " + path + ": snapshot is damaged: header: format version 1, and this program reads version 2: build the release again"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
