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

		"2023-01-29 18:30:22 2023 -0800": "is not a date",
		"yesterday":                      "is not a date",
		"":                               "is not a date",
		"01/02/2024":                     "is not a date (the day and the month could be either number)",
		"2023-02-29":                     "is not a date: February 2023 has no day 29",
		"2023-13-01":                     "is not a date: month 13 does not exist",
		"2023-01-01 24:00":               "is not a date: this time of day does not exist",
		"2023-01-01 10:00 +2500":         "is not a date: unknown time zone +2500",
		"0000-01-01":                     "is outside of the years 1 to 9999",
		"9999-12-31T23:59:59-10:00":      "is outside of the years 1 to 9999",
		"2023-01/02":                     "is not a date",
		"8 Julember 2022":                "is not a date",
		strings.Repeat("1", 1<<20):       "is not a date: it has 1048576 bytes",

		// Numbers.
		"20200105":         "2020-01-04T23:00:00Z",
		"20200105090500":   "2020-01-05T08:05:00Z",
		"20200105T090500Z": "2020-01-05T09:05:00Z",
		"1578182400":       "2020-01-05T00:00:00Z",
		"1578182400.25":    "2020-01-05T00:00:00.25Z",
		"1.5781824e9":      "2020-01-05T00:00:00Z",
		"1578182400123":    "2020-01-05T00:00:00.123Z",
		"-1578182400":      "1919-12-29T00:00:00Z",
		"315532800":        "1980-01-01T00:00:00Z",
		"20201399":         "is not a date: month 13 does not exist",
		"20200230":         "is not a date: February 2020 has no day 30",
		"15781824001234":   "is not a date: month 18 does not exist",
		"2020":             "is not a date: a number is seconds or milliseconds since 1970, with 9 to 13 digits",
		"0":                "is not a date: a number is seconds or milliseconds since 1970, with 9 to 13 digits",
		"1578182400000000": "is not a date: a number is seconds or milliseconds since 1970, with 9 to 13 digits",
		"1e300":            "is not a date: a number is seconds or milliseconds since 1970, with 9 to 13 digits",
		"1e999":            "is not a date: a number is seconds or milliseconds since 1970, with 9 to 13 digits",

		// Programs: Go, JavaScript, Java, git, date.
		"2020-01-05 09:05:00 +0000 UTC":                                      "2020-01-05T09:05:00Z",
		"2020-01-05 09:05:00.123456789 +0100 CET m=+0.000012345":             "2020-01-05T08:05:00.123456789Z",
		"2020-01-05 09:05:00 -0330 -0330 m=-12.5":                            "2020-01-05T12:35:00Z",
		"Sun Jan 05 2020 09:05:00 GMT+0100 (Central European Standard Time)": "2020-01-05T08:05:00Z",
		"Sun, 05 Jan 2020 09:05:00 GMT":                                      "2020-01-05T09:05:00Z",
		"2020-01-05T09:05:00.000Z":                                           "2020-01-05T09:05:00Z",
		"Sun Jan 05 2020":                                                    "2020-01-04T23:00:00Z",
		"2020-01-05T09:05:00+01:00[Europe/Berlin]":                           "2020-01-05T08:05:00Z",
		"Sun Jan 5 09:05:00 2020 -0500":                                      "2020-01-05T14:05:00Z",
		"Sun Jan  5 09:05:00 UTC 2020":                                       "2020-01-05T09:05:00Z",
		"Sun Jan  5 09:05:00 2020":                                           "2020-01-05T08:05:00Z",
		"05-Jan-2020 09:05":                                                  "2020-01-05T08:05:00Z",
		"2020-01-05 09:05:00 +0100 UTC":                                      "is not a date: it has two zones, +0100 and UTC",
		"2020-01-05 09:05:00 GMT CET":                                        "is not a date: it has two zones, GMT and CET",
		"2020-01-05T09:05:00[Europe/Berlin]":                                 "is not a date",
		"2020-01-05 09:05:00 m=+0.1":                                         "is not a date",

		// People.
		"2020-01-05 9:05 PM":                "2020-01-05T20:05:00Z",
		"January 5, 2020 at 9:05\u202fp.m.": "2020-01-05T20:05:00Z",
		"Jan 5, 2020, 12:05:07 am":          "2020-01-04T23:05:07Z",
		"2020-01-05 12:05PM +0000":          "2020-01-05T12:05:00Z",
		"2020-01-05 13:05 PM":               "is not a date: this time of day does not exist",
		"2020-01-05 0:05 AM":                "is not a date: this time of day does not exist",
		"2020\u00a001\u00a005":              "is not a date",
		"2020年1月5日":                         "2020-01-04T23:00:00Z",
		"2020 年 1 月 5 日 9:05":               "2020-01-05T08:05:00Z",
		"2020년 1월 5일":                       "2020-01-04T23:00:00Z",
		"2020. 1. 5.":                       "2020-01-04T23:00:00Z",
		"2020年13月5日":                        "is not a date: month 13 does not exist",
		"2020-01":                           "is not a date (a month has no day)",
		"2020年1月":                           "is not a date (a month has no day)",
		"January 2020":                      "is not a date (a month has no day)",
		"2020-01-05 09:05:00 PST":           "is not a date (PST is not the same zone everywhere)",
		"Sun Jan  5 09:05:00 CET 2020":      "is not a date (CET is not the same zone everywhere)",
		"1/5/2020, 9:05:00 AM":              "is not a date (the day and the month could be either number)",
	} {
		got := ""
		if date, err := Parse(text, berlin); err == nil {
			got = date.Format(time.RFC3339Nano)
		} else if got = err.Message; err.Hint != "" && err.Hint != form && !strings.Contains(got, ": ") {
			got += " (" + strings.FieldsFunc(err.Hint, func(r rune) bool { return r == ';' || r == ':' })[0] + ")"
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
		"2025-01-31-hello": "2025-01-31 hello", "2025-01-31": "2025-01-31 ", "2025-02-31-hello": "", "2025-01-31hello": "", "hello": "", "2025-1-31-hello": "", "2025/01/31-a": "", "1578182400-a": "", "5-Jan-2020-a": "", "20250131T0-a": "",
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
	for _, text := range []string{"1578182400123", "20200105T090500Z", "2020年1月5日 9:05 PM", "2020-01-05 09:05:00 +0100 CET m=+0.1", "Sun Jan  5 09:05:00 UTC 2020", "2023-01-29 18:30:22 -0800", "Jul 08 2022", "2023/1/2", "Fri, 08 Jul 2022 09:00:00 GMT"} {
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

// TestMayBe shows which values of members that may also be another word are meant as dates.
func TestMayBe(t *testing.T) {
	for text, want := range map[string]bool{
		"yes": false, "": false, "true": false, "2019": false, " 3 ": false, "1e3": false, "-5": false, "20200105": true, "20209999": true, "1578182400": true,
		"2020-01": true, "Jan 5, 2020": true, "v2": true, strings.Repeat("7", 1<<20): true,
	} {
		if MayBe(text) != want {
			t.Errorf("%.40q: %t", text, !want)
		}
	}
}
