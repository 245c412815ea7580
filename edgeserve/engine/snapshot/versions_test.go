// These tests open files of other program versions. Until a program with Version 2 is
// released, -update rewrites its file after a change of the format. From then on, a format
// that cannot read the file needs a new Version, and the old file joins the rejected ones.

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
	readAll(t, r, "pocket")
	c := &comparer{t, rand.New(rand.NewPCG(1, 2)), pocket(), r}
	c.all()
}

func TestOlderFile(t *testing.T) {
	const path = "testdata/v1/pocket.snap"
	_, err := Open(path)
	want := "snapshot " + path + ": the snapshot was written by an older program: it has format version 1, this program reads version 2: build the release again"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
