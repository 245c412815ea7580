// These tests check time zones. The expectations are from Elasticsearch 7.10.2.

package analysis

import (
	"strings"
	"testing"
	"time"
)

// Dates around changes of offsets: clocks repeat or skip hours, in zones with and without an offset of 0.
func TestClocksThatChange(t *testing.T) {
	for _, c := range []struct {
		zone, text     string
		floor, ceiling int64
	}{
		{"Europe/London", "1960-10-02T02:30:00", -291850200000, -291850199001},
		{"Europe/London", "1960-10-02T02:59:59", -291848401000, -291848400001},
		{"Europe/London", "1960-10-02T00:30:00Z||+1d", -291767400000, -291767400000},
		{"Europe/London", "1960-10-02T01:30:00Z||/h", -291855600000, -291852000001},
		{"Europe/London", "1960-10-02T02:00:00Z||/d-1h", -291866400000, -291776400001},
		{"Europe/London", "1960-10-02T02:30:00Z||/M", -291949200000, -289267200001},
		{"Europe/Dublin", "2010-10-31T01:30:00", 1288488600000, 1288488600999},
		{"Europe/Dublin", "2010-10-31T01:59:59", 1288490399000, 1288490399999},
		{"Europe/Dublin", "2010-10-30T23:30:00Z||/h+1h", 1288483200000, 1288486799999},
		{"Europe/Dublin", "2010-10-31T00:30:00Z||/h", 1288483200000, 1288486799999},
		{"Europe/Dublin", "2010-10-31T00:59:59Z||+1d", 1288576799000, 1288576799000},
		{"Europe/Dublin", "2010-10-31T00:59:59Z||/M", 1285887600000, 1288569599999},
		{"Europe/Dublin", "2010-10-31T01:59:59Z||/d-1h", 1288476000000, 1288565999999},
		{"Europe/Lisbon", "2001-10-28T01:30:00", 1004232600000, 1004232600999},
		{"Europe/Lisbon", "2001-10-28T01:59:59", 1004234399000, 1004234399999},
		{"Europe/Lisbon", "1980-04-06T01:00:00", 323830800000, 323830800999},
		{"Atlantic/Canary", "2024-03-31T01:00:00", 1711846800000, 1711846800999},
		{"Atlantic/Canary", "2022-10-30T01:30:00", 1667093400000, 1667093400999},
		{"Atlantic/Canary", "2022-10-30T01:59:59", 1667095199000, 1667095199999},
		{"Atlantic/Madeira", "2004-10-31T01:30:00", 1099186200000, 1099186200999},
		{"Atlantic/Madeira", "2004-10-31T01:59:59", 1099187999000, 1099187999999},
		{"Atlantic/Faroe", "2023-10-29T01:30:00", 1698543000000, 1698543000999},
		{"Atlantic/Faroe", "2023-10-29T01:59:59", 1698544799000, 1698544799999},
		{"Africa/Casablanca", "2015-07-19T02:00:00", 1437271200000, 1437271200999},
		{"Africa/Casablanca", "2015-07-19T00:30:00Z||/M", 1435708800000, 1438383599999},
		{"Africa/Casablanca", "2015-07-19T01:59:59Z||/h+1h", 1437271200000, 1437274799999},
		{"Africa/Casablanca", "2015-07-19T01:59:59Z||+1d", 1437353999000, 1437353999000},
		{"Africa/Casablanca", "2015-07-19T02:00:00Z||/w", 1436745600000, 1437346799999},
		{"Africa/Casablanca", "2015-07-19T02:30:00Z||/d-1h", 1437260400000, 1437343199999},
		{"Africa/Casablanca", "2008-05-31T23:59:59Z||/h", 1212274800000, 1212278399999},
		{"Africa/Casablanca", "1978-08-03T23:30:00", 271035000000, 271035000999},
		{"Africa/Casablanca", "1978-08-03T23:59:59", 271036799000, 271036799999},
		{"Africa/El_Aaiun", "2014-06-28T02:30:00", 1403922600000, 1403922600999},
		{"Africa/El_Aaiun", "2014-06-28T02:59:59", 1403924399000, 1403924399999},
		{"Antarctica/Troll", "2029-10-28T01:30:00", 1887845400000, 1887845400999},
		{"Antarctica/Troll", "2029-10-28T02:30:00", 1887849000000, 1887849000999},
		{"Antarctica/Troll", "2029-10-27T23:30:00Z||/M", 1885500000000, 1888185599999},
		{"Antarctica/Troll", "2029-10-28T00:30:00Z||/h+1h", 1887843600000, 1887847199999},
		{"Antarctica/Troll", "2029-10-28T00:30:00Z||+1d", 1887935400000, 1887935400000},
		{"Antarctica/Troll", "2029-10-28T01:59:59Z||/h", 1887843600000, 1887847199999},
		{"Atlantic/Azores", "1996-03-31T00:00:00", 828234000000, 828234000999},
		{"Atlantic/Azores", "2023-10-29T00:30:00", 1698539400000, 1698539400999},
		{"Atlantic/Azores", "2023-10-29T00:59:59", 1698541199000, 1698541199999},
		{"Atlantic/Azores", "1965-10-03T02:30:00", -133993800000, -133993799001},
		{"Atlantic/Azores", "1965-10-03T02:59:59", -133992001000, -133992000001},
		{"America/Scoresbysund", "1990-09-30T00:30:00", 654654600000, 654654600999},
		{"America/Scoresbysund", "1990-09-30T00:59:59", 654656399000, 654656399999},
		{"Europe/Berlin", "2020-03-29T02:00:00", 1585443600000, 1585443600999},
		{"Europe/Berlin", "2020-03-28T23:30:00Z||/h+1h", 1585440000000, 1585443599999},
		{"Europe/Berlin", "2020-03-29T00:59:59Z||/w", 1584918000000, 1585519199999},
		{"Europe/Berlin", "2020-03-29T00:59:59Z||/d-1h", 1585432800000, 1585515599999},
		{"Europe/Berlin", "2020-03-29T01:00:00Z||/h", 1585443600000, 1585447199999},
		{"Europe/Berlin", "2014-10-26T02:30:00", 1414283400000, 1414283400999},
		{"Europe/Berlin", "2014-10-26T02:59:59", 1414285199000, 1414285199999},
		{"Europe/Berlin", "2014-10-25T23:30:00Z||+1d", 1414369800000, 1414369800000},
		{"Europe/Berlin", "2014-10-26T01:59:59Z||/M", 1412114400000, 1414796399999},
		{"America/New_York", "2009-11-01T01:30:00", 1257053400000, 1257053400999},
		{"America/New_York", "2009-11-01T01:59:59", 1257055199000, 1257055199999},
		{"Australia/Lord_Howe", "2027-04-04T01:30:00", 1806762600000, 1806762600999},
		{"Australia/Lord_Howe", "2027-04-04T01:59:59", 1806764399000, 1806764399999},
		{"Australia/Lord_Howe", "2027-04-03T13:30:00Z||/d-1h", 1806753600000, 1806841799999},
		{"Australia/Lord_Howe", "2027-04-03T14:30:00Z||/h+1h", 1806764400000, 1806767999999},
		{"Australia/Lord_Howe", "2027-04-03T14:30:00Z||/w", 1806238800000, 1806845399999},
		{"Australia/Lord_Howe", "2027-04-03T14:59:59Z||+1d", 1806852599000, 1806852599000},
		{"Australia/Lord_Howe", "2027-04-03T15:30:00Z||/h", 1806766200000, 1806769799999},
		{"Australia/Lord_Howe", "2027-04-03T16:30:00Z||/M", 1806498000000, 1809091799999},
		{"Australia/Lord_Howe", "2018-10-07T02:00:00", 1538839800000, 1538839800999},
		{"Pacific/Apia", "2011-04-02T03:30:00", 1301751000000, 1301751000999},
		{"Pacific/Apia", "2011-04-02T03:59:59", 1301752799000, 1301752799999},
		{"America/Sao_Paulo", "2007-02-24T23:30:00", 1172367000000, 1172367000999},
		{"America/Sao_Paulo", "2007-02-24T23:59:59", 1172368799000, 1172368799999},
		{"America/Caracas", "2007-12-09T02:30:00", 1197181800000, 1197181800999},
		{"Europe/Paris", "2021-10-31T02:30:00", 1635640200000, 1635640200999},
		{"Europe/Paris", "2021-10-31T02:59:59", 1635641999000, 1635641999999},
		{"Europe/Madrid", "2015-03-29T02:00:00", 1427590800000, 1427590800999},
		{"Europe/Madrid", "1991-09-29T02:30:00", 686104200000, 686104200999},
		{"Europe/Madrid", "1991-09-29T02:59:59", 686105999000, 686105999999},
		{"Africa/Algiers", "1978-09-22T02:30:00", 275272200000, 275272200999},
		{"Africa/Algiers", "1978-09-22T02:59:59", 275273999000, 275273999999},
		{"America/Danmarkshavn", "1990-09-29T22:30:00", 654654600000, 654654600999},
		{"America/Danmarkshavn", "1990-09-29T22:59:59", 654656399000, 654656399999},
		{"Europe/London", "2024-10-27T01:00:00", 1729990800000, 1729990800999},
	} {
		r, err := NewDateReader("", c.zone)
		if err != nil {
			t.Fatal(err)
		}
		floor, ok := r.Parse(c.text, false, nil)
		ceiling, okUp := r.Parse(c.text, true, nil)
		if !ok || !okUp || floor != c.floor || ceiling != c.ceiling {
			t.Errorf("%s in %s: %d to %d, want %d to %d", c.text, c.zone, floor, ceiling, c.floor, c.ceiling)
		}
	}
}

