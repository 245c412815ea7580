// This file draws and writes options of hits, which only Lucene and Elasticsearch have too.

package queries

import (
	"math"
	"strconv"
)

// The kinds of options. The arguments of each begin with a field and a word in the field.
const (
	DocvalueFields Kind = "docvalues"  // field, word, field of dates, field of numbers, field of names
	WrittenFields  Kind = "written"    // field, word, field of dates, field of numbers, field of names
	PostFilter     Kind = "postfilter" // field, word, field of names, one of its values
	MinScore       Kind = "minscore"   // field, word, word, least score of a match
)

// setOption adds an option to a body.
func setOption(b object, kind Kind, a []string) {
	switch kind {
	case DocvalueFields:
		b["docvalue_fields"] = []any{a[2], a[3], a[4] + ".keyword"}
	case WrittenFields:
		b["fields"] = []any{a[2], a[3], a[4]}
	case PostFilter:
		b["post_filter"] = object{"term": object{a[2] + ".keyword": a[3]}}
		b["aggs"] = object{"values": object{"terms": object{"field": a[2] + ".keyword"}}}
	case MinScore:
		b["query"], b["min_score"] = match(a[0], a[1]+" "+a[2]), number(a[3])
	}
}

// shown draws a word, for fields that hits show.
func (d *drawer) shown() []string {
	if d.number == "" {
		return nil
	}
	return append(d.words(d.regular), updatedField, d.number, templateField)
}

// least draws two words and a score near the score of the less frequent word in a text of average length.
func (d *drawer) least() []string {
	args := d.words(d.regular, d.regular)
	n := float64(min(d.df[args[1]], d.df[args[2]]))
	idf := math.Log(1 + (float64(len(d.items))-n+0.5)/(n+0.5))
	return append(args, strconv.FormatFloat(idf, 'f', 3, 64))
}
