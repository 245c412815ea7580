package envelope

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// references lists the references of a fragment as "path id".
func references(fragment string) (found []string) {
	References([]byte(fragment), func(path, id []byte) bool {
		found = append(found, string(path)+" "+string(id))
		return true
	})
	return found
}

func TestReferences(t *testing.T) {
	const ref = `{"Type":"Reference","ReferenceType":"Content","ContentIDs":["a","b"]}`
	for _, tt := range []struct{ name, fragment, want string }{
		{"none", `{"Data":{"title":"x"},"ContentID":"i"}`, ""},
		{"two ids", `{"Name":"n","Data":{"author":` + ref + `},"ContentID":"i"}`, "Data.author a, Data.author b"},
		{"arrays add nothing to a path", `{"Data":{"blocks":[[{"to":` + ref + `}],` + ref + `]}}`, "Data.blocks.to a, Data.blocks.to b, Data.blocks a, Data.blocks b"},
		{"Data itself", `{"Data":` + ref + `}`, "Data a, Data b"},
		{"members in another order, and others", `{"Data":{"r":{"ContentIDs":["a"],"x":{"y":[1]},"ReferenceType":"Content","Type":"Reference"}}}`, "Data.r a"},
		{"one in another", `{"Data":{"r":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["a"],"in":` + ref + `}}}`, "Data.r.in a, Data.r.in b, Data.r a"},
		{"escapes", `{"Data":{"\u0072":{"T\u0079pe":"Ref\u0065rence","ReferenceType":"Content","Content\u0049Ds":["\u0061"]}}}`, "Data.r a"},
		{"media", `{"Data":{"r":{"Type":"Reference","ReferenceType":"Media","ContentIDs":["a"]}}}`, ""},
		{"no type", `{"Data":{"r":{"ReferenceType":"Content","ContentIDs":["a"]}}}`, ""},
		{"ids that are none", `{"Data":{"r":{"Type":"Reference","ReferenceType":"Content","ContentIDs":[1,null,["x"],"a"]}}}`, "Data.r a"},
		{"one id without a list", `{"Data":{"r":{"Type":"Reference","ReferenceType":"Content","ContentIDs":"a"}}}`, ""},
		{"outside of Data", `{"Other":{"r":` + ref + `},"Data":{}}`, ""},
		{"damaged", `{"Data":{"r":` + ref + `,"s`, "Data.r a, Data.r b"},
		{"not closed", `{"Data":{"r":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["a"`, ""},
	} {
		if got := strings.Join(references(tt.fragment), ", "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	t.Run("ends when visit says so", func(t *testing.T) {
		n := 0
		References([]byte(`{"Data":{"r":`+ref+`,"s":`+ref+`}}`), func(_, _ []byte) bool { n++; return false })
		if n != 1 {
			t.Errorf("%d visits", n)
		}
	})
	t.Run("a thousand levels", func(t *testing.T) {
		deep := `{"Data":` + strings.Repeat(`{"a":`, 1000) + ref + strings.Repeat("}", 1000) + `}`
		if got := references(deep); got != nil {
			t.Error(got)
		}
	})
	t.Run("the text of a field", func(t *testing.T) {
		item := []byte(`{"Data":{"TemplateName":"x"},"TemplateName":"A \"b\"","n":1}`)
		for name, want := range map[string]string{"TemplateName": `A "b"`, "n": "", "none": ""} {
			if got := TextOf(item, name); got != want {
				t.Errorf("%s: %q", name, got)
			}
		}
	})
}

func TestIncluded(t *testing.T) {
	var n Included
	n.Add("a", []byte(`{"ContentID":"a"}`))
	n.Add("b", []byte(`{}`))
	const item = `{"ContentID":"i"}`
	got := string(AppendItemWith(nil, []byte(item), &n))
	if want := `{"status":200,"data":{"ContentID":"i"},"Included":{"a":{"ContentID":"a"},"b":{}}}`; got != want {
		t.Errorf("got %s", got)
	}
	if size := ItemSize(len(item)) + n.Size(); size != len(got) {
		t.Errorf("size %d of %d", size, len(got))
	}
	if got := string(AppendItemWith(nil, []byte(item), new(Included))); got != `{"status":200,"data":{"ContentID":"i"},"Included":{}}` {
		t.Errorf("got %s", got)
	}
	list := AppendClose(AppendTotal(n.Append(AppendListEnd(AppendListOpen(nil))), 7, nil))
	if want := `{"status":200,"data":[],"Included":{"a":{"ContentID":"a"},"b":{}},"totalItems":7}`; string(list) != want {
		t.Errorf("got %s", list)
	}
	if total, ok := ListTotal(list[len(list)-MaxListTail:]); !ok || total != 7 {
		t.Errorf("total %d, %t", total, ok)
	}
}

// FuzzReferences compares the references of JSON that has no member twice with those that a decoder finds, and reads
// damaged JSON within bounds.
func FuzzReferences(f *testing.F) {
	f.Add(`{"Data":{"r":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["a"]}}}`)
	f.Add(`{"Data":[{"\u0054ype":"Reference"},[]],"x":1}`)
	f.Fuzz(func(t *testing.T, text string) {
		got := references(text)
		if len(got) > len(text) {
			t.Errorf("%d references in %d bytes", len(got), len(text))
		}
		for _, r := range got {
			_, id, _ := strings.Cut(r, " ")
			quoted, _ := json.Marshal(id)
			if json.Valid([]byte(text)) && !strings.Contains(text, `\`) && !slices.Contains([]bool{strings.Contains(text, string(quoted)), strings.ContainsAny(id, " <>&\ufffd\u2028\u2029")}, true) {
				t.Errorf("%q is not in %q", id, text)
			}
		}
	})
}
