// This file reads times: in UTC where an export has them, in the time zone of the site else.

package wordpress

import (
	"strings"
	"time"

	"contentedge/generator/source/dates"
)

// clock turns times into RFC 3339.
type clock struct {
	zone  *time.Location // of the site; nil: unknown, UTC is taken
	local int            // how many items had no time in UTC
}

// time returns a time from its form in UTC, or from its local one; "" where neither is a time. The
// form in UTC of drafts is zero.
func (c *clock) time(utc, local string) string {
	text, isLocal := c.read(utc, local)
	if isLocal {
		c.local++
	}
	return text
}

func (c *clock) read(utc, local string) (text string, isLocal bool) {
	if t, ok := parseTime(utc, time.UTC); ok {
		return t.Format(time.RFC3339), false
	}
	zone := c.zone
	if zone == nil {
		zone = time.UTC
	}
	t, ok := parseTime(local, zone)
	if !ok {
		return "", false
	}
	return t.Format(time.RFC3339), true
}

func parseTime(text string, zone *time.Location) (time.Time, bool) {
	text = strings.TrimSpace(text)
	if text == "" || strings.HasPrefix(text, "0000") {
		return time.Time{}, false
	}
	t, wrong := dates.Parse(text, zone)
	return t.UTC(), wrong == nil
}
