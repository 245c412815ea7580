// This file finds time zones, and the instants at which their clocks show a time, as Java does.

package analysis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"contentedge/edgeserve/timezone"
)

// noZones are names in the system's database that are not time zones of Java. Some names mean the setting of a node, or
// count leap seconds: two nodes would send different responses to a request.
var noZones = []string{"Local", "localtime", "posixrules", "Factory", "EST", "MST", "HST", "ROC"}

// Zone returns a time zone: an offset such as +02:00, at most 18 hours, or a name of the system's zones.
func Zone(name string) (*time.Location, error) {
	if zone, ok := offsetZone(name); ok {
		return zone, nil
	}
	if !slices.Contains(noZones, name) && !strings.HasPrefix(name, "right/") && !strings.HasPrefix(name, "posix/") {
		if zone, err := timezone.Load(name); err == nil {
			return zone, nil
		}
	}
	return nil, fmt.Errorf("%.80q is not a time zone of this system: use an offset such as +02:00, at most 18 hours, or a name such as Europe/Berlin", name)
}

// offsetZone parses the forms of Java: Z, +h, +hh, +hhmm, +hh:mm, +hhmmss and +hh:mm:ss. UTC, GMT or UT may be the
// whole text, or precede all forms except Z.
func offsetZone(name string) (zone *time.Location, ok bool) {
	text := name
	for _, prefix := range []string{"UTC", "GMT", "UT"} {
		if text, ok = strings.CutPrefix(name, prefix); ok {
			break
		}
	}
	if text == "" || name == "Z" {
		return time.UTC, true
	}
	digits := text[1:]
	switch len(digits) {
	case len("h"):
		digits = "0" + digits
	case len("hh:mm"), len("hh:mm:ss"):
		if digits[2] != ':' || digits[len(digits)-3] != ':' {
			return nil, false
		}
		digits = strings.ReplaceAll(digits, ":", "")
	}
	number, rest := cutDigits(digits)
	if n := len(number); text[0] != '+' && text[0] != '-' || rest != "" || n != 2 && n != 4 && n != 6 {
		return nil, false
	}
	parts := (number + "0000")[:6]
	n, _ := strconv.Atoi(parts)
	hours, minutes, seconds := n/10000, n/100%100, n%100
	length := time.Duration(3600*hours+60*minutes+seconds) * time.Second
	if minutes > 59 || seconds > 59 || length > maxOffset {
		return nil, false
	}
	if text[0] == '-' {
		length = -length
	}
	return time.FixedZone(name, int(length/time.Second)), true
}

// maxOffset is the greatest difference to UTC.
const maxOffset = 18 * time.Hour

func offset(zone *time.Location, t time.Time) time.Duration {
	_, seconds := t.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}

// clock returns the date and time that a clock of a zone shows at t, as a time in UTC.
func clock(zone *time.Location, t time.Time) time.Time { return t.UTC().Add(offset(zone, t)) }

// zoneBounds is time.Time.ZoneBounds with an end after t. After the last change of a short database, a zone's changes
// follow a rule. The standard library then has bounds at the ends of years too, and in leap years a day early. So on the
// last day of such a year its end is before t, and a walk from end to end would not end.
func zoneBounds(zone *time.Location, t time.Time) (begin, end time.Time) {
	begin, end = t.In(zone).ZoneBounds()
	if !end.IsZero() && !end.After(t) {
		end = t.Add(24 * time.Hour) // no rule changes clocks in these hours
	}
	return begin, end
}

// instant returns the instant at which a clock of a zone shows a time. If there are two such instants,
// it is the instant with the preferred offset, otherwise the first. Java prefers the offset that the
// time had before; for parsed times this is 0. A time that the clock skips has the offset from before
// the change.
func instant(zone *time.Location, wall time.Time, preferred time.Duration) time.Time {
	var first, skipped time.Time
	found := false
	for from, until := wall.Add(-maxOffset), wall.Add(maxOffset); ; {
		begin, end := zoneBounds(zone, from)
		off := offset(zone, from)
		switch t := wall.Add(-off); {
		case !end.IsZero() && !t.Before(end):
			skipped = t
		case !begin.IsZero() && t.Before(begin):
		case off == preferred:
			return t
		case !found:
			first, found = t, true
		}
		if end.IsZero() || end.After(until) {
			break
		}
		from = end
	}
	if !found {
		return skipped
	}
	return first
}
