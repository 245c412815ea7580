// This test opens a file that is kept for good: programs meet snapshots that older
// ones wrote. The file is never written again; a format that cannot read it gets a
// Version, and then this test says by which error it is refused.

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
