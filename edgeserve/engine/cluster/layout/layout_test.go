package layout

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
)

var fields = []release.Field{
	{Path: "CreatedAt", Type: "date", SubFields: []string{"keyword", "date"}},
	{Path: "Data..x", Type: "text", SubFields: []string{"keyword"}},
	{Path: "Data.a", Type: "boolean", SubFields: []string{"keyword", "boolean"}},
	{Path: "Data.a.b", Type: "long", SubFields: []string{"keyword", "long"}},
	{Path: "Data.t", Type: "text", SubFields: []string{"keyword"}},
	{Path: "Name", Type: "text", SubFields: []string{"keyword", "long", "boolean"}},
}

func TestLayout(t *testing.T) {
	if got := Alias("site"); got != "site" {
		t.Error(got)
	}
	if got := IndexName("site", "0123456789abcdef"); got != "site-0123456789abcdef" {
		t.Error(got)
	}
	if a, b := Alias("Site"), Alias("sITE"); a == b || a[:5] != "site-" {
		t.Error(a, b)
	}
}

func TestDefinition(t *testing.T) {
	const keyword = `{"ignore_above":10922,"type":"keyword"}`
	for field, want := range map[string]string{
		"CreatedAt": `{"ignore_malformed":true,"type":"date"}`, "Data.a": `{"type":"boolean"}`, "Data.a.b": `{"ignore_malformed":true,"type":"long"}`,
		"Name": `{"fields":{"keyword":` + keyword + `},"type":"text"}`,
	} {
		f, _ := NewNames(fields).Field(field)
		if got, err := json.Marshal(property(f)); err != nil || string(got) != want {
			t.Errorf("%s: %s %v", field, got, err)
		}
	}
	body := Definition(release.Environment{Fields: fields}, Meta{Format: Format, Build: "b"}, 3)
	mapped := body["mappings"].(object)["properties"].(object)
	for name, want := range map[string]bool{"Data.a": false, "Data.a·": true, "Data.a.b": true, "_sub.Name.boolean·": true, "_sub.Name.keyword·": false,
		"_sub.Name.order·": true, "_sub.Data.t.order·": false, Rank: true, "_item": true, "Data..x": false, "Data.·.x": true} {
		if _, ok := mapped[name]; ok != want {
			t.Errorf("%s is mapped: %v", name, ok)
		}
	}
	if text, err := json.Marshal(body); err != nil || !strings.Contains(string(text), `"_meta":{"format":2,"environment":"","build":"b",`) || !strings.Contains(string(text), `"number_of_shards":3`) {
		t.Errorf("%s %v", text, err)
	}
}

func TestNames(t *testing.T) {
	n := NewNames([]release.Field{{Path: "Data.a", Type: "text", SubFields: []string{"keyword"}}, {Path: "Data.a.b", Type: "long", SubFields: []string{"long"}},
		{Path: "Data.a·", Type: "text"}, {Path: "Data.c", Type: "text", SubFields: []string{"keyword", "long"}}, {Path: "Data.c.keyword", Type: "text"},
		{Path: "Data.·", Type: "text"}, {Path: "Data..x", Type: "text"}})
	for field, want := range map[string]string{"Data.a": "Data.a··", "Data.a·": "Data.a·", "Data.a.keyword": "Data.a··.keyword", "Data.a.b.long": "_sub.Data.a.b.long·",
		"Data.c.keyword": "Data.c.keyword", "Data.c": "Data.c·", "Data.a.b.words": "Data.a.b.words", "Data.none": "Data.none",
		"Data.·": "Data.··", "Data..x": "Data.·.x"} {
		got := n.ToIndex(field)
		if got != want {
			t.Errorf("%s is %s, want %s", field, got, want)
		}
		if back, ok := n.ToRelease(got); ok && back != field {
			t.Errorf("%s leads back to %s", got, back)
		}
	}
	if back, _ := n.ToRelease("_sub.Data.a.b.words·"); back != "Data.a.b" || !n.Aside("Data.a") || n.Aside("Data.a·") {
		t.Error(back)
	}
}

