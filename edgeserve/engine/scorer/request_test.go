package scorer

import (
	"errors"
	"testing"
)

func TestSetsAreWork(t *testing.T) {
	b := &Request{Work: &WorkLimit{limit: t.Context(), work: MaxWork - 5*LookEvery}, Items: 64 * LookEvery, pool: &pool{}}
	for range 100 {
		if n := len(b.bitset().Words); n != LookEvery {
			t.Fatalf("a set of %d words", n)
		}
	}
	if b.pool.lent != 5 || !errors.Is(b.Work.failed, ErrTooCostly) {
		t.Errorf("%d sets lent, %v", b.pool.lent, b.Work.failed)
	}
}
