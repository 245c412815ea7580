// This file tests length codes against examples and checks their order.

package analysis

import (
	"math"
	"testing"
)

func TestEncodeLength(t *testing.T) {
	for n, want := range map[int]int{
		-1: 0, 0: 0, 1: 1, 23: 23, 24: 24, 39: 39, 40: 40, 41: 40, 42: 42, 55: 54, 56: 56, 57: 56,
		100: 96, 127: 120, 200: 200, 500: 472, 1000: 984, 5000: 4632, 40000: 36888,
	} {
		if got := DecodeLength(EncodeLength(n)); got != want {
			t.Errorf("length %d becomes %d, want %d", n, got, want)
		}
	}
}

func TestLengthBytes(t *testing.T) {
	for b := range 256 {
		n := DecodeLength(byte(b))
		if got := EncodeLength(n); got != byte(b) {
			t.Errorf("byte %d is length %d is byte %d", b, n, got)
		}
		if b > 0 && EncodeLength(n-1) != byte(b-1) {
			t.Errorf("length %d is byte %d, want %d", n-1, EncodeLength(n-1), b-1)
		}
	}
	if got := EncodeLength(math.MaxInt32); got != 255 {
		t.Errorf("the largest length is byte %d, want 255", got)
	}
	if EncodeLength(math.MaxInt) != 255 {
		t.Error("a length beyond 32 bits is not the largest")
	}
}
