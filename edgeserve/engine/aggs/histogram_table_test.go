package aggs_test

import "testing"

func TestHistogram(t *testing.T) {
	checkTable(t, `{"n":1,"x":0.25} {"n":[1,2],"x":[0.3,-0.05]} {"n":5} {"x":1} {"n":12,"b":true} {"n":-3,"d":"1970-01-01T00:00:00.007Z"}`, []aggCase{
		{"several values in an interval count once", "", `"a":{"histogram":{"field":"Data.n","interval":5}}`,
			`"a":{"buckets":[{"key":-5.0,"doc_count":1},{"key":0.0,"doc_count":2},{"key":5.0,"doc_count":1},{"key":10.0,"doc_count":1}]}`},
		{"several values in two intervals count twice", "", `"a":{"histogram":{"field":"Data.n","interval":2,"min_doc_count":1}}`,
			`"a":{"buckets":[{"key":-4.0,"doc_count":1},{"key":0.0,"doc_count":2},{"key":2.0,"doc_count":1},{"key":4.0,"doc_count":1},{"key":12.0,"doc_count":1}]}`},
		{"offset and a gap", "", `"a":{"histogram":{"field":"Data.n","interval":5,"offset":2}}`,
			`"a":{"buckets":[{"key":-3.0,"doc_count":3},{"key":2.0,"doc_count":2},{"key":7.0,"doc_count":0},{"key":12.0,"doc_count":1}]}`},
		{"a gap between counts", "", `"a":{"histogram":{"field":"Data.n","interval":5,"offset":2,"min_doc_count":2}}`,
			`"a":{"buckets":[{"key":-3.0,"doc_count":3},{"key":2.0,"doc_count":2}]}`},
		{"keyed", "", `"a":{"histogram":{"field":"Data.n","interval":10,"keyed":true}}`,
			`"a":{"buckets":{"-10.0":{"key":-10.0,"doc_count":1},"0.0":{"key":0.0,"doc_count":3},"10.0":{"key":10.0,"doc_count":1}}}`},
		{"keyed by a format", "", `"a":{"histogram":{"field":"Data.n","interval":10,"keyed":true,"format":"0.0;(0)"}}`,
			`"a":{"buckets":{"(10.0)":{"key_as_string":"(10.0)","key":-10.0,"doc_count":1},"0.0":{"key_as_string":"0.0","key":0.0,"doc_count":3},"10.0":{"key_as_string":"10.0","key":10.0,"doc_count":1}}}`},
		{"by count", "", `"a":{"histogram":{"field":"Data.n","interval":5,"order":{"_count":"desc"}}}`,
			`"a":{"buckets":[{"key":0.0,"doc_count":2},{"key":-5.0,"doc_count":1},{"key":5.0,"doc_count":1},{"key":10.0,"doc_count":1}]}`},
		{"downwards, over a gap", "", `"a":{"histogram":{"field":"Data.n","interval":8,"order":{"_key":"desc"},"extended_bounds":{"max":16}}}`,
			`"a":{"buckets":[{"key":16.0,"doc_count":0},{"key":8.0,"doc_count":1},{"key":0.0,"doc_count":3},{"key":-8.0,"doc_count":1}]}`},
		{"extended bounds at both ends", "", `"a":{"histogram":{"field":"Data.n","interval":10,"extended_bounds":{"min":-11,"max":25}}}`,
			`"a":{"buckets":[{"key":-20.0,"doc_count":0},{"key":-10.0,"doc_count":1},{"key":0.0,"doc_count":3},{"key":10.0,"doc_count":1},{"key":20.0,"doc_count":0}]}`},
		{"extended bounds inside of the values", "", `"a":{"histogram":{"field":"Data.n","interval":10,"extended_bounds":{"min":2,"max":3}}}`,
			`"a":{"buckets":[{"key":-10.0,"doc_count":1},{"key":0.0,"doc_count":3},{"key":10.0,"doc_count":1}]}`},
		{"extended bounds over nothing", `{"match_none":{}}`, `"a":{"histogram":{"field":"Data.n","interval":10,"extended_bounds":{"min":0,"max":10}}}`,
			`"a":{"buckets":[{"key":0.0,"doc_count":0},{"key":10.0,"doc_count":0}]}`},
		{"hard bounds include their ends", "", `"a":{"histogram":{"field":"Data.n","interval":5,"hard_bounds":{"min":0,"max":5}}}`,
			`"a":{"buckets":[{"key":0.0,"doc_count":2},{"key":5.0,"doc_count":1}]}`},
		{"a hard bound at one end", "", `"a":{"histogram":{"field":"Data.n","interval":5,"hard_bounds":{"min":1}}}`,
			`"a":{"buckets":[{"key":5.0,"doc_count":1},{"key":10.0,"doc_count":1}]}`},
		{"intervals of fractions", "", `"a":{"histogram":{"field":"Data.x","interval":0.1,"min_doc_count":1}}`,
			`"a":{"buckets":[{"key":-0.1,"doc_count":1},{"key":0.2,"doc_count":1},{"key":0.30000000000000004,"doc_count":1},{"key":1.0,"doc_count":1}]}`},
		{"missing", "", `"a":{"histogram":{"field":"Data.n","interval":5,"missing":9.9,"min_doc_count":1}}`,
			`"a":{"buckets":[{"key":-5.0,"doc_count":1},{"key":0.0,"doc_count":2},{"key":5.0,"doc_count":2},{"key":10.0,"doc_count":1}]}`},
		{"sub-aggregations of a gap", "", `"a":{"histogram":{"field":"Data.n","interval":4,"extended_bounds":{"min":4,"max":8}},"aggs":{"m":{"max":{"field":"Data.x"}},"s":{"sum":{"field":"Data.n"}},"t":{"terms":{"field":"Data.b"}}}}`,
			`"a":{"buckets":[
				{"key":-4.0,"doc_count":1,"m":{"value":null},"s":{"value":-3.0},"t":{` + noOthers + `"buckets":[]}},
				{"key":0.0,"doc_count":2,"m":{"value":0.30000001192092896},"s":{"value":4.0},"t":{` + noOthers + `"buckets":[]}},
				{"key":4.0,"doc_count":1,"m":{"value":null},"s":{"value":5.0},"t":{` + noOthers + `"buckets":[]}},
				{"key":8.0,"doc_count":0,"m":{"value":null},"s":{"value":0.0},"t":{` + noOthers + `"buckets":[]}},
				{"key":12.0,"doc_count":1,"m":{"value":null},"s":{"value":12.0},"t":{` + noOthers + `"buckets":[{"key":1,"key_as_string":"true","doc_count":1}]}}]}`},
		{"inside of buckets", "", `"a":{"filters":{"filters":[{"term":{"Data.b":true}},{"exists":{"field":"Data.x"}}]},"aggs":{"h":{"histogram":{"field":"Data.n","interval":1}}}}`,
			`"a":{"buckets":[{"doc_count":1,"h":{"buckets":[{"key":12.0,"doc_count":1}]}},{"doc_count":3,"h":{"buckets":[{"key":1.0,"doc_count":2},{"key":2.0,"doc_count":1}]}}]}`},
		{"numbers of dates", "", `"a":{"histogram":{"field":"Data.d","interval":5}}`,
			`"a":{"buckets":[{"key_as_string":"1970-01-01T00:00:00.005Z","key":5.0,"doc_count":1}]}`},
		{"no field", "", `"a":{"histogram":{"field":"Data.nope","interval":5}}`, `"a":{"buckets":[]}`},
	})
}

