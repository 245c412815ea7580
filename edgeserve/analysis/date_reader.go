// This file parses dates by formats of a query, in its time zone.

package analysis

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// DateReader parses dates of some formats. Those without an offset are in a time zone.
type DateReader struct {
	zone    *time.Location
	formats []dateFormat
}

// maxFormats limits the formats that a text is tried with.
const maxFormats = 16

// NewDateReader returns a reader of formats joined by ||, each a name or a pattern of Java, in a
// zone. Empty, they are ISO or epoch milliseconds, in UTC.
func NewDateReader(formats, zone string) (*DateReader, error) {
	location, err := Zone(zone)
	if err != nil {
		return nil, err
	}
	return NewDateReaderIn(formats, location)
}

// NewDateReaderIn is NewDateReader for a zone that is loaded.
func NewDateReaderIn(formats string, zone *time.Location) (*DateReader, error) {
	r := &DateReader{zone: zone}
	if formats == "" {
		formats = "strict_date_optional_time||epoch_millis"
	}
	names := strings.Split(formats, "||")
	if len(names) > maxFormats {
		return nil, fmt.Errorf("%d formats are too many: at most %d", len(names), maxFormats)
	}
	for _, name := range names {
		f, err := readerOf(name)
		if err != nil {
			return nil, err
		}
		r.formats = append(r.formats, f)
	}
	return r, nil
}

// Zone returns a time zone: an offset such as +02:00, or a name of the system's zones.
func Zone(name string) (*time.Location, error) {
	text := strings.TrimPrefix(strings.TrimPrefix(name, "UTC"), "GMT")
	if slices.Contains([]string{"", "Z", "UT"}, text) {
		return time.UTC, nil
	}
	if len(text) == len("+2") {
		text = text[:1] + "0" + text[1:]
	}
	for _, layout := range []string{"-07:00", "-0700", "-07"} {
		if t, err := time.Parse(layout, text); err == nil {
			_, offset := t.Zone()
			return time.FixedZone(name, offset), nil
		}
	}
	l, err := time.LoadLocation(name)
	if err != nil || name == "Local" || !strings.Contains(name, "/") && len(name) == 3 && name != "CET" && name != "EET" && name != "MET" && name != "WET" {
		return nil, fmt.Errorf("%.80q is no time zone of this system: use an offset such as +02:00, or a name such as Europe/Berlin", name)
	}
	return l, nil
}

// Parse is ParseDate for the formats and the zone.
func (r *DateReader) Parse(text string, up bool, now func() time.Time) (ms int64, ok bool) {
	if operations, ok := strings.CutPrefix(text, "now"); ok && now != nil {
		return r.math(now().UTC(), operations, up)
	}
	date, operations, math := strings.Cut(text, "||")
	for _, f := range r.formats {
		t, zoned, ok := f(date, up && !math)
		if !ok {
			continue
		}
		if !zoned {
			t = instant(r.zone, t)
		}
		return r.math(t, operations, up)
	}
	return 0, false
}

// math applies date math, in which days and longer units are those of the zone.
func (r *DateReader) math(t time.Time, operations string, up bool) (ms int64, ok bool) {
	for operations != "" {
		op, n, unit, rest, ok := cutOperation(operations)
		if !ok {
			return 0, false
		}
		switch {
		case op == '/':
			var wall time.Time
			if wall, ok = roundDate(clock(r.zone, t), unit, false); ok && up {
				wall, ok = addUnits(wall, 1, unit)
				t = instant(r.zone, wall).Add(-time.Millisecond)
			} else {
				t = instant(r.zone, wall)
			}
		case strings.IndexByte("hHms", unit) >= 0:
			t, ok = addUnits(t, n, unit)
		default:
			var wall time.Time
			wall, ok = addUnits(clock(r.zone, t), n, unit)
			t = instant(r.zone, wall)
		}
		if !ok || t.Year() > maxYear || t.Year() < -maxYear {
			return 0, false
		}
		operations = rest
	}
	return t.UnixMilli(), true
}

func offset(zone *time.Location, t time.Time) time.Duration {
	_, seconds := t.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}

// clock is what a clock of a zone shows, as a time in UTC.
func clock(zone *time.Location, t time.Time) time.Time { return t.UTC().Add(offset(zone, t)) }

// instant is when a clock of a zone shows a time. Of two such instants it is the first one. A time
// that is skipped counts on from the one before the change.
func instant(zone *time.Location, wall time.Time) time.Time {
	before, after := offset(zone, wall.Add(-24*time.Hour)), offset(zone, wall.Add(24*time.Hour))
	first, last := wall.Add(-before), wall.Add(-after)
	if offset(zone, first) != before && offset(zone, last) == after {
		return last
	}
	return first
}
