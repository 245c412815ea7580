package fastpath

import (
	"testing"
	"time"
)

// TestDateLine has the second of each response, in whatever order responses come.
func TestDateLine(t *testing.T) {
	var c dateCache
	at := time.Date(2026, 11, 29, 8, 59, 58, 0, time.FixedZone("", 3600))
	for _, step := range []struct {
		after time.Duration
		want  string
	}{
		{0, "58"}, {999 * time.Millisecond, "58"}, {time.Second, "59"}, {time.Second, "59"}, {0, "58"}, {time.Second, "59"},
	} {
		if got, want := string(c.dateLine(at.Add(step.after))), "Date: Sun, 29 Nov 2026 07:59:"+step.want+" GMT\r\n"; got != want {
			t.Errorf("after %v: %q, want %q", step.after, got, want)
		}
	}
}
