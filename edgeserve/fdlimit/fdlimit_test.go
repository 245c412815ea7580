package fdlimit

import (
	"math"
	"testing"
)

func TestConns(t *testing.T) {
	for limit, want := range map[int64]int64{
		-1: 1, 0: 1, 2: 1, 64: 16, 255: 64, 256: 64, 1024: 448, 65536: 32704, math.MaxInt64: math.MaxInt64/2 - 63,
	} {
		got := Conns(limit)
		if limit == math.MaxInt64 {
			want = (math.MaxInt64 - reserve) / perConn
		}
		if got != want {
			t.Errorf("%d connections for %d descriptors, want %d", got, limit, want)
		}
	}
	if limit, ok := Find(); ok && limit < 3 {
		t.Errorf("a limit of %d", limit)
	}
}
