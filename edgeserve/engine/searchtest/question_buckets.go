// This file makes aggregations into buckets, by the values of any field.

package searchtest

import "fmt"

// buckets is an aggregation into buckets by values that suit it, perhaps with others inside.
func (a *asker) buckets(depth int) object {
	f := a.typedField()
	var of object
	switch {
	case a.oneIn(4):
		of = object{"terms": a.terms(f)}
	case a.oneIn(4) && depth > 0: // composites are at the top
		of = object{"composite": a.composite()}
	case a.kinds[f] == onDate:
		of = a.dateBuckets(f)
	case a.kinds[f] == onNumber:
		of = a.numberBuckets(f)
	default:
		of = object{"terms": a.terms(f)}
	}
	if depth > 0 && a.oneIn(2) {
		inside := object{"m": object{pick(a.Rand, []string{"min", "max", "value_count"}): object{"field": a.typedField()}}}
		if a.oneIn(2) {
			inside["b"] = a.buckets(0)
		}
		if a.oneIn(3) {
			hits := object{"size": 1 + a.IntN(2), "_source": false, "sort": []any{object{a.typedField(): object{"order": pick(a.Rand, []string{"asc", "desc"})}}}}
			inside["h"] = object{"top_hits": hits}
		}
		of["aggs"] = inside
	}
	return of
}

// typedField is a field of numbers, dates or booleans, or a keyword.
func (a *asker) typedField() string {
	if len(a.typed) == 0 || a.oneIn(6) {
		return pick(a.Rand, []string{"Name.keyword", "TemplateName.keyword", "CreatedAt"})
	}
	return pick(a.Rand, a.typed)
}

func (a *asker) terms(f string) object {
	c := object{"field": f}
	option(a, c, 2, "size", 1, 3, 100)
	option(a, c, 3, "order", object{"_key": "asc"}, object{"_key": "desc"}, object{"_count": "asc"})
	if c["order"] == nil { // by others, Elasticsearch looks at min_doc_count too late
		option(a, c, 4, "min_doc_count", 1, 2)
	}
	if a.kinds[f] == onDate {
		option(a, c, 3, "format", dateFormats...)
	}
	if a.kinds[f] == onNumber {
		option(a, c, 3, "format", numberFormats...)
	}
	return c
}

var (
	dateFormats   = []string{"yyyy-MM-dd", "epoch_millis", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "strict_date_optional_time", "yyyy"}
	numberFormats = []string{"0", "0.00", "#,##0.###"}
	zones         = []string{"Europe/Berlin", "Europe/London", "America/New_York", "+05:30", "-03:00", "Z", "Asia/Kolkata"}
	calendar      = []string{"minute", "hour", "day", "week", "month", "quarter", "year", "1d", "1M"}
	fixed         = []string{"30m", "1h", "12h", "1d", "7d", "90d"}
)

// interval sets the interval of a date_histogram: none so short that there are too many buckets.
func (a *asker) interval(c object) {
	if c["min_doc_count"] = 1; a.oneIn(3) {
		c["fixed_interval"] = pick(a.Rand, fixed)
		return
	}
	c["calendar_interval"] = pick(a.Rand, calendar)
}

func (a *asker) dateBuckets(f string) object {
	c := object{"field": f}
	if a.oneIn(3) {
		option(a, c, 3, "format", dateFormats...)
		option(a, c, 3, "time_zone", zones...)
		option(a, c, 4, "keyed", true)
		var rs []any
		for range 1 + a.IntN(3) { // not now, which the engines read one after the other
			r := object{}
			option(a, r, 2, "from", any(pick(a.Rand, dates[:isoDates])), "2024-03-31", "now-1y/y", "2024-03-10||/M", 1709251200000)
			option(a, r, 2, "to", any(pick(a.Rand, dates[:isoDates])), "2024-10-27", "2024-10-27T12||/d", 1711843200000)
			if len(r) > 0 {
				rs = append(rs, r)
			}
		}
		c["ranges"] = append(rs, object{"to": "2024-01-01"})
		return object{"date_range": c}
	}
	a.interval(c)
	option(a, c, 3, "time_zone", zones...)
	option(a, c, 4, "offset", "+6h", "-1d", "30m")
	option(a, c, 4, "format", dateFormats...)
	option(a, c, 4, "order", object{"_key": "desc"}, object{"_count": "desc"})
	option(a, c, 6, "keyed", true)
	option(a, c, 6, "missing", any("2024-03-31"), 1709251200000)
	return object{"date_histogram": c}
}

func (a *asker) numberBuckets(f string) object {
	c := object{"field": f}
	if a.oneIn(2) {
		c["ranges"] = []any{object{"to": 0}, object{"from": 0, "to": 10.5}, object{"from": pick(a.Rand, []any{16777216.5, 9007199254740993, 0.1, -1}), "key": "k"}}
		option(a, c, 4, "keyed", true)
		option(a, c, 4, "missing", 3)
		option(a, c, 4, "format", numberFormats...)
		return object{"range": c}
	}
	c["interval"], c["min_doc_count"] = pick(a.Rand, []any{0.1, 0.7, 1, 5, 1000, 1e15}), 1
	option(a, c, 3, "offset", 0.1, 3, -2.5)
	option(a, c, 4, "missing", 0, -7.5)
	option(a, c, 6, "keyed", true)
	option(a, c, 4, "format", numberFormats...)
	return object{"histogram": c}
}

// composite has up to three sources, and often begins after a key.
func (a *asker) composite() object {
	var sources []any
	after := object{}
	for i := range 1 + a.IntN(3) {
		f, name := a.typedField(), fmt.Sprint("s", i)
		s := object{"field": f}
		option(a, s, 3, "order", "asc", "desc")
		option(a, s, 3, "missing_bucket", true, false)
		kind := "terms"
		switch {
		case a.oneIn(2):
		case a.kinds[f] == onDate:
			kind = "date_histogram"
			a.interval(s)
			delete(s, "min_doc_count")
			option(a, s, 3, "time_zone", zones...)
			option(a, s, 3, "format", dateFormats...)
		case a.kinds[f] == onNumber:
			kind = "histogram"
			s["interval"] = pick(a.Rand, []any{0.5, 1, 10, 1000})
		}
		if after[name] = a.fitting(f); a.kinds[f] == onDate && s["format"] == nil {
			after[name] = pick(a.Rand, []any{1704067200000, 1711843200000, 1709251200000, 0, -86400000})
		}
		sources = append(sources, object{name: object{kind: s}})
	}
	c := object{"sources": sources}
	option(a, c, 2, "size", 1, 3, 20)
	if a.oneIn(2) {
		c["after"] = after
	}
	return c
}