// A path that is a value in one item and an object in another has its values aside. Sub-fields have the values
// once more. The item comes back byte for byte.
func TestDocuments(t *testing.T) {
	w := NewDocuments(fields)
	for item, want := range map[string]string{
		`{"Data":{"a":true}}`:                         `{"Data":{"a·":true},"_item":ITEM,"_sub":{"rank·":7,"item·":19,"Data.a.keyword·":[true],"Data.a.boolean·":[true],"Data.a.words·":[true],"Data.a.own·":[true]}}`,
		`{"Data":[{"a":{"b":1}},{"a":"no"}]}`:         `{"Data":[{"a":{"b":1}},{"a·":"no"}],"_item":ITEM,"_sub":{"rank·":7,"item·":35,"Data.a.keyword·":["no"],"Data.a.words·":["no"],"Data.a.b.keyword·":[1],"Data.a.b.long·":[1],"Data.a.b.words·":[1],"Data.a.b.own·":[1]}}`,
		`{"Data":{"a":{"b":[ ]},"c":2, "a2":{"":1}}}`: `{"Data":{"a":{"b":[]},"c":2,"a2":{"":1}},"_item":ITEM,"_sub":{"rank·":7,"item·":43}}`,
		`{"Data":{"a":{"b":[ ]},"c":2}}`:              `{"Data":{"a":{"b":[ ]},"c":2},"_sub":{"rank·":7}}`,
		`{"Data":{"a":[true,{"b":[]},null],"c":2}}`:   `{"Data":{"a":[{"b":[]},null],"a·":[true],"c":2},"_item":ITEM,"_sub":{"rank·":7,"item·":41,"Data.a.keyword·":[true],"Data.a.boolean·":[true],"Data.a.words·":[true],"Data.a.own·":[true]}}`,
		`{"Data":{"a":null,"t":[]}}`:                  `{"Data":{"a":null,"t":[]},"_sub":{"rank·":7}}`,
		`{"Data":{"t":{}}}`:                           `{"Data":{},"_item":ITEM,"_sub":{"rank·":7,"item·":17}}`,
		`{"Data":{"t":[{},"x",[null]]}}`:              `{"Data":{"t":["x",[null]]},"_item":ITEM,"_sub":{"rank·":7,"item·":30}}`,
		`{"Data":5}`:                                  `{"_item":ITEM,"_sub":{"rank·":7,"item·":10}}`,
		`{"Data":{"":{"x":"y"}}}`:                     `{"Data":{"·":{"x":"y"}},"_item":ITEM,"_sub":{"rank·":7,"item·":23}}`,
		`{"Data":{"a.b":1,"t.u":2,".x":"z"}}`:         `{"Data":{"a.b":1,"·.x":"z"},"_item":ITEM,"_sub":{"rank·":7,"item·":35,"Data.a.b.keyword·":[1],"Data.a.b.long·":[1],"Data.a.b.words·":[1],"Data.a.b.own·":[1]}}`,
		`{"a":12345678901234567890,"b":1.50}`:         `{"a":12345678901234567890,"b":1.50,"_sub":{"rank·":7}}`,
		`{}`:                                          `{"_sub":{"rank·":7}}`,
		`{"_sub":{"rank·":9},"_item":1,"_id":"x"}`:    `{"_item":ITEM,"_sub":{"rank·":7,"item·":41}}`,
		`{"CreatedAt":["2024",15,-15,1.5,"x"]}`:       `{"CreatedAt":["2024",15,-15,1.5,"x"],"_sub":{"rank·":7,"CreatedAt.keyword·":["2024",15,-15,1.5,"x"],"CreatedAt.date·":["2024",15,1.5],"CreatedAt.words·":["2024",15,-15,1.5,"x"]}}`,
		`{"Name":["true","no",false,null,-1.5]}`:      `{"Name":["true","no",false,null,-1.5],"_sub":{"rank·":7,"Name.long·":[-1.5],"Name.boolean·":["true",false],"Name.order·":["3true","3no","2false","10799999999884~"]}}`,
	} {
		want = strings.Replace(want, "ITEM", item, 1)
		got, err := w.Append([]byte("x"), []byte(item), 7)
		if err != nil || string(got) != "x"+want {
			t.Errorf("%s: %s %v\nwant %s", item, got, err, want)
			continue
		}
		back, rank, err := Item([]byte("y"), got[1:])
		if err != nil || string(back) != "y"+item || rank != 7 {
			t.Errorf("%s: %s rank %d %v", item, back, rank, err)
		}
	}
}

// A forwarder needs each value once, comparisons each as it is.
func TestRepeated(t *testing.T) {
	w := NewDocuments([]release.Field{{Path: "Data.n", Type: "text", SubFields: []string{"keyword", "long", "double", "boolean", "date"}}, {Path: "Data.p", Type: "float", SubFields: []string{"double"}}})
	const item = `{"Data":{"n":[5,"5.0",5.5,"x","true",true,"2024-01","2024-01-01"],"p":[0.1,0.10000000149011612,0.1,1e300,-0.0,0]}}`
	for _, tt := range []struct {
		repeated bool
		want     string
	}{
		{false, `"Data.n.long·":[5],"Data.n.double·":[5,5.5],"Data.n.boolean·":["true"],"Data.n.date·":[5,"2024-01"],`},
		{true, `"Data.n.long·":[5,"5.0",5.5,"x","true",true,"2024-01","2024-01-01"],"Data.n.double·":[5,"5.0",5.5,"x","true",true,"2024-01","2024-01-01"],"Data.n.boolean·":["true",true],`},
		{false, `"Data.p.double·":[0.1,0.10000000149011612,1e300,-0.0],"Data.p.words·":[0.1,0.10000000149011612,0.1,1e300,-0.0,0],"Data.p.own·":[0.1,-0.0]`},
		{true, `"Data.p.own·":[0.1,-0.0]`},
	} {
		w.Repeated = tt.repeated
		if got, err := w.Append(nil, []byte(item), 1); err != nil || !strings.Contains(string(got), tt.want) {
			t.Errorf("%s %v\nwant %s", got, err, tt.want)
		}
	}
}

