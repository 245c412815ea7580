// This file parses dates by formats of a query, in its time zone.

package analysis

import (
	"fmt"
	"strings"
	"time"
)

// DateReader parses dates of some formats. Dates without an offset are in its time zone.
type DateReader struct {
	zone    *time.Location
	formats []dateFormat
}

// maxFormats limits the formats of a reader.
const maxFormats = 16

// NewDateReader returns a reader of formats in a zone. The formats are names or patterns of Java, joined
// by ||. Empty formats mean ISO dates or epoch milliseconds. An empty zone means UTC.
func NewDateReader(formats, zone string) (*DateReader, error) {
	location, err := Zone(zone)
	if err != nil {
		return nil, err
	}
	return NewDateReaderIn(formats, location)
}

// NewDateReaderIn is NewDateReader for a zone that the caller has loaded.
func NewDateReaderIn(formats string, zone *time.Location) (*DateReader, error) {
	r := &DateReader{zone: zone}
	if formats == "" {
		formats = "strict_date_optional_time||epoch_millis"
	}
	names := splitFormats(formats)
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

// splitFormats splits formats joined by ||. An 8 before the first one is how Elasticsearch 6.8 marked formats of
// java.time, and all are now.
func splitFormats(formats string) []string {
	return strings.Split(strings.TrimPrefix(formats, "8"), "||")
}

// Parse is ParseDate with the reader's formats and zone.
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
			t = instant(r.zone, t, 0)
		}
		return r.math(t, operations, up)
	}
	return 0, false
}

// math applies date math. Days and longer units begin and end in the reader's zone.
func (r *DateReader) math(t time.Time, operations string, up bool) (ms int64, ok bool) {
	for operations != "" {
		op, n, unit, rest, ok := cutOperation(operations)
		if !ok {
			return 0, false
		}
		if op == '/' {
			t, ok = r.round(t, unit, up)
		} else {
			t, ok = r.add(t, n, unit)
		}
		if !ok || t.Year() > maxYear || t.Year() < -maxYear {
			return 0, false
		}
		operations = rest
	}
	return t.UnixMilli(), true
}

func (r *DateReader) add(t time.Time, n int, unit byte) (time.Time, bool) {
	if strings.IndexByte("hHms", unit) >= 0 {
		return addUnits(t, n, unit)
	}
	wall, ok := addUnits(clock(r.zone, t), n, unit)
	return instant(r.zone, wall, offset(r.zone, t)), ok
}

// round rounds down to the unit or, with up, to the unit's last millisecond. For units longer than a
// day it first goes to the first day of the unit at the same time of day, as in Java. The offset at
// that time decides which midnight is meant if there are two.
func (r *DateReader) round(t time.Time, unit byte, up bool) (time.Time, bool) {
	part := unit
	if strings.IndexByte("yMw", unit) >= 0 {
		wall := clock(r.zone, t)
		midnight, _ := roundDate(wall, 'd', false)
		first, _ := roundDate(wall, unit, false)
		t = instant(r.zone, first.Add(wall.Sub(midnight)), offset(r.zone, t))
		part = 'd'
	}
	wall, ok := roundDate(clock(r.zone, t), part, false)
	if t = instant(r.zone, wall, offset(r.zone, t)); ok && up {
		t, ok = r.add(t, 1, unit)
		t = t.Add(-time.Millisecond)
	}
	return t, ok
}
