// This test opens a file that another program wrote, as programs meet snapshots of older
// ones. As long as no program with Version 1 has been released, the file is written
// again when the format changes. After that it is not: a format that cannot read it gets
// a Version of its own, and this test says by which error the file is refused.

package snapshot

import (
	"math/rand/v2"
	"testing"
)

func TestKeptFile(t *testing.T) {
	r, err := Open("testdata/v1/pocket.snap")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	reads(t, r, "pocket")
	c := &comparer{t, rand.New(rand.NewPCG(1, 2)), pocket(), r}
	c.all()
}
