package csvtext

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source/record"
	"contentedge/generator/source/record/recordtest"
)

// read returns the JSON of a text's records, a line each, and its faults, a line each.
func read(text string, options Options) (records, faults string) {
	list, found := Records([]byte(text), options)
	for i := range list {
		records += string(list[i].JSON) + "\n"
	}
	for _, f := range found {
		faults += fmt.Sprintf("%d:%d: %s\n", f.Line, f.Col, f.Message)
	}
	return strings.TrimSuffix(records, "\n"), strings.TrimSuffix(faults, "\n")
}

// TestCSVText shows what becomes of CSV, and what is refused.
func TestCSVText(t *testing.T) {
	typed := Options{Types: map[string]Type{"n": Number, "b": Boolean, "s": Text}, Lists: map[string]string{"l": "|"}}
	tests := []struct {
		name, text      string
		options         Options
		records, faults string
	}{
		{"rows are records", "a,b\n1,x\n2,y\n", Options{}, `{"a":"1","b":"x"}` + "\n" + `{"a":"2","b":"y"}`, ""},
		{"all values are strings", "a,b,c,d\n01,true,,\" x \"\n", Options{}, `{"a":"01","b":"true","c":"","d":" x "}`, ""},
		{"quotes", "a,b\n\"x, \"\"y\"\"\",\"one\ntwo\r\nthree\"\n\"\",z", Options{}, `{"a":"x, \"y\"","b":"one\ntwo\nthree"}` + "\n" + `{"a":"","b":"z"}`, ""},
		{"CR LF", "a,b\r\n1,2\r\n\r\n3,\r\n", Options{}, `{"a":"1","b":"2"}` + "\n" + `{"a":"3","b":""}`, ""},
		{"empty lines", "\n\na\n\n1\n\n\n2\n\n", Options{}, `{"a":"1"}` + "\n" + `{"a":"2"}`, ""},
		{"spaces around names", " a ,\" b c\"\n1, 2 \n", Options{}, `{"a":"1","b c":" 2 "}`, ""},
		{"types and lists", "n,b,s,l\n1.50,true,1,x| y |\n,false,,\n -0 , ,true,x\n", typed,
			`{"n":1.50,"b":true,"s":"1","l":["x","y",""]}` + "\n" + `{"n":null,"b":false,"s":"","l":[]}` + "\n" + `{"n":-0,"b":null,"s":"true","l":["x"]}`, ""},
		{"lists of numbers", "a,b\n1;2.0,\n", Options{Types: map[string]Type{"a": Number}, Lists: map[string]string{"a": ";"}}, `{"a":[1,2.0],"b":""}`, ""},
		{"a head alone", "a,b\n", Options{}, "", ""},
		{"nothing", "", Options{}, "", ""},

		{"a row with less", "a,b\n1\n2,3\n", Options{}, `{"a":"2","b":"3"}`, "2:1: this row has 1 values, but there are 2 columns"},
		{"a row with more", "a,b\né,2,3\n", Options{}, "", "2:5: this row has 3 values, but there are 2 columns"},
		{"a name twice", "a,b,a\n1,2,3\n", Options{}, "", `1:5: two columns have the name "a"`},
		{"no name", "a,,c\n1,2,3\n", Options{}, "", "1:3: this column has no name"},
		{"a comma at the end of the head", "a,b,\n1,2,\n", Options{}, "", "1:5: this column has no name"},
		{"semicolons", "a;b\n1;2\n", Options{}, "", "1:1: the columns are not separated by commas"},
		{"options of columns that the file has not", "a\n1\n", typed, "", "1:1: the file has no column \"b\", which types names\n1:1: the file has no column \"n\", which types names\n1:1: the file has no column \"s\", which types names\n1:1: the file has no column \"l\", which lists names"},
		{"no number", "n,b,s,l\n010,yes,,\n1,true,,\n", typed, `{"n":1,"b":true,"s":"","l":[]}`, "2:1: \"010\" is not a number as in JSON\n2:5: \"yes\" is neither true nor false"},
		{"a quote in a value", "a,b\n1,x\"y\"\n2,3\n", Options{}, `{"a":"2","b":"3"}`, "2:4: there is a quote in a value without quotes"},
		{"text behind a quote", "a,b\n\"1\"x,2\n2,3\n", Options{}, `{"a":"2","b":"3"}`, "2:4: there is text after the closing quote of a value"},
		{"a quote that is not closed", "a,b\n1,\"x\n2,3\n", Options{}, "", "2:3: the quote that begins here is not closed"},
		{"CR alone", "a,b\r1,2\r", Options{}, "", "1:4: there is a carriage return without a line feed here"},
		{"NUL", "a,b\n1,\x00\n", Options{}, "", "2:3: there is a NUL character here"},
		{"no UTF-8", "a,b\n1,\xe4\n", Options{}, "", "2:3: the byte 0xe4 is not UTF-8 here"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			records, faults := read(tt.text, tt.options)
			if records != tt.records || faults != tt.faults {
				t.Errorf("\n got %s\n%s\nwant %s\n%s", records, faults, tt.records, tt.faults)
			}
		})
	}
}

