// This file reads how long a server asks its clients to wait.

package retry

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"contentedge/edgeserve/wire/httpfield"
)

// maxAfter keeps a wait in seconds far from overflow. No budget is so long.
const maxAfter = 366 * 24 * time.Hour

// After returns the wait that a response asks for with Retry-After, in seconds or as a date; 0 if it
// asks for none, for one in the past, or for something else. A date is compared with the one of the
// response, as the clocks of the two machines may differ.
func After(h http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(h.Get(httpfield.RetryAfter))
	if value != "" && strings.Trim(value, "0123456789") == "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(maxAfter/time.Second) {
			return maxAfter
		}
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if sent, err := http.ParseTime(h.Get(httpfield.Date)); err == nil {
		now = sent
	}
	return min(max(0, at.Sub(now)), maxAfter)
}
