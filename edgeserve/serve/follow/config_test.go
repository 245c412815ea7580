package follow_test

import (
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/serve/follow"
)

// A pause of ten intervals is a duration, too.
func TestConfigValidate(t *testing.T) {
	for _, c := range []struct {
		interval time.Duration
		want     string // in the error
	}{
		{follow.DefaultInterval, ""},
		{365 * 24 * time.Hour, ""},
		{365*24*time.Hour + 1, "follow: the interval must be at most 8760h0m0s, but is 8760h0m0.000000001s"},
		{0, "follow: the interval must be positive, but is 0s"},
	} {
		cfg := follow.Defaults()
		cfg.Interval = c.interval
		if err := cfg.Validate(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.interval, err, c.want)
		}
	}
}