// springData is around the night in which clocks go forward in Berlin: 2021-03-28 has 23 hours there.
const springData = `
	{"d":"2021-03-27T22:30:00Z","n":1}
	{"d":"2021-03-27T23:30:00Z","n":2}
	{"d":["2021-03-28T21:59:59.999Z","2021-03-28T00:00:00Z"],"n":3}
	{"d":"2021-03-28T22:00:00Z","n":4}
	{"n":5}`

func TestDateHistogramInZones(t *testing.T) {
	checkTable(t, springData, []aggCase{
		{"days in UTC", "", `"a":{"date_histogram":{"field":"Data.d","calendar_interval":"day"}}`,
			`"a":{"buckets":[{"key_as_string":"2021-03-27T00:00:00.000Z","key":1616803200000,"doc_count":2},{"key_as_string":"2021-03-28T00:00:00.000Z","key":1616889600000,"doc_count":2}]}`},
		{"days in Berlin", "", `"a":{"date_histogram":{"field":"Data.d","calendar_interval":"1d","time_zone":"Europe/Berlin"},"aggs":{"s":{"sum":{"field":"Data.n"}}}}`,
			`"a":{"buckets":[{"key_as_string":"2021-03-27T00:00:00.000+01:00","key":1616799600000,"doc_count":1,"s":{"value":1.0}},
				{"key_as_string":"2021-03-28T00:00:00.000+01:00","key":1616886000000,"doc_count":2,"s":{"value":5.0}},
				{"key_as_string":"2021-03-29T00:00:00.000+02:00","key":1616968800000,"doc_count":1,"s":{"value":4.0}}]}`},
		{"days in New York", "", `"a":{"date_histogram":{"field":"Data.d","calendar_interval":"day","time_zone":"America/New_York"}}`,
			`"a":{"buckets":[{"key_as_string":"2021-03-27T00:00:00.000-04:00","key":1616817600000,"doc_count":3},{"key_as_string":"2021-03-28T00:00:00.000-04:00","key":1616904000000,"doc_count":2}]}`},
		{"days by an offset in hours from UTC", "", `"a":{"date_histogram":{"field":"Data.d","calendar_interval":"day","time_zone":"+01:30","format":"yyyy-MM-dd"}}`,
			`"a":{"buckets":[{"key_as_string":"2021-03-28","key":1616884200000,"doc_count":4}]}`},
		{"hours in Berlin", "", `"a":{"date_histogram":{"field":"Data.d","calendar_interval":"hour","time_zone":"Europe/Berlin","format":"dd HH:mm XXX","min_doc_count":1}}`,
			`"a":{"buckets":[{"key_as_string":"27 23:00 +01:00","key":1616882400000,"doc_count":1},{"key_as_string":"28 00:00 +01:00","key":1616886000000,"doc_count":1},
				{"key_as_string":"28 01:00 +01:00","key":1616889600000,"doc_count":1},{"key_as_string":"28 23:00 +02:00","key":1616965200000,"doc_count":1},{"key_as_string":"29 00:00 +02:00","key":1616968800000,"doc_count":1}]}`},
		{"fixed intervals by the clocks of a zone", "", `"a":{"date_histogram":{"field":"Data.d","fixed_interval":"12h","time_zone":"Europe/Berlin"}}`,
			`"a":{"buckets":[{"key_as_string":"2021-03-27T12:00:00.000+01:00","key":1616842800000,"doc_count":1},{"key_as_string":"2021-03-28T00:00:00.000+01:00","key":1616886000000,"doc_count":2},
				{"key_as_string":"2021-03-28T12:00:00.000+02:00","key":1616925600000,"doc_count":1},{"key_as_string":"2021-03-29T00:00:00.000+02:00","key":1616968800000,"doc_count":1}]}`},
		{"missing in a zone", "", `"a":{"date_histogram":{"field":"Data.d","calendar_interval":"month","time_zone":"Europe/Berlin","missing":"2021-02-28T23:30:00Z","min_doc_count":1}}`,
			`"a":{"buckets":[{"key_as_string":"2021-03-01T00:00:00.000+01:00","key":1614553200000,"doc_count":5}]}`},
		{"from six in the morning", "", `"a":{"date_histogram":{"field":"Data.d","calendar_interval":"day","offset":"+6h"}}`,
			`"a":{"buckets":[{"key_as_string":"2021-03-27T06:00:00.000Z","key":1616824800000,"doc_count":3},{"key_as_string":"2021-03-28T06:00:00.000Z","key":1616911200000,"doc_count":2}]}`},
		{"an offset backwards", "", `"a":{"date_histogram":{"field":"Data.d","fixed_interval":"1d","offset":"-2h"}}`,
			`"a":{"buckets":[{"key_as_string":"2021-03-27T22:00:00.000Z","key":1616882400000,"doc_count":3},{"key_as_string":"2021-03-28T22:00:00.000Z","key":1616968800000,"doc_count":1}]}`},
	})
	checkTable(t, `{"d":"2021-03-28T00:30:00Z"} {"d":"2021-03-28T02:30:00Z"}`, []aggCase{
		{"the hour that clocks skip is not a gap", "", `"a":{"date_histogram":{"field":"Data.d","calendar_interval":"hour","time_zone":"Europe/Berlin"}}`,
			`"a":{"buckets":[{"key_as_string":"2021-03-28T01:00:00.000+01:00","key":1616889600000,"doc_count":1},{"key_as_string":"2021-03-28T03:00:00.000+02:00","key":1616893200000,"doc_count":0},{"key_as_string":"2021-03-28T04:00:00.000+02:00","key":1616896800000,"doc_count":1}]}`},
	})
	checkTable(t, `{"d":"2021-10-31T00:10:00Z"} {"d":"2021-10-31T01:20:00Z"} {"d":"2021-10-30T22:00:00Z"} {"d":"2021-10-31T22:59:00Z"} {"d":"2021-10-31T23:00:00Z"}`, []aggCase{
		{"the hour that clocks repeat is two", `{"range":{"Data.d":{"gte":"2021-10-31T00:00:00Z","lt":"2021-10-31T02:00:00Z"}}}`, `"a":{"date_histogram":{"field":"Data.d","calendar_interval":"hour","time_zone":"Europe/Berlin"}}`,
			`"a":{"buckets":[{"key_as_string":"2021-10-31T02:00:00.000+02:00","key":1635638400000,"doc_count":1},{"key_as_string":"2021-10-31T02:00:00.000+01:00","key":1635642000000,"doc_count":1}]}`},
		{"a day of 25 hours", "", `"a":{"date_histogram":{"field":"Data.d","calendar_interval":"day","time_zone":"Europe/Berlin"}}`,
			`"a":{"buckets":[{"key_as_string":"2021-10-31T00:00:00.000+02:00","key":1635631200000,"doc_count":4},{"key_as_string":"2021-11-01T00:00:00.000+01:00","key":1635721200000,"doc_count":1}]}`},
	})
}

