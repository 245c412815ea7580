// This file says by examples what types paths get from their values, what sub-fields
// there are, and which questions a path of any type answers.

package searchtest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
)

// typeItems have paths of every type, strings that read as numbers, dates and booleans,
// and one title of four that is a date.
var typeItems = []string{
	`{"ContentID":"A","CreatedAt":"2021-04-03T08:00:00.000Z","Name":"a","Data":{"title":"2021-04-23","rank":1,"price":1.5,"live":true,"mixed":"12",
		"createdDate":"2023-05-08T00:00:00.000Z","file":{"Extension":"pdf","Size":"204800"},"days":["2020-01-31","2021-02-28"]}}`,
	`{"ContentID":"B","CreatedAt":"2021-04-28T09:00:00.000Z","Name":"b","Data":{"title":"the quick report","rank":10,"price":2,"mixed":12,
		"createdDate":"2023-05-08T12:30:00.000Z","file":{"Extension":"PDF","Size":"1048577"}}}`,
	`{"ContentID":"C","CreatedAt":"2021-05-01T10:00:00.000Z","Name":"c","Data":{"title":"a report of 2021-04-23","rank":2,"live":false,"mixed":true,
		"createdDate":"2023-05-09T00:00:00.000Z","file":{"Extension":"doc","Size":"about 3 MB"},"part":{"long":"x"}}}`,
	`{"ContentID":"D","CreatedAt":"2022-04-01T11:00:00.000Z","Name":"d","Data":{"title":"Quick","rank":[21,-7],"price":2.25,"mixed":"true",
		"createdDate":"2024-01-01","file":{"Extension":"doc","Size":512},"part":"30"},"_id":"A"}`,
}

// typeCase is a body and the items that it finds, by ContentID; refused is an error.
type typeCase struct{ name, body, want string }

const refused = "refused"

