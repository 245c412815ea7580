// This file reads and writes dates by the format of an aggregation, in its time zone.

package aggs

import (
	"strings"
	"time"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/query"
)

// zoneOf returns the time zone of an aggregation: an offset such as +02:00, or a name of the system's
// database. The binary does not carry the database: it would grow by half a megabyte.
func zoneOf(agg *query.Agg, path string) (*time.Location, error) {
	zone, err := analysis.Zone(agg.Values.TimeZone)
	if err != nil {
		return nil, badAgg(path, agg, "time_zone", "%s", err)
	}
	return zone, nil
}

// dateWriter returns the time zone of an aggregation, and a function that writes dates in that zone by the format.
func dateWriter(agg *query.Agg, path string) (zone *time.Location, write analysis.AppendTime, err error) {
	if zone, err = zoneOf(agg, path); err != nil {
		return nil, nil, err
	}
	if write, err = DateFormat(agg.Values.Format, zone); err != nil {
		return nil, nil, badAgg(path, agg, "format", "%s", err)
	}
	return zone, write, nil
}

// DateFormat returns a function that writes dates as JSON strings, by a format in a zone.
func DateFormat(format string, zone *time.Location) (analysis.AppendTime, error) {
	write, err := analysis.NewDateWriter(format, zone)
	if format == "" || err != nil {
		return func(dst []byte, ms int64) []byte { return append(write(append(dst, '"'), ms), '"') }, err
	}
	var text []byte
	return func(dst []byte, ms int64) []byte {
		text = write(text[:0], ms)
		return appendJSONBytes(dst, text)
	}, nil
}

// parsedDates caches the date reader of the last format and zone.
type parsedDates struct {
	format string
	zone   *time.Location
	reader *analysis.DateReader
}

// parseDate returns milliseconds. Date math, and dates without a zone, are in the time zone of the aggregation.
func (a *aggregator) parseDate(v *query.Value, format string, zone *time.Location) (ms int64, ok bool) {
	if d := &a.dates; d.reader == nil || d.format != format || d.zone != zone {
		r, err := analysis.NewDateReaderIn(format, zone)
		if err != nil {
			return 0, false
		}
		*d = parsedDates{format, zone, r}
	}
	return a.dates.reader.Parse(v.Text, false, a.compiler.Clock.Now)
}

// parseDateBound is parseDate for bounds of keys: a JSON number is milliseconds.
func (a *aggregator) parseDateBound(v *query.Value, format string, zone *time.Location) (ms int64, ok bool) {
	if v.Kind != query.Number {
		return a.parseDate(v, format, zone)
	}
	_, ms, whole, ok := analysis.ParseNumber(v.Text)
	return min(max(ms, -lastDate), lastDate), ok && whole
}

// parseDateKey is parseDate for keys of buckets. A JSON number is milliseconds; without a format so is a number in a
// string. Fractions are ignored. A number in an epoch format is an instant, because keys are written as instants: read
// in the zone, each page would begin with the last bucket of the page before.
func (a *aggregator) parseDateKey(v *query.Value, format string, zone *time.Location) (ms int64, ok bool) {
	number := query.Value{Kind: query.Number, Text: v.Text}
	switch _, _, _, is := analysis.ParseNumber(v.Text); {
	case v.Kind == query.Number || is && format == "":
		return number.Long()
	case is && strings.HasPrefix(format, "epoch_"):
		zone = time.UTC
	}
	return a.parseDate(v, format, zone)
}
