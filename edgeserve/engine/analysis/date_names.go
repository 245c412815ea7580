// This file has the names of date formats, as in Elasticsearch.

package analysis

import "strings"

// dateNames are the patterns of names. An empty pattern means ISO dates of any length. Other names may
// also begin with strict_. Without strict_, most names also read numbers of one digit.
var dateNames = map[string]string{
	"date_optional_time": "", "date_optional_time_nanos": "", "iso8601": "", "date_time": "", // as ISO dates
	"date_time_no_millis": "uuuu-MM-dd'T'HH:mm:ssVV", "strict_date_time_no_millis": "uuuu-MM-dd'T'HH:mm:ssXXX",
	"date": "uuuu-MM-dd", "year_month_day": "uuuu-MM-dd", "basic_date": "uuuuMMdd",
	"year": "u", "strict_year": "uuuu", "year_month": "uuuu-MM",
	"date_hour": "uuuu-MM-dd'T'HH", "date_hour_minute": "uuuu-MM-dd'T'HH:mm", "date_hour_minute_second": "uuuu-MM-dd'T'HH:mm:ss",
	"date_hour_minute_second_millis": "uuuu-MM-dd'T'HH:mm:ss.SSS", "date_hour_minute_second_fraction": "uuuu-MM-dd'T'HH:mm:ss.SSS",
	"hour": "HH", "hour_minute": "HH:mm", "hour_minute_second": "HH:mm:ss",
	"hour_minute_second_millis": "HH:mm:ss.SSS", "hour_minute_second_fraction": "HH:mm:ss.SSS",
	"time": "HH:mm:ss.SSSXXX", "time_no_millis": "HH:mm:ssXXX", "t_time": "'T'HH:mm:ss.SSSXXX", "t_time_no_millis": "'T'HH:mm:ssXXX",
	"basic_time": "HHmmss.SSSXXX", "basic_time_no_millis": "HHmmssXXX", "basic_t_time": "'T'HHmmss.SSSXXX", "basic_t_time_no_millis": "'T'HHmmssXXX",
	"basic_date_time": "uuuuMMdd'T'HHmmss.SSSXXX", "basic_date_time_no_millis": "uuuuMMdd'T'HHmmssXXX",
	"ordinal_date": "uuuu-DDD", "ordinal_date_time": "uuuu-DDD'T'HH:mm:ss.SSSXXX", "ordinal_date_time_no_millis": "uuuu-DDD'T'HH:mm:ssXXX",
	"basic_ordinal_date": "uuuuDDD", "basic_ordinal_date_time": "uuuuDDD'T'HHmmss.SSSXXX", "basic_ordinal_date_time_no_millis": "uuuuDDD'T'HHmmssXXX",
	"week_date": "YYYY-'W'ww-e", "week_date_time": "YYYY-'W'ww-e'T'HH:mm:ss.SSSXXX", "week_date_time_no_millis": "YYYY-'W'ww-e'T'HH:mm:ssXXX",
	"basic_week_date": "YYYY'W'wwe", "basic_week_date_time": "YYYY'W'wwe'T'HHmmss.SSSX", "basic_week_date_time_no_millis": "YYYY'W'wwe'T'HHmmssX",
	"weekyear": "YYYY", "weekyear_week": "YYYY-'W'ww", "weekyear_week_day": "YYYY-'W'ww-e",
}

// singleLetters changes a pattern to one that also takes numbers without leading zeros.
var singleLetters = strings.NewReplacer("uuuu", "u", "MM", "M", "dd", "d", "DDD", "D", "HH", "H", "mm", "m", "ss", "s")

// readForms are patterns for reading, of names that read more forms of dates than they write.
var readForms = map[string][]string{
	"date_time":                  {"u-M-d'T'H:mVV", "u-M-d'T'H:m:s.SVV"},
	"strict_date_time":           {"uuuu-MM-dd'T'HH:mm:ssVV", "uuuu-MM-dd'T'HH:mm:ss.SVV"},
	"date_time_no_millis":        {"u-M-d'T'H:m", "u-M-d'T'H:mVV", "u-M-d'T'H:m:s", "u-M-d'T'H:m:sVV"},
	"strict_date_time_no_millis": {"uuuu-MM-dd'T'HH:mm:ssVV"},
}

// patternOf returns the pattern of a name, or the name itself if it is a pattern.
func patternOf(name string) (pattern string, named bool) {
	base, strict := strings.CutPrefix(name, "strict_")
	switch {
	case strict && strings.HasPrefix(base, "basic_") && !strings.HasPrefix(base, "basic_week"), strings.HasPrefix(base, "strict_"), name == "date_optional_time_nanos":
		return name, false
	}
	for _, known := range []string{name, base} {
		if pattern, named = dateNames[known]; named {
			return pattern, true
		}
	}
	return name, false
}

// readerOf returns the format that reads dates by a name or a pattern.
func readerOf(name string) (dateFormat, error) {
	base, strict := strings.CutPrefix(name, "strict_")
	switch name {
	case "epoch_millis", "epoch_second":
		return epochFormat(name == "epoch_second"), nil
	case "date_optional_time":
		return isoFormat(true, true), nil
	case "date", "strict_year_month_day": // months and days are optional
		return isoFormat(!strict, false), nil
	}
	pattern, named := patternOf(name)
	if named && pattern == "" && readForms[name] == nil {
		return isoFormat(false, true), nil
	}
	lenient := named && !strict && !strings.HasPrefix(base, "basic_")
	forms := readForms[name]
	switch {
	case forms != nil:
	case lenient:
		forms = []string{singleLetters.Replace(pattern)}
	default:
		forms = []string{pattern}
	}
	var list []dateFormat
	for _, form := range forms {
		parts, err := dateParts(form)
		if err == nil {
			err = readable(form, parts)
		}
		if err != nil {
			return nil, err
		}
		if named {
			loosen(parts, lenient)
		}
		list = append(list, patternFormat(parts))
	}
	return anyFormat(list), nil
}

// loosen sets how many digits the numbers of a name may have in dates that are read.
func loosen(parts []datePart, lenient bool) {
	for i := range parts {
		p := &parts[i]
		switch {
		case p.letter == 'S':
			if p.least, p.most = 1, nanoDigits; lenient && p.width == 3 {
				p.most = 3
			}
		case lenient && p.letter == 'D':
			p.most = 3
		case p.letter == 'u':
		case lenient && p.most > 0:
			p.most, p.sign = 2, noSign
		}
	}
}