// typeQueries are the queries of bodies whose matches come by ContentID.
var typeQueries = []typeCase{
	{"a path that is a value in one item and an object in another", `{"exists":{"field":"Data.part"}}`, "C D"},
	{"a day, as a prefix of an instant", `{"match_phrase_prefix":{"Data.createdDate":"2023-05-08"}}`, "A B"},
	{"an hour, as a prefix of an instant", `{"match_phrase_prefix":{"Data.createdDate":"2023-05-08T1"}}`, "B"},
	{"a month, as a prefix of an instant", `{"match_phrase_prefix":{"Data.createdDate":"2023-05"}}`, "A B C"},
	{"the last words of a date", `{"match_phrase_prefix":{"Data.createdDate":"05-09"}}`, "C"},
	{"a phrase in one value only", `{"match_phrase_prefix":{"Data.days":{"query":"31-2021","slop":200}}}`, ""},
	{"a phrase out of order", `{"match_phrase_prefix":{"Data.days":{"query":"01-2020","slop":2}}}`, "A"},
	{"no words", `{"match_phrase_prefix":{"Data.rank":"-"}}`, ""},
	{"no words, all", `{"match_phrase_prefix":{"Data.rank":{"query":"-","zero_terms_query":"all"}}}`, "A B C D"},
	{"a phrase prefix on numbers", `{"match_phrase_prefix":{"Data.price":"2"}}`, "B D"},
	{"a phrase prefix on booleans", `{"match_phrase_prefix":{"Data.live":"fal"}}`, "C"},
	{"a phrase prefix on whole values", `{"match_phrase_prefix":{"Data.rank.keyword":"1"}}`, refused},
	{"a phrase that is a date", `{"match_phrase":{"Data.createdDate":"2023-05-08"}}`, "A B"},
	{"a phrase that is none", `{"match_phrase":{"Data.createdDate":"08T12"}}`, "B"},
	{"a quoted text that is not a date", `{"query_string":{"query":"Data.createdDate:\"08T12\""}}`, "B"},
	{"a phrase that is not a number", `{"match_phrase":{"Data.rank":"one"}}`, ""},

	{"a month by wildcard", `{"wildcard":{"CreatedAt":"2021-04*"}}`, "A B"},
	{"a wildcard in any case", `{"wildcard":{"CreatedAt":"*t0?:*z"}}`, "A B"},
	{"a wildcard in this case", `{"wildcard":{"CreatedAt":{"value":"*t0?:*z","case_insensitive":false}}}`, ""},
	{"numbers by wildcard", `{"wildcard":{"Data.rank":"1*"}}`, "A B"},
	{"any of several numbers by wildcard", `{"wildcard":{"Data.rank":"-*"}}`, "D"},
	{"fractions by wildcard", `{"wildcard":{"Data.price":"*.*"}}`, "A D"},
	{"booleans by prefix", `{"prefix":{"Data.live":"tr"}}`, "A"},
	{"numbers by prefix", `{"prefix":{"Data.rank":"2"}}`, "C D"},
	{"a boolean in any case", `{"term":{"Data.live":{"value":"TRUE","case_insensitive":true}}}`, "A"},
	{"numbers by regular expression", `{"query_string":{"query":"Data.rank:/1.?/"}}`, "A B"},
	{"a malformed regular expression", `{"query_string":{"query":"Data.rank:/1(/","lenient":false}}`, refused},
	{"numbers with a mistake", `{"query_string":{"query":"Data.rank:20~1"}}`, "B C D"},
	{"a match with a mistake", `{"match":{"Data.rank":{"query":"20","fuzziness":1}}}`, "B C D"},
	{"dates by prefix in a query string", `{"query_string":{"query":"CreatedAt:2021-04*"}}`, "A B"},
	{"dates by prefix in a simple query string", `{"simple_query_string":{"query":"2021-04*","fields":["CreatedAt"]}}`, "A B"},
	{"dates by prefix among some fields", `{"query_string":{"query":"2021-04*","fields":["Data.rank","Cr*"]}}`, "A B"},
	{"all fields: no text form", `{"query_string":{"query":"2021-04*"}}`, "A"},
	{"all fields: no error either", `{"query_string":{"query":"2021-04*","lenient":false}}`, "A"},
	{"all fields by pattern", `{"query_string":{"query":"*:2021-0*"}}`, "A"},

	{"a word among words and dates", `{"match":{"Data.title":"report"}}`, "B C"},
	{"a word over all fields", `{"query_string":{"query":"report"}}`, "B C"},
	{"words in any case", `{"match":{"Data.title":"QUICK"}}`, "B D"},
	{"a date among words", `{"match_phrase":{"Data.title":"2021-04-23"}}`, "A C"},
	{"a title as a date", `{"range":{"Data.title.date":{"gte":"2021-04","lt":"2022"}}}`, "A"},

	{"sizes as strings", `{"range":{"Data.file.Size.long":{"gte":"0","lte":"1048576"}}}`, "A D"},
	{"sizes above", `{"range":{"Data.file.Size.double":{"gt":204800}}}`, "B"},
	{"a size as a number", `{"term":{"Data.file.Size.long":204800}}`, "A"},
	{"a size as a string", `{"term":{"Data.file.Size.keyword":"512"}}`, "D"},
	{"whose size is a number", `{"exists":{"field":"Data.file.Size.long"}}`, "A B D"},
	{"whose kind is one: none", `{"exists":{"field":"Data.file.Extension.long"}}`, ""},
	{"an unfilled sub-field takes any value", `{"range":{"Data.file.Extension.long":{"gte":"many"}}}`, ""},
	{"a filled one does not", `{"range":{"Data.file.Size.long":{"gte":"many"}}}`, refused},
	{"a size by wildcard", `{"wildcard":{"Data.file.Size":"*8*"}}`, "A B"},
	{"a size that is a number, by wildcard", `{"wildcard":{"Data.file.Size.long":"*b*"}}`, ""},
	{"sub-fields by pattern", `{"exists":{"field":"Data.f*.long"}}`, "A B D"},
	{"a word in sub-fields by pattern", `{"query_string":{"query":"512","fields":["Data.f*.double"]}}`, "D"},
	{"a pattern that spells none", `{"query_string":{"query":"21","fields":["Data.r*keyword"]}}`, ""},
	{"a pattern of keywords reaches keywords of text", `{"query_string":{"query":"21","fields":["Data.r*.keyword"]}}`, ""},

	{"a number among strings", `{"term":{"Data.mixed":"12"}}`, "A B"},
	{"a boolean among strings", `{"match":{"Data.mixed":"True"}}`, "C D"},
	{"as booleans", `{"term":{"Data.mixed.boolean":true}}`, "C D"},
	{"as numbers", `{"range":{"Data.mixed.double":{"gt":11.5}}}`, "A B"},
	{"a number as a date", `{"range":{"Data.mixed.date":{"lte":"1970"}}}`, "A B"},
	{"a number as a whole value", `{"terms":{"Data.rank.keyword":["1","-7"]}}`, "A D"},
	{"integers and fractions together", `{"range":{"Data.price":{"gt":1.75}}}`, "B D"},
	{"a fraction cut towards zero", `{"term":{"Data.price.long":1}}`, "A"},
	{"a member named like a sub-field", `{"match":{"Data.part.long":"x"}}`, "C"},
	{"a member hides the sub-field", `{"range":{"Data.part.long":{"gte":"2","lt":"4"}}}`, ""},
	{"and leaves the others", `{"range":{"Data.part.double":{"gte":"2","lt":"40"}}}`, "D"},

	{"a value that is not a number", `{"range":{"Data.rank":{"gte":"abc"}}}`, refused},
	{"a word that is not a number", `{"match":{"Data.rank":"abc"}}`, refused},
	{"the same, lenient", `{"match":{"Data.rank":{"query":"abc","lenient":true}}}`, ""},
	{"a mistake, lenient", `{"match":{"Data.rank":{"query":"20","fuzziness":1,"lenient":true}}}`, ""},
	{"a prefix, lenient", `{"query_string":{"query":"Data.rank:2* Data.title:quick","lenient":true}}`, "B D"},
	{"a pattern, lenient, in a field of a list", `{"query_string":{"query":"/2.?/","fields":["Data.rank","Name"],"lenient":true}}`, ""},
	{"a simple prefix, lenient", `{"simple_query_string":{"query":"2021-04*","fields":["CreatedAt"],"lenient":true}}`, ""},
	{"a phrase of several fields, lenient", `{"multi_match":{"query":"08T12","type":"phrase","fields":["Data.createdDate","Data.title"],"lenient":true}}`, ""},
	{"a fraction with a suffix", `{"term":{"Data.price":"2.25f"}}`, "D"},
	{"a fraction in white space", `{"range":{"Data.price.double":{"lt":" 2 "}}}`, "A"},
	{"a hexadecimal fraction", `{"match":{"Data.rank.double":"0x1.4p3"}}`, "B"},
	{"an integer with a suffix", `{"term":{"Data.rank":"10f"}}`, refused},
	{"an integer in white space", `{"match":{"Data.rank":"10 "}}`, refused},
	{"no integer in white space", `{"match_phrase":{"Data.rank":"2.5 "}}`, ""},
	{"a bound with a suffix", `{"range":{"Data.rank":{"gt":"2.5f"}}}`, refused},
	{"a number too small to be a fraction", `{"range":{"Data.rank":{"gt":"1e-400","lt":"2"}}}`, "A"},
	{"a number of too many digits to be a fraction", `{"range":{"Data.rank":{"gte":"9.99999999999999999999","lte":"1e1"}}}`, "B"},
	{"what is not a number", `{"terms":{"Data.rank":["NaN","Infinity",2]}}`, "C"},
	{"what no fraction is", `{"term":{"Data.rank.double":"Infinity"}}`, refused},
	{"below infinity", `{"range":{"Data.rank.double":{"lt":"Infinity","gt":"-Infinity"}}}`, "A B C D"},
	{"below infinity, of 32 bits", `{"range":{"Data.price":{"lt":"Infinity"}}}`, refused},
	{"words that must not match, of which one has to", `{"simple_query_string":{"query":"-quick-report","fields":["Data.title"],"minimum_should_match":"50%"}}`, "A"},
	{"a minimum of words, below a field's boost", `{"query_string":{"query":"quick report","fields":["Data.title^2"],"minimum_should_match":2}}`, "B"},
	{"the same of an analyzed prefix", `{"query_string":{"query":"quick-rep*","fields":["Data.title^2"],"analyze_wildcard":true,"minimum_should_match":"100%"}}`, "B"},
	{"the same, simple", `{"simple_query_string":{"query":"quick-rep*","fields":["Data.title"],"analyze_wildcard":true,"minimum_should_match":2}}`, "B"},
	{"the same below a boost, which hides the words", `{"simple_query_string":{"query":"quick-rep*","fields":["Data.title^2"],"analyze_wildcard":true,"minimum_should_match":2}}`, "B C D"},
	{"a term that is not a date", `{"term":{"Data.createdDate":"yesterday"}}`, refused},

	{"_id: term", `{"term":{"_id":"A"}}`, "A"},
	{"_id: terms", `{"terms":{"_id":["A","C","x"]}}`, "A C"},
	{"_id: match", `{"match":{"_id":"B"}}`, "B"},
	{"_id: ids", `{"ids":{"values":["D"]}}`, "D"},
	{"_id: query_string", `{"query_string":{"query":"_id:(A OR B)"}}`, "A B"},
	{"_id: default field", `{"query_string":{"query":"C","default_field":"_id"}}`, "C"},
	{"_id: multi_match", `{"multi_match":{"query":"C","fields":["_id","Name"]}}`, "C"},
	{"_id: exists", `{"exists":{"field":"_id"}}`, "A B C D"},
	{"_id: prefix", `{"prefix":{"_id":"D"}}`, "D"},
	{"_id: wildcard", `{"wildcard":{"_id":"?"}}`, "A B C D"},
	{"_id: wildcard in this case", `{"wildcard":{"_id":"a"}}`, ""},
	{"_id: range", `{"range":{"_id":{"gt":"A","lte":"C"}}}`, "B C"},
	{"_id: regular expression", `{"query_string":{"query":"_id:/[B-C]/"}}`, "B C"},
}

