// This file reads rates as operators write them.

package ratelimit

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Rate is a number of requests in a time, written as 50/s, 600/m or 1000/h. Its zero value, written as 0, means no
// limit.
type Rate struct {
	n   int
	per time.Duration
}

const maxRate = 1_000_000 // requests in a second: above what a node answers

// units are the times of rates.
var units = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}

func unitOf(per time.Duration) string {
	for name, unit := range units {
		if unit == per {
			return name
		}
	}
	return ""
}

// cutUnit cuts the unit off a rate.
func cutUnit(text string) (amount string, per time.Duration, ok bool) {
	i := strings.LastIndexByte(text, '/')
	if i < 0 {
		return "", 0, false
	}
	per, ok = units[text[i+1:]]
	return text[:i], per, ok
}

// IsZero reports whether the rate is unlimited.
func (r Rate) IsZero() bool { return r.n == 0 }

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *Rate) UnmarshalText(b []byte) error {
	if string(b) == "0" {
		*r = Rate{}
		return nil
	}
	amount, per, ok := cutUnit(string(b))
	n, err := strconv.Atoi(amount)
	if !ok || err != nil || n < 1 || per/time.Duration(n) < time.Second/maxRate {
		return fmt.Errorf("%q is not a rate of requests: write 50/s, 600/m or 1000/h, at most %d/s, or 0 for none", b, maxRate)
	}
	*r = Rate{n, per}
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (r Rate) MarshalText() ([]byte, error) {
	if r.IsZero() {
		return []byte("0"), nil
	}
	return fmt.Appendf(nil, "%d/%s", r.n, unitOf(r.per)), nil
}

// interval is the time of one request.
func (r Rate) interval() time.Duration { return r.per / time.Duration(r.n) }

// WorkRate is working time of searches in a time, written as 100ms/s or 6s/m: 100ms/s is a tenth of a processor. Its
// zero value, written as 0, means no limit.
type WorkRate struct{ work, per time.Duration }

// IsZero reports whether the rate is unlimited.
func (r WorkRate) IsZero() bool { return r.work == 0 }

// UnmarshalText implements encoding.TextUnmarshaler.
func (r *WorkRate) UnmarshalText(b []byte) error {
	if string(b) == "0" {
		*r = WorkRate{}
		return nil
	}
	amount, per, ok := cutUnit(string(b))
	work, err := time.ParseDuration(amount)
	if !ok || err != nil || work < time.Millisecond || work > maxProcessors*per {
		return fmt.Errorf("%q is not a rate of work: write 100ms/s or 6s/m, at least 1ms, or 0 for none", b)
	}
	*r = WorkRate{work, per}
	return nil
}

const maxProcessors = 1024 // whose whole time a client may have

// MarshalText implements encoding.TextMarshaler.
func (r WorkRate) MarshalText() ([]byte, error) {
	if r.IsZero() {
		return []byte("0"), nil
	}
	return fmt.Appendf(nil, "%s/%s", r.work, unitOf(r.per)), nil
}

// worth returns the time in which a client earns work.
func (r WorkRate) worth(work time.Duration) time.Duration {
	return time.Duration(min(float64(work)*(float64(r.per)/float64(r.work)), float64(forever)))
}

const forever = 100 * 365 * 24 * time.Hour // far below what a time can be