// newYearData is around the first week of 2021, which begins on January 4.
const newYearData = `{"d":"2020-02-29"} {"d":"2020-12-31T23:59:59.999Z"} {"d":"2021-01-01"} {"d":"2021-01-03"} {"d":"2021-01-04"}`

func TestDateHistogram(t *testing.T) {
	checkTable(t, newYearData, []aggCase{
		{"weeks begin on Monday", "", `"a":{"date_histogram":{"field":"Data.d","calendar_interval":"week","min_doc_count":1,"format":"yyyy-MM-dd"}}`,
			`"a":{"buckets":[{"key_as_string":"2020-02-24","key":1582502400000,"doc_count":1},{"key_as_string":"2020-12-28","key":1609113600000,"doc_count":3},{"key_as_string":"2021-01-04","key":1609718400000,"doc_count":1}]}`},
		{"quarters and their gaps", "", `"a":{"date_histogram":{"field":"Data.d","calendar_interval":"1q","format":"yyyy-MM"}}`,
			`"a":{"buckets":[{"key_as_string":"2020-01","key":1577836800000,"doc_count":1},{"key_as_string":"2020-04","key":1585699200000,"doc_count":0},{"key_as_string":"2020-07","key":1593561600000,"doc_count":0},
				{"key_as_string":"2020-10","key":1601510400000,"doc_count":1},{"key_as_string":"2021-01","key":1609459200000,"doc_count":3}]}`},
		{"years, keyed", "", `"a":{"date_histogram":{"field":"Data.d","calendar_interval":"year","keyed":true,"format":"yyyy"}}`,
			`"a":{"buckets":{"2020":{"key_as_string":"2020","key":1577836800000,"doc_count":2},"2021":{"key_as_string":"2021","key":1609459200000,"doc_count":3}}}`},
		{"months by count", "", `"a":{"date_histogram":{"field":"Data.d","calendar_interval":"month","min_doc_count":1,"format":"MM","order":{"_count":"desc"}}}`,
			`"a":{"buckets":[{"key_as_string":"01","key":1609459200000,"doc_count":3},{"key_as_string":"02","key":1580515200000,"doc_count":1},{"key_as_string":"12","key":1606780800000,"doc_count":1}]}`},
		{"years downwards, to the bounds", "", `"a":{"date_histogram":{"field":"Data.d","calendar_interval":"year","format":"yyyy","order":{"_key":"desc"},"extended_bounds":{"min":"2019","max":"2022"}}}`,
			`"a":{"buckets":[{"key_as_string":"2022","key":1640995200000,"doc_count":0},{"key_as_string":"2021","key":1609459200000,"doc_count":3},{"key_as_string":"2020","key":1577836800000,"doc_count":2},{"key_as_string":"2019","key":1546300800000,"doc_count":0}]}`},
		{"thirty days, counted from 1970", "", `"a":{"date_histogram":{"field":"Data.d","fixed_interval":"30d","min_doc_count":1,"format":"yyyy-MM-dd"}}`,
			`"a":{"buckets":[{"key_as_string":"2020-02-08","key":1581120000000,"doc_count":1},{"key_as_string":"2020-12-04","key":1607040000000,"doc_count":2},{"key_as_string":"2021-01-03","key":1609632000000,"doc_count":2}]}`},
		{"the older member interval", "", `"a":{"date_histogram":{"field":"Data.d","interval":"1y"}}`,
			`"a":{"buckets":[{"key_as_string":"2020-01-01T00:00:00.000Z","key":1577836800000,"doc_count":2},{"key_as_string":"2021-01-01T00:00:00.000Z","key":1609459200000,"doc_count":3}]}`},
		{"hard bounds do not include the last one", "", `"a":{"date_histogram":{"field":"Data.d","calendar_interval":"month","format":"yyyy-MM","hard_bounds":{"min":"2020-06","max":"2021-01"}}}`,
			`"a":{"buckets":[{"key_as_string":"2020-12","key":1606780800000,"doc_count":1}]}`},
		{"extended bounds over nothing", `{"match_none":{}}`, `"a":{"date_histogram":{"field":"Data.d","calendar_interval":"month","format":"yyyy-MM","extended_bounds":{"min":"2020-12","max":"2021-01"}}}`,
			`"a":{"buckets":[{"key_as_string":"2020-12","key":1606780800000,"doc_count":0},{"key_as_string":"2021-01","key":1609459200000,"doc_count":0}]}`},
		{"no match", `{"match_none":{}}`, `"a":{"date_histogram":{"field":"Data.d","calendar_interval":"month"}}`, `"a":{"buckets":[]}`},
		{"no field", "", `"a":{"date_histogram":{"field":"Data.nope","calendar_interval":"month"}}`, `"a":{"buckets":[]}`},
	})
}