// typeSorts are whole bodies, whose order counts.
var typeSorts = []typeCase{
	{"numbers in strings", `{"sort":["Data.file.Size.long"]}`, "D A B C"},
	{"downwards, those without last", `{"sort":[{"Data.file.Size.long":"desc"}]}`, "B A D C"},
	{"whole values", `{"sort":["Data.file.Size.keyword"]}`, "B A D C"},
	{"dates in strings", `{"sort":["Data.title.date",{"ContentID":"desc"}]}`, "A D C B"},
	{"booleans in anything", `{"sort":[{"Data.mixed.boolean":"asc"},{"_id":"desc"}]}`, "D C B A"},
	{"the least of several", `{"sort":["Data.rank.double"]}`, "D A C B"},
	{"the greatest of several", `{"sort":[{"Data.rank.double":"desc"}]}`, "D B C A"},
	{"texts of numbers, booleans, strings", `{"sort":["Data.mixed"]}`, "B A D C"},
	{"a path that no item has", `{"sort":["Data.nope",{"ContentID":"desc"}]}`, "D C B A"},
	{"a sub-field that no value fills", `{"sort":[{"Data.file.Extension.long":"asc"},"ContentID"]}`, "A B C D"},
	{"_id", `{"sort":[{"_id":"desc"}]}`, "D C B A"},
	{"another name", `{"sort":["nope"]}`, refused},
	{"an object", `{"sort":["Data"]}`, refused},
	{"no name below it", `{"sort":["Data."]}`, refused},
	{"a letter of its case", `{"query":{"wildcard":{"Data.title.keyword":{"value":"\\Quick","case_insensitive":true}}}}`, "D"},
	{"and of another", `{"query":{"wildcard":{"Data.title.keyword":{"value":"\\quick","case_insensitive":true}}}}`, ""},
}

