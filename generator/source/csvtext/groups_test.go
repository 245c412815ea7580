package csvtext

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestGroups shows what becomes of rows with the same key.
func TestGroups(t *testing.T) {
	by := func(parts ...Part) Options {
		return Options{Group: Group{By: "k", Parts: parts, Single: func(column string) bool { return column == "status" }}}
	}
	typed := by()
	typed.Types, typed.Lists = map[string]Type{"n": Number}, map[string]string{"l": ","}
	shop := by(Part{"variants", []string{"size", "price *"}}, Part{"images", []string{"src"}})
	tests := []struct {
		name, text      string
		options         Options
		records, faults string
	}{
		{"a row is an item", "k,a\nx,1\ny,2\n", by(), `{"k":"x","a":"1"}` + "\n" + `{"k":"y","a":"2"}`, ""},
		{"what is equal stays single", "k,a,b\nx,1,2\nx,1,3\n", by(), `{"k":"x","a":"1","rows":[{"b":"2"},{"b":"3"}]}`, ""},
		{"nothing means as in the first row", "k,a,b\nx,1,2\nx, ,3\nx,1,\n", by(), `{"k":"x","a":"1","rows":[{"b":"2"},{"b":"3"}]}`, ""},
		{"a value of a later row is its own", "k,a\nx,\nx,1\nx,\n", by(), `{"k":"x","rows":[{"a":"1"}]}`, ""},
		{"no value at all", "k,a\nx,\nx,\n", by(), `{"k":"x","a":""}`, ""},
		{"rows need not be adjacent", "k,a\nx,1\ny,1\nx,2\n", by(), `{"k":"x","rows":[{"a":"1"},{"a":"2"}]}` + "\n" + `{"k":"y","a":"1"}`, ""},
		{"spaces around a key do not count", "k,a\n x,1\nx ,2\n", by(), `{"k":" x","rows":[{"a":"1"},{"a":"2"}]}`, ""},
		{"values have types", "k,n,l\nx,1,\"a,b\"\nx,2.0,\nx,,\"c\"\n", typed, `{"k":"x","rows":[{"n":1,"l":["a","b"]},{"n":2.0},{"l":["c"]}]}`, ""},
		{"parts have a list in any case", "k,t,size,price net,src\nx,T,S,1,a\nx,,M,1,\nx,,,,b\ny,U,,,\n", shop,
			`{"k":"x","t":"T","variants":[{"size":"S","price net":"1"},{"size":"M","price net":"1"}],"images":[{"src":"a"},{"src":"b"}]}` + "\n" +
				`{"k":"y","t":"U","variants":[],"images":[]}`, ""},
		{"other columns of parts may differ too", "k,t,src\nx,T,a\nx,U,\n", shop, `{"k":"x","variants":[],"images":[{"src":"a"}],"rows":[{"t":"T"},{"t":"U"}]}`, ""},
		{"a column that decides is the same in all rows", "k,status\nx,draft\nx,\nx,draft\n", by(), `{"k":"x","status":"draft"}`, ""},

		{"a column that decides differs", "k,status\nx,active\nx,draft\ny,\n", by(), `{"k":"y","status":""}`, "2:3: the rows of this item have different values in the column \"status\""},
		{"a column that decides comes later", "k,status\nx,\nx,draft\n", by(), "", "2:3: the rows of this item have different values in the column \"status\""},
		{"a column that decides is of no part", "k,status\nx,a\nx,b\n", by(Part{"p", []string{"*"}}), "", "2:3: the rows of this item have different values in the column \"status\""},
		{"no key", "k,a\nx,1\n ,2\n", by(), `{"k":"x","a":"1"}`, "3:1: this row has no value in the column \"k\", which says to which item it belongs"},
		{"no column with the key", "a,b\n1,2\n", by(), "", "1:1: the file has no column \"k\", which group names"},
		{"a column with the name of a list", "k,rows\nx,1\n", by(), "", "1:3: the column \"rows\" has the name of the list that rows of one key get"},
		{"a column with the name of a part", "k,images\nx,1\n", shop, "", "1:3: the column \"images\" has the name of the list that rows of one key get"},
		{"a value of another type", "k,n,l\nx,1,\nx,y,\n", typed, "", "3:3: \"y\" is not a number as in JSON"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			records, faults := read(tt.text, tt.options)
			if records != tt.records || faults != tt.faults {
				t.Errorf("records\n%s\nfaults\n%s\nwant\n%s\n%s", records, faults, tt.records, tt.faults)
			}
		})
	}
}

// TestLongGroups reads many rows of one key, and many keys.
func TestLongGroups(t *testing.T) {
	var one, many strings.Builder
	one.WriteString("k,a\n")
	many.WriteString("k,a\n")
	const n = 100_000
	for i := range n {
		fmt.Fprintf(&one, "x,%d\n", i)
		fmt.Fprintf(&many, "%d,y\n", i%(n/2))
	}
	records, faults := Records([]byte(one.String()), Options{Group: Group{By: "k"}})
	var got struct{ Rows []struct{ A string } }
	if len(records) != 1 || len(faults) > 0 || json.Unmarshal(records[0].JSON, &got) != nil || len(got.Rows) != n || got.Rows[n-1].A != fmt.Sprint(n-1) {
		t.Error(len(records), faults, len(got.Rows))
	}
	if records, faults = Records([]byte(many.String()), Options{Group: Group{By: "k"}}); len(records) != n/2 || len(faults) > 0 {
		t.Error(len(records), faults)
	}
}
