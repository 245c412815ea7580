// This file tests dates by formats and time zones. The expectations are Elasticsearch 7.10.2's.

package analysis

import "testing"

func TestDateReader(t *testing.T) {
	for _, c := range []struct {
		formats, zone, text string
		floor, ceiling      int64 // 0: no such date
	}{
		{"", "+02:00", "1735689600000", 1735682400000, 1735682400000},
		{"epoch_second", "", "1735689600", 1735689600000, 1735689600999},
		{"epoch_second", "", "1735689601.5", 1735689601500, 1735689601500},
		{"epoch_second", "+02:00", "1735689601", 1735682401000, 1735682401999},
		{"", "Europe/Berlin", "2025-03-30T02:30:00", 1743298200000, 1743298200999},
		{"", "Europe/Berlin", "2025-10-26T02:30:00", 1761438600000, 1761438600999},
		{"", "Europe/Berlin", "2025-03-30||/d", 1743289200000, 1743371999999},
		{"", "Europe/Berlin", "2025-03-29T02:30:00||+1d", 1743298200000, 1743298200000},
		{"", "Europe/Berlin", "2025-01-01T00:00:00Z", 1735689600000, 1735689600999},
		{"yyyy", "", "2025", 1735689600000, 1735775999999},
		{"yyyy", "", "12345", 0, 0},
		{"uuuu", "", "2025", 1735689600000, 1735775999999},
		{"yy", "", "25", 1735689600000, 1735775999999},
		{"d/M/yyyy", "", "1/2/2025", 1738368000000, 1738454399999},
		{"d/M/yyyy", "", "01/02/2025", 1738368000000, 1738454399999},
		{"dd/MM/yyyy h a", "", "01/02/2025 3 PM", 1738422000000, 1738425599999},
		{"yyyy-MM-dd HH:mm:ss||yyyy-MM-dd HH:mm", "", "2025-01-01 10:11", 1735726260000, 1735726319999},
		{"yyyy-MM-dd", "", "2025-1-1", 0, 0},
		{"date", "", "2025-1-1", 1735689600000, 1735775999999},
		{"date", "", "2025", 1735689600000, 1735775999999},
		{"date", "", "2025-01", 1735689600000, 1735775999999},
		{"strict_date", "", "2025", 0, 0},
		{"strict_date", "", "2025-1-1", 0, 0},
		{"date_optional_time", "", "2025-1-1T1:2", 1735693320000, 1735693379999},
		{"basic_date", "", "20250101", 1735689600000, 1735775999999},
		{"date_time", "", "2025-01-01T00:00:00.000+02:00", 1735682400000, 1735682400000},
		{"yyyy-MM-dd'T'HH:mm:ssZ", "", "2025-01-01T00:00:00+0200", 1735682400000, 1735682400999},
		{"yyyy-MM-dd'T'HH:mm:ssXXX", "", "2025-01-01T00:00:00+02:00", 1735682400000, 1735682400999},
		{"MMM d yyyy", "", "Jan 2 2025", 1735776000000, 1735862399999},
		{"yyyy年MM月", "", "2025年01月", 1735689600000, 1735775999999},
		{"yyyyMMddHHmmssSSS", "", "20250101000000250", 1735689600250, 1735689600250},
		{"", "GMT+2", "2025", 1735682400000, 1735768799999},
		{"", "CET", "2025", 1735686000000, 1735772399999},
	} {
		r, err := NewDateReader(c.formats, c.zone)
		if err != nil {
			t.Errorf("%q %q: %v", c.formats, c.zone, err)
			continue
		}
		for up, want := range map[bool]int64{false: c.floor, true: c.ceiling} {
			if got, ok := r.Parse(c.text, up, nil); ok != (want != 0) || ok && got != want {
				t.Errorf("%q in %q by %q, up %v: %d %v, want %d", c.text, c.zone, c.formats, up, got, ok, want)
			}
		}
	}
}

func TestDateReaderErrors(t *testing.T) {
	for _, c := range [][2]string{{"YYYY-'W'ww", ""}, {"yyyy'", ""}, {"||", ""}, {"", "Mars/Base"}, {"", "EST"}, {"", "Local"}, {"", "PST"}} {
		if _, err := NewDateReader(c[0], c[1]); err == nil {
			t.Errorf("%q: no error", c)
		}
	}
}
