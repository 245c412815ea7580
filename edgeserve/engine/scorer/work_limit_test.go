package scorer

import (
	"errors"
	"testing"
)

// What a request tells to hold beyond its own memory is taken, and ends it where there is none. Requests
// go on where another search of them stopped.
func TestHold(t *testing.T) {
	left := int64(3 << 20)
	take := func(bytes int64) bool {
		if bytes > left {
			return false
		}
		left -= bytes
		return true
	}
	first := NewWorkLimit(t.Context())
	first.TakeMemory(take, nil)
	if err := first.Hold(OwnMemory / 2); err != nil || left != 3<<20 {
		t.Errorf("its own memory: %v, %d are left", err, left)
	}
	if err := first.Hold(1); err != nil || left != 2<<20 {
		t.Errorf("a byte more: %v, %d are left", err, left)
	}
	second := NewWorkLimit(t.Context())
	second.TakeMemory(take, first)
	if err := second.Hold(2 << 20); err != nil || left != 0 {
		t.Errorf("another search: %v, %d are left", err, left)
	}
	if err := second.Hold(1 << 20); !errors.Is(err, ErrNoMemory) || !errors.Is(second.Charge(1), ErrNoMemory) {
		t.Errorf("without memory: %v, then %v", err, second.Charge(1))
	}
	if err := NewWorkLimit(t.Context()).Hold(1 << 40); err != nil {
		t.Errorf("without a budget: %v", err)
	}
}
