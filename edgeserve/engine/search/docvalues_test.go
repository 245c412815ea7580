package search_test

import (
	"testing"

	"contentedge/edgeserve/engine/searchtest"
)

// Doc values are in order. Those of numbers, dates and booleans are as often as an item has them, those
// of strings once, as in Elasticsearch 7.10.2.
func TestRepeatedDocValues(t *testing.T) {
	r := searchtest.Snaptest(t, []string{
		`{"ContentID":"a","Data":{"n":[5,3,5,12345678901234567],"f":[1.5,[1.5,0.1]],"b":[true,false,true],"d":["2024-03-01T08:00:00Z","2024-03-01T10:00:00+02:00","2023-01-01"],"s":["b","a","b"],"m":["7","x","7"]}}`,
		`{"ContentID":"b","Data":{"n":7,"f":2.5,"b":true,"d":"2024-01-01","s":"x","m":8}}`,
		`{"ContentID":"c"}`,
	})
	for field, want := range map[string]string{
		`"Data.n"`:                           `[{"_id":"a","_score":null,"fields":{"Data.n":[3,5,5,12345678901234567]},"sort":["a"]},{"_id":"b","_score":null,"fields":{"Data.n":[7]},"sort":["b"]},{"_id":"c","_score":null,"sort":["c"]}]`,
		`{"field":"Data.n","format":"0.0"}`:  `[{"_id":"a","_score":null,"fields":{"Data.n":["3.0","5.0","5.0","12345678901234567.0"]},"sort":["a"]},{"_id":"b","_score":null,"fields":{"Data.n":["7.0"]},"sort":["b"]},{"_id":"c","_score":null,"sort":["c"]}]`,
		`"Data.f"`:                           `[{"_id":"a","_score":null,"fields":{"Data.f":[0.10000000149011612,1.5,1.5]},"sort":["a"]},{"_id":"b","_score":null,"fields":{"Data.f":[2.5]},"sort":["b"]},{"_id":"c","_score":null,"sort":["c"]}]`,
		`"Data.b"`:                           `[{"_id":"a","_score":null,"fields":{"Data.b":[false,true,true]},"sort":["a"]},{"_id":"b","_score":null,"fields":{"Data.b":[true]},"sort":["b"]},{"_id":"c","_score":null,"sort":["c"]}]`,
		`{"field":"Data.d","format":"yyyy"}`: `[{"_id":"a","_score":null,"fields":{"Data.d":["2023","2024","2024"]},"sort":["a"]},{"_id":"b","_score":null,"fields":{"Data.d":["2024"]},"sort":["b"]},{"_id":"c","_score":null,"sort":["c"]}]`,
		`"Data.s.keyword"`:                   `[{"_id":"a","_score":null,"fields":{"Data.s.keyword":["a","b"]},"sort":["a"]},{"_id":"b","_score":null,"fields":{"Data.s.keyword":["x"]},"sort":["b"]},{"_id":"c","_score":null,"sort":["c"]}]`,
		`"Data.m.long"`:                      `[{"_id":"a","_score":null,"fields":{"Data.m.long":[7,7]},"sort":["a"]},{"_id":"b","_score":null,"fields":{"Data.m.long":[8]},"sort":["b"]},{"_id":"c","_score":null,"sort":["c"]}]`,
		`"Data.n","Data.n.keyword","Data.n"`: `[{"_id":"a","_score":null,"fields":{"Data.n":[3,5,5,12345678901234567,3,5,5,12345678901234567],"Data.n.keyword":["12345678901234567","3","5"]},"sort":["a"]},{"_id":"b","_score":null,"fields":{"Data.n":[7,7],"Data.n.keyword":["7"]},"sort":["b"]},{"_id":"c","_score":null,"sort":["c"]}]`,
	} {
		got, _, err := written(t, r, `{"sort":"_id","docvalue_fields":[`+field+`]}`)
		if err != nil || got != want {
			t.Errorf("%s:\n got %s %v\nwant %s", field, got, err, want)
		}
	}
}

// Sub-fields read the text of a number as the item has it, also where Java would print an exponent.
func TestDocValuesOfLargeFractions(t *testing.T) {
	r := searchtest.Snaptest(t, valued([]string{`16777217.5`}))
	const want = `[{"_id":"C000","_score":1.0,"fields":{"Data.d":[1.6777218E7],"Data.d.date":["1970-01-01T04:39:37.217Z"],"Data.d.double":[1.67772175E7],"Data.d.long":[16777217]}}]`
	if got, _, err := written(t, r, `{"docvalue_fields":["Data.d","Data.d.date","Data.d.double","Data.d.long"]}`); err != nil || got != want {
		t.Errorf("\n got %s %v\nwant %s", got, err, want)
	}
}