// TestPlaces: a value knows its line and column, behind values over several lines too.
func TestPlaces(t *testing.T) {
	list, _ := Records([]byte("a,b\n\"é\n\",2\n3,\"4\"\n"), Options{})
	for i, want := range []struct{ record, value record.Place }{{record.Place{Line: 2, Col: 1}, record.Place{Line: 3, Col: 3}}, {record.Place{Line: 4, Col: 1}, record.Place{Line: 4, Col: 3}}} {
		if got := list[i].Start(); got != want.record {
			t.Error(got, want.record)
		}
		if got := list[i].Place(strings.Index(string(list[i].JSON), `"b":`) + 4); got != want.value {
			t.Error(got, want.value)
		}
	}
}

// TestHostile: every text is refused or read within bounds of time and memory.
func TestHostile(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"a long line":       {"a\n" + strings.Repeat("x", 31<<20), "more than 16777216 bytes as JSON"},
		"a large file":      {"a\n" + strings.Repeat("x", 33<<20), "CSV may have"},
		"many rows":         {"a\n" + strings.Repeat("x\n", 1_900_000), `{"a":"x"}`},
		"many values":       {"a,b\n" + strings.Repeat("x,\n", 2_000_000), "more than 2000000 values"},
		"many columns":      {columns(9_000) + "\n" + strings.Repeat(strings.Repeat(",", 8_999)+"\n", 220), `{"c0":""`},
		"very many columns": {columns(300_000) + "\n", "it may have 10000"},
		"long names":        {strings.Repeat("x", 1<<20) + ",b\n", "a name may have"},
		"names that repeat": {strings.Repeat("a,", 9_000) + "\n", "two columns"},
		"quotes":            {"a\n" + strings.Repeat("\"", 16<<20), "bytes as JSON"},
		"an open quote":     {"a\n" + strings.Repeat("\"\n", 1_000_001), "not closed"},
		"many open quotes":  {"a\n" + strings.Repeat("x\"\n", 1_000_001), "a quote in a value"},
		"lists":             {"l,b\n" + strings.Repeat("|", 8<<20) + ",", "bytes as JSON"},
		"empty lines":       {strings.Repeat("\n", 30<<20), ""},
	} {
		t.Run(name, func(t *testing.T) {
			recordtest.Bounded(t, 3*time.Second, 600<<20, func() {
				options := Options{}
				if strings.HasPrefix(tt.text, "l,") {
					options.Lists = map[string]string{"l": "|"}
				}
				list, faults := Records([]byte(tt.text), options)
				found := fmt.Sprint(faults)
				if len(list) > 0 {
					found += string(list[0].JSON)
				}
				if !strings.Contains(found, tt.want) {
					t.Errorf("got %.200s\nwant %s", found, tt.want)
				}
			})
		})
	}
}

func columns(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ",c%d", i)
	}
	return b.String()[1:]
}

// FuzzCSVText: a text gives valid JSON with places within it, and the values that encoding/csv reads.
func FuzzCSVText(f *testing.F) {
	for _, seed := range []string{"a,b\n1,2\n", "a\n\"x\"\"y\n\"\n", "a,b\r\n\"1\r\n\",\r\n\r\n", "l,n\na|b,1\n", "a,a\n", "a\n\"", "\"a\"x\n", "a\r"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, faults := Records([]byte(text), Options{})
		lines := strings.Count(text, "\n") + 1
		for _, r := range list {
			recordtest.Check(t, &r, lines)
		}
		for _, f := range faults {
			if f.Line < 1 || f.Line > lines || f.Col < 1 {
				t.Errorf("%+v: the text has %d lines", f, lines)
			}
		}
		if len(faults) > 0 || len(list) == 0 {
			return
		}
		std := csv.NewReader(strings.NewReader(text))
		rows, err := std.ReadAll()
		if err != nil || len(rows) != len(list)+1 {
			t.Fatalf("encoding/csv: %v, %d rows; %d records", err, len(rows), len(list))
		}
		for i, r := range list {
			var values []string
			jsoncursor.Children(r.JSON, 0, func(_ []byte, at int) int {
				end := jsoncursor.ScalarEnd(r.JSON, at)
				var v string
				if err := json.Unmarshal(r.JSON[at:end], &v); err != nil {
					t.Fatal(err)
				}
				values = append(values, v)
				return end
			})
			if got, want := fmt.Sprintf("%q", values), fmt.Sprintf("%q", rows[i+1]); got != want {
				t.Errorf("got %s, encoding/csv has %s", got, want)
			}
		}
	})
}