// At the instant of a time, the clock shows that time, unless clocks skip it. The preferred offset is kept.
func TestInstantsShowTheirClocks(t *testing.T) {
	for _, name := range []string{"Europe/London", "Africa/Casablanca", "Australia/Lord_Howe", "America/New_York", "Pacific/Apia", "+05:30"} {
		zone, err := Zone(name)
		if err != nil {
			t.Fatal(err)
		}
		for at := time.Date(1960, 1, 1, 0, 7, 0, 0, time.UTC); at.Year() < 2030; at = at.Add(7 * time.Hour) {
			if got := instant(zone, clock(zone, at), offset(zone, at)); !got.Equal(at) {
				t.Fatalf("%s: %s became %s", name, at, got)
			}
		}
	}
}

func TestZone(t *testing.T) {
	for name, want := range map[string]int{
		"": 0, "Z": 0, "UTC": 0, "GMT": 0, "UT": 0, "GMT0": 0, "-00:00": 0, "UTC+0": 0, "Etc/UTC": 0, "Zulu": 0,
		"+1": 3600, "-09": -9 * 3600, "+0130": 5400, "+01:30": 5400, "+01:30:15": 5415, "-013015": -5415, "UTC+01": 3600, "GMT-2": -7200, "UT+01:30": 5400,
		"+18:00": 18 * 3600, "-18:00:00": -18 * 3600, "Etc/GMT-14": 14 * 3600, "ROK": 9 * 3600, "PRC": 8 * 3600, "EST5EDT": -5 * 3600,
	} {
		zone, err := Zone(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, got := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).In(zone).Zone(); got != want {
			t.Errorf("%s: %d s, want %d", name, got, want)
		}
	}
	for _, name := range []string{
		"Local", "localtime", "posixrules", "right/UTC", "right/Europe/London", "posix/UTC", "Factory", "leapseconds", "zone.tab", "../UTC",
		"EST", "MST", "HST", "ROC", "PST", "utc", "z", "UTCZ", "UTC1", "UTC ", "+18:01", "-18:00:01", "+19", "+24:00", "-99", "UTC+19", "GMT+18:30",
		"+00:60", "+130", "+1:30", "+1:00", "01:00", "1", "+", "-", "+01:3015", "+0a", "+01-30", "Europe/Nowhere",
	} {
		if _, err := Zone(name); err == nil {
			t.Errorf("%q is a zone", name)
		}
	}
}

