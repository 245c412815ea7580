package dates

import (
	"strings"
	"testing"
	"time"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Skip("no time zones here:", err)
	}
	return z
}

// TestDates shows which texts are dates, in a zone one hour before UTC and with summer time.
func TestDates(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	for text, want := range map[string]string{
		"2023-01-29T18:30:22Z":             "2023-01-29T18:30:22Z",
		"2023-01-29T18:30:22.123456+01:00": "2023-01-29T17:30:22.123456Z",
		"2023-01-29 18:30:22 -0800":        "2023-01-30T02:30:22Z",
		"2023-01-29 18:30:22 -08":          "2023-01-30T02:30:22Z",
		"2023-01-29 18:30:22 UTC":          "2023-01-29T18:30:22Z",
		"2023-01-29 18:30:22":              "2023-01-29T17:30:22Z",
		"2023-01-29T18:30":                 "2023-01-29T17:30:00Z",
		" 2023-01-29 \r":                   "2023-01-28T23:00:00Z",
		"2023-07-29":                       "2023-07-28T22:00:00Z",
		"2013/7/3 9:05:07":                 "2013-07-03T07:05:07Z",
		"Jul 08 2022":                      "2022-07-07T22:00:00Z",
		"July 8, 2022":                     "2022-07-07T22:00:00Z",
		"8 Sept. 2022":                     "2022-09-07T22:00:00Z",
		"1st January 2022":                 "2021-12-31T23:00:00Z",
		"Fri, 08 Jul 2022 09:00:00 GMT":    "2022-07-08T09:00:00Z",
		"Friday, 08 Jul 2022 09:00 +0200":  "2022-07-08T07:00:00Z",
		"2024-02-29":                       "2024-02-28T23:00:00Z",
		// The clocks skip 02:00 to 03:00, and show 02:00 to 03:00 twice.
		"2023-03-26 01:59:59": "2023-03-26T00:59:59Z",
		"2023-03-26 02:30:00": "2023-03-26T01:30:00Z",
		"2023-03-26 03:00:00": "2023-03-26T01:00:00Z",
		"2023-10-29 02:30:00": "2023-10-29T00:30:00Z",
		"2023-10-29 03:00:00": "2023-10-29T02:00:00Z",

		"2023-01-29 18:30:22 2023 -0800": "is no date",
		"yesterday":                      "is no date",
		"":                               "is no date",
		"01/02/2024":                     "is no date (nobody can tell the day from the month)",
		"2023-02-29":                     "is no date: February 2023 has no day 29",
		"2023-13-01":                     "is no date: there is no month 13",
		"2023-01-01 24:00":               "is no date: there is no such time of day",
		"2023-01-01 10:00 +2500":         "is no date: there is no zone +2500",
		"0000-01-01":                     "is outside of the years 1 to 9999",
		"9999-12-31T23:59:59-10:00":      "is outside of the years 1 to 9999",
		"2023-01/02":                     "is no date",
		"8 Julember 2022":                "is no date",
		"20230129":                       "is no date",
		strings.Repeat("1", 1<<20):       "is no date: it has 1048576 bytes",
	} {
		got := ""
		if date, err := Parse(text, berlin); err == nil {
			got = date.Format(time.RFC3339Nano)
		} else if got = err.Message; strings.HasPrefix(err.Hint, "nobody") {
			got += " (" + strings.Split(err.Hint, ";")[0] + ")"
		}
		if got != want {
			t.Errorf("%.60q: got %s, want %s", text, got, want)
		}
	}
}

// TestClocks: every time of day of a year that the clocks show has the instant at which they show it
// first.
func TestClocks(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "UTC"} {
		z := zone(t, name)
		first := map[string]time.Time{}
		for at := time.Date(2010, 12, 30, 0, 0, 0, 0, time.UTC); at.Year() < 2012; at = at.Add(10 * time.Minute) {
			if text := at.In(z).Format("2006-01-02 15:04:05"); first[text].IsZero() {
				first[text] = at
			}
		}
		for text, want := range first {
			if got, err := Parse(text, z); err != nil || !got.Equal(want) && want.After(time.Date(2010, 12, 31, 12, 0, 0, 0, time.UTC)) {
				t.Fatalf("%s in %s: got %s, want %s", text, name, got, want)
			}
		}
	}
}

// TestOfName shows which names begin with a date.
func TestOfName(t *testing.T) {
	for name, want := range map[string]string{
		"2025-01-31-hello": "2025-01-31 hello", "2025-01-31": "2025-01-31 ", "2025-02-31-hello": "", "2025-01-31hello": "", "hello": "", "2025-1-31-hello": "", "2025/01/31-a": "2025-01-31 a",
	} {
		got := ""
		if date, rest, ok := OfName(name, time.UTC); ok {
			got = date.Format(time.DateOnly) + " " + rest
		} else if rest != name {
			got = "rest " + rest
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// FuzzParse: a date that is read is the same when it is written in RFC 3339 and read again.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"2023-01-29 18:30:22 -0800", "Jul 08 2022", "2023/1/2", "Fri, 08 Jul 2022 09:00:00 GMT"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		date, err := Parse(text, time.UTC)
		if err != nil {
			return
		}
		if again, err := Parse(date.Format(time.RFC3339Nano), time.UTC); err != nil || !again.Equal(date) {
			t.Errorf("%q is %s, then %s, %v", text, date, again, err)
		}
	})
}