func TestAutoDateHistogram(t *testing.T) {
	checkTable(t, newYearData, []aggCase{
		{"years", "", `"a":{"auto_date_histogram":{"field":"Data.d","buckets":3,"format":"yyyy"}}`,
			`"a":{"buckets":[{"key_as_string":"2020","key":1577836800000,"doc_count":2},{"key_as_string":"2021","key":1609459200000,"doc_count":3}],"interval":"1y"}`},
		{"three months, from the first date on", "", `"a":{"auto_date_histogram":{"field":"Data.d","format":"yyyy-MM"}}`,
			`"a":{"buckets":[{"key_as_string":"2020-02","key":1580515200000,"doc_count":1},{"key_as_string":"2020-05","key":1588291200000,"doc_count":0},
				{"key_as_string":"2020-08","key":1596240000000,"doc_count":0},{"key_as_string":"2020-11","key":1604188800000,"doc_count":4}],"interval":"3M"}`},
		{"twelve hours", `{"range":{"Data.d":{"gte":"2021-01-03"}}}`, `"a":{"auto_date_histogram":{"field":"Data.d","buckets":3}}`,
			`"a":{"buckets":[{"key_as_string":"2021-01-03T00:00:00.000Z","key":1609632000000,"doc_count":1},{"key_as_string":"2021-01-03T12:00:00.000Z","key":1609675200000,"doc_count":0},{"key_as_string":"2021-01-04T00:00:00.000Z","key":1609718400000,"doc_count":1}],"interval":"12h"}`},
		{"at least days", `{"range":{"Data.d":{"gte":"2021-01-03"}}}`, `"a":{"auto_date_histogram":{"field":"Data.d","minimum_interval":"day"}}`,
			`"a":{"buckets":[{"key_as_string":"2021-01-03T00:00:00.000Z","key":1609632000000,"doc_count":1},{"key_as_string":"2021-01-04T00:00:00.000Z","key":1609718400000,"doc_count":1}],"interval":"1d"}`},
		{"one date", `{"term":{"Data.d":"2020-02-29"}}`, `"a":{"auto_date_histogram":{"field":"Data.d"},"aggs":{"c":{"value_count":{"field":"Data.d"}}}}`,
			`"a":{"buckets":[{"key_as_string":"2020-02-29T00:00:00.000Z","key":1582934400000,"doc_count":1,"c":{"value":1}}],"interval":"1s"}`},
		{"no match", `{"match_none":{}}`, `"a":{"auto_date_histogram":{"field":"Data.d"}}`, `"a":{"buckets":[],"interval":"1s"}`},
	})
	checkTable(t, springData, []aggCase{
		{"twelve hours of a zone, one of which clocks skip", "", `"a":{"auto_date_histogram":{"field":"Data.d","buckets":3,"time_zone":"Europe/Berlin"}}`,
			`"a":{"buckets":[{"key_as_string":"2021-03-27T23:00:00.000+01:00","key":1616882400000,"doc_count":3},{"key_as_string":"2021-03-28T12:00:00.000+02:00","key":1616925600000,"doc_count":1},
				{"key_as_string":"2021-03-29T00:00:00.000+02:00","key":1616968800000,"doc_count":1}],"interval":"12h"}`},
		{"seven days of a zone", "", `"a":{"auto_date_histogram":{"field":"Data.d","buckets":2,"time_zone":"Europe/Berlin"}}`,
			`"a":{"buckets":[{"key_as_string":"2021-03-27T00:00:00.000+01:00","key":1616799600000,"doc_count":4}],"interval":"7d"}`},
		{"missing", `{"range":{"Data.n":{"gte":4}}}`, `"a":{"auto_date_histogram":{"field":"Data.d","buckets":1,"missing":"2021-03-29","format":"yyyy-MM-dd"}}`,
			`"a":{"buckets":[{"key_as_string":"2021-03-28","key":1616968800000,"doc_count":2}],"interval":"3h"}`},
		{"missing in its zone", `{"range":{"Data.n":{"gte":5}}}`, `"a":{"auto_date_histogram":{"field":"Data.d","missing":"2021-03-29","time_zone":"Europe/Berlin"}}`,
			`"a":{"buckets":[{"key_as_string":"2021-03-29T00:00:00.000+02:00","key":1616968800000,"doc_count":1}],"interval":"1s"}`},
	})
}