// ruleZone is a zone without changes but a rule, as short databases have for years to come.
func ruleZone(t *testing.T, rule string) *time.Location {
	t.Helper()
	// Two headers of the format, for version 1 and 2, with a type of local time each and its abbreviation.
	header := "TZif2" + strings.Repeat("\x00", 15) + strings.Repeat("\x00\x00\x00\x00", 4) + "\x00\x00\x00\x01\x00\x00\x00\x04"
	body := "\xff\xff\xb9\xb0\x00\x00EST\x00"
	zone, err := time.LoadLocationFromTZData("rule", []byte(header+body+header+body+"\n"+rule+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// Clocks that follow a rule have an instant for each hour around the ends of years, also of leap years.
func TestInstantsAtTheEndsOfYears(t *testing.T) {
	zone := ruleZone(t, "EST5EDT,M3.2.0,M11.1.0")
	for year := 2023; year <= 2029; year++ {
		for wall, end := time.Date(year, 12, 29, 0, 0, 0, 0, time.UTC), time.Date(year+1, 1, 4, 0, 0, 0, 0, time.UTC); wall.Before(end); wall = wall.Add(time.Hour) {
			if got, want := instant(zone, wall, 0), wall.Add(5*time.Hour); !got.Equal(want) {
				t.Fatalf("%s: %s, want %s", wall, got, want)
			}
		}
		summer := time.Date(year, 7, 1, 12, 0, 0, 0, time.UTC)
		if got, want := instant(zone, summer, 0), summer.Add(4*time.Hour); !got.Equal(want) {
			t.Errorf("%s: %s, want %s", summer, got, want)
		}
	}
}