func TestWrongItems(t *testing.T) {
	w := NewDocuments(fields)
	many := `{"a0":1`
	for i := range 40 {
		many += `,"a` + string(rune('À'+i)) + `":1`
	}
	for item, want := range map[string]string{
		``: "not a JSON object", `[]`: "not a JSON object", `{} `: "not a JSON object", `{"a":}`: "not a JSON object",
		`{"a":1,"a":2}`: `"a" twice`, `{"x":[{"a":1,"\u0061":2}]}`: `"a" twice`, many + `,"aÂ":2}`: `"aÂ" twice`, many + "}": "",
	} {
		_, err := w.Append(nil, []byte(item), 7)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", item, err)
		}
	}
	for _, source := range []string{``, `{}`, `{"_sub":{}}`, `{"_sub":{"rank·":}}`, `{"_sub":{"rank·":7,"item·":5}}`, `{"_item":{},"_sub":{"rank·":7,"item·":3}}`, `"_sub":{"rank·":7}}`,
		`{"_sub":{"rank·":99999999999999999999}}`, `{"_item":{},"_sub":{"rank·":7,"item·":1}}`} {
		if item, _, err := Item(nil, []byte(source)); err == nil {
			t.Errorf("%s: %s", source, item)
		}
	}
}

// The texts of Order are in the order of values: numbers, booleans, texts.
func TestOrder(t *testing.T) {
	numbers := strings.Fields("-1e400 -12.5 -12 -1.25 -1.2 -1 -0.01 -1e-400 0 1e-400 0.001 0.01 0.5 0.51 1 9 10 11 99.9 1e3 12345678901234567890 1e400")
	all := append(numbers, "false", "true", `""`, `"1"`, `"a"`, `"ab"`, `"é"`)
	texts := make([]string, len(all))
	for i, v := range all {
		if err := json.Unmarshal(appendOrder(nil, []byte(v)), &texts[i]); err != nil {
			t.Fatal(v, err)
		}
		if i > 0 && texts[i-1] >= texts[i] {
			t.Errorf("%s has %q, %s has %q", all[i-1], texts[i-1], v, texts[i])
		}
	}
	for _, same := range [][2]string{{"1e2", "100.0"}, {"0.10", "1E-1"}, {"-0", "0.000e5"}, {"120", "0.12e+3"}} {
		if a, b := appendOrder(nil, []byte(same[0])), appendOrder(nil, []byte(same[1])); string(a) != string(b) {
			t.Errorf("%s has %s, %s has %s", same[0], a, same[1], b)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	number := func() string {
		text := big.NewRat(random.Int64N(2000)-1000, int64(1)<<random.IntN(9)).FloatString(random.IntN(6))
		if random.IntN(2) == 0 {
			text += "e" + big.NewInt(random.Int64N(9)-4).String()
		}
		return text
	}
	for range 5000 {
		a, b := number(), number()
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		if got := strings.Compare(string(appendOrder(nil, []byte(a))), string(appendOrder(nil, []byte(b)))); got != x.Cmp(y) {
			t.Fatalf("%s and %s: %d", a, b, got)
		}
	}
}

// Items come back byte for byte, whatever their members, and documents are JSON without duplicates.
func FuzzDocuments(f *testing.F) {
	for _, seed := range []string{`{"Data":{"a":true}}`, `{"Data":[{"a":{"b":1}},{"a":"no"}],"_sub":{"rank·":1}}`, `{"Data":{"a.b":1,"":[{}],"t":{}}}`, `{"x":"\"_sub\":{\"rank·\":1"}`, `{"_item":{}}`, `{"Name":[1e5,"true"]}`} {
		f.Add([]byte(seed))
	}
	w := NewDocuments(fields)
	f.Fuzz(func(t *testing.T, item []byte) {
		document, err := w.Append(nil, item, 7)
		if err != nil {
			return
		}
		if _, err := w.Append(nil, document, 7); err != nil {
			t.Fatalf("%s: %v", document, err)
		}
		back, rank, err := Item(nil, document)
		if err != nil || string(back) != string(item) || rank != 7 {
			t.Fatalf("%s: %s, rank %d, %v", document, back, rank, err)
		}
		if back, _, err := Item(nil, back); err == nil && len(back) > len(item) {
			t.Fatalf("%s", back)
		}
	})
}