// typePages are whole bodies that the twin does not know.
var typePages = []typeCase{
	{"the same boost twice", `{"query":{"simple_query_string":{"query":"b","fields":["Name^0","Name"]}},"min_score":0.1}`, ""},
	{"what several fields have scores for each", `{"query":{"query_string":{"query":"*","fields":["Name","Data.live"],"type":"most_fields"}},"min_score":1.5}`, "C A"},
	{"no page after only scores", `{"sort":["_score"],"search_after":[1]}`, refused},
	{"the page after a text that none has", `{"sort":[{"Data.nope":{"missing":"AND"}}],"search_after":["tide"]}`, ""},
	{"the page before it", `{"sort":[{"Data.nope":{"missing":"AND"}},"ContentID"],"search_after":["A","C"]}`, "A B C D"},
	{"the page after none, where a text stands for it", `{"sort":[{"Data.file.Size.keyword":{"missing":"zzz"}},"ContentID"],"search_after":[null,""]}`, "B A D C"},
	{"texts of mixed kinds after one", `{"sort":["Data.mixed"],"search_after":["12"]}`, "D C"},
}

func testTypes(t *testing.T, open Open) {
	e := newEnv(t, open, compact(t, typeItems))
	cases := slices.Concat(typeSorts, metadataSorts)
	name := e.r.Env()
	ofName := strings.NewReplacer("ENV", name, "CAPITALS", strings.ToUpper(name), "BEGIN", name[:2])
	for _, c := range slices.Concat(typeQueries, metadataQueries) {
		c.body = ofName.Replace(c.body)
		cases = append(cases, typeCase{c.name, `{"query":` + c.body + `,"sort":["ContentID"]}`, c.want})
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := e.found(t, c.body); got != c.want {
				t.Errorf("%s finds %q, want %q", c.body, got, c.want)
			}
			if got := e.foundByTwin(t, c.body); got != c.want {
				t.Errorf("%s: the twin finds %q, want %q", c.body, got, c.want)
			}
		})
	}
	for _, c := range typePages {
		if got := e.found(t, c.body); got != c.want {
			t.Errorf("%s: %s finds %q, want %q", c.name, c.body, got, c.want)
		}
	}
}

// found is the ContentIDs that a body finds.
func (e *env) found(t *testing.T, text string) string {
	b, err := body.Parse([]byte(text))
	if err != nil {
		t.Fatal(text, err)
	}
	res, err := e.eval(b, 0, whole)
	var fault *query.Error
	switch {
	case errors.As(err, &fault):
		return refused
	case err != nil:
		t.Fatal(text, err)
	}
	return strings.Join(e.twin.names(res.Docs), " ")
}

// foundByTwin is found for the twin.
func (e *env) foundByTwin(t *testing.T, text string) string {
	b, err := body.Parse([]byte(text))
	if err != nil {
		t.Fatal(text, err)
	}
	rank, ok := e.twin.ranking(b.Order.Keys)
	h, err := e.twin.search(b.Query)
	if err != nil || !ok {
		return refused
	}
	var docs []int
	for i, s := range h {
		if s >= 0 {
			docs = append(docs, i)
		}
	}
	slices.SortFunc(docs, func(x, y int) int {
		sign, _ := rank.compare(h, x, y)
		return sign
	})
	var ids []string
	for _, d := range docs {
		ids = append(ids, e.twin.ids[d])
	}
	return strings.Join(ids, " ")
}
