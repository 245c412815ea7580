// These tests read dates by patterns that lack fields, or have some twice. The floors are Elasticsearch 7.10.2's, and
// so are the ceilings, unless a comment says otherwise.

package analysis

import (
	"testing"
	"time"
)

func TestIncompletePattern(t *testing.T) {
	for _, c := range []struct{ format, text, floor, ceiling string }{ // "" means that it is not a date
		{"d", "21", "", "1970-01-21T23:59:59.999"},
		{"D", "21", "", "1970-01-01T23:59:59.999"},
		{"DD", "21", "", "1970-01-01T23:59:59.999"},
		{"MM-dd", "02-21", "1970-02-21", "1970-02-21T23:59:59.999"},
		{"D M", "21 3", "1970-03-01", "1970-03-01T23:59:59.999"},
		{"MM dd D", "02 03 40", "1970-02-03", "1970-02-03T23:59:59.999"},
		{"yyyy dd", "2025 21", "2025-01-01", "2025-01-21T23:59:59.999"},
		{"yyyy d", "2025 0", "2025-01-01", ""},
		{"yyyy M D", "2025 3 40", "2025-02-09", "2025-02-09T23:59:59.999"}, // Elasticsearch cannot round up days of a year
		{"yyyy D", "2025 366", "", ""},
		{"uuuu D", "2025 0", "", ""},
		{"yyyy-DDD", "2024-366", "2024-12-31", "2024-12-31T23:59:59.999"}, // see above
		{"H", "5", "1970-01-01T05:00:00", "1970-01-01T05:59:59.999"},
		{"H", "24", "", ""},
		{"D H", "21 5", "1970-01-01T05:00:00", "1970-01-01T05:59:59.999"},
		{"M d H", "3 4 5", "1970-03-04T05:00:00", "1970-03-04T05:59:59.999"},
		{"yyyy H", "2025 5", "2025-01-01T05:00:00", "2025-01-01T05:59:59.999"}, // Elasticsearch loses the year of the floor
		{"m", "5", "", "1970-01-01T23:05:59.999"},
		{"s", "5", "", "1970-01-01T23:59:05.999"},
		{"S", "5", "", "1970-01-01T23:59:59.5"},
		{"H:s", "5:6", "", "1970-01-01T05:59:06.999"},
		{"H:m S", "5:6 7", "", "1970-01-01T05:06:59.7"},
		{"yyyy-MM-dd m:s", "2025-02-03 5:6", "2025-02-03", "2025-02-03T23:05:06.999"},
		{"yyyy-MM-dd HH S", "2025-02-03 05 7", "2025-02-03", "2025-02-03T05:59:59.7"},
		{"yyyy m", "2025 61", "", ""},
		{"h", "5", "", ""},
		{"a", "PM", "", "1970-01-01T23:59:59.999"},
		{"h a", "5 PM", "1970-01-01T17:00:00", "1970-01-01T17:59:59.999"}, // Elasticsearch cannot round up hours of a half day
		{"yyyy h a", "2025 12 AM", "2025-01-01", "2025-01-01T00:59:59.999"},
		{"yyyy-MM-dd h", "2025-02-03 5", "2025-02-03", ""},
		{"yyyy h", "2025 13", "", ""},
		{"H a", "5 PM", "", ""},
		{"H a", "17 PM", "1970-01-01T17:00:00", "1970-01-01T17:59:59.999"},
		{"H h", "17 5", "1970-01-01T17:00:00", "1970-01-01T17:59:59.999"},
		{"H h", "13 2", "", ""},
		{"XXX", "+02:00", "", "1970-01-01T21:59:59.999"},
		{"yyyy XXX", "2025 +02:00", "2024-12-31T22:00:00", "2025-01-01T21:59:59.999"},
		{"'x'", "x", "", "1970-01-01T23:59:59.999"},
		{"yyyy-MM yyyy", "2025-02 2025", "2025-02-01", "2025-02-01T23:59:59.999"},
		{"yyyy-MM yyyy", "2025-02 2024", "", ""},
		{"yyyy uuuu", "2025 2024", "", ""},
		{"yyyy-MM-dd MMM", "2025-02-03 Mar", "", ""},
		{"yyyy-LL-dd MM", "2025-02-03 02", "2025-02-03", "2025-02-03T23:59:59.999"},
	} {
		r, err := NewDateReaderIn(c.format, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{c.floor, c.ceiling} {
			got, ok := r.Parse(c.text, i == 1, nil)
			if date, found := parseISO(want, false); ok != found || ok && got != date.UnixMilli() {
				t.Errorf("%s by %s, up %t: %s %t, not %q", c.text, c.format, i == 1, time.UnixMilli(got).UTC(), ok, want)
			}
		}
	}
}
