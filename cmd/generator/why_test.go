package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/store/storetest"
	"contentedge/generator"
)

// TestWhyAsksNodes asks nodes that have an item, lack it, fail, or lead elsewhere.
func TestWhyAsksNodes(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("content/site", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("content/site/a.json", []byte(`{"ContentID":"a","Name":"n","TemplateName":"T","CreatedAt":"2024-01-01T00:00:00Z"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for status, want := range map[int]string{200: "has it, release 0123456789abcdef", 404: "does not have it, release 0123456789abcdef", 503: "unknown: it answers 503", 302: "unknown: it answers 302"} {
		node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodHead || r.URL.Path != address.Item.Path("site", "a") {
				t.Errorf("%s %s", r.Method, r.URL)
			}
			w.Header().Set(httpfield.Release, "0123456789abcdef")
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
		}))
		for _, id := range []string{"a", "site/a.json"} {
			var out, problems strings.Builder
			err := dispatch(t.Context(), []string{"why", "site", id, "--node", node.URL + "/"}, console{&out, &problems})
			if err != nil || !strings.Contains(out.String(), want) {
				t.Errorf("%d, %s: %v\n%s%s", status, id, err, out.String(), problems.String())
			}
		}
		node.Close()
	}
}

// why runs the command and returns its answer.
func why(t *testing.T, args ...string) (text string, answer whyAnswer) {
	t.Helper()
	for _, more := range [][]string{nil, {"--json"}} {
		var out, problems strings.Builder
		if err := dispatch(t.Context(), append(append([]string{"why", "site"}, args...), more...), console{&out, &problems}); err != nil {
			t.Fatal(err, problems.String())
		}
		if more == nil {
			text = out.String() + problems.String()
		} else if err := json.Unmarshal([]byte(out.String()), &answer); err != nil || problems.Len() > 0 {
			t.Fatal(err, out.String(), problems.String())
		}
	}
	return text, answer
}

// TestWhyAsksStores asks a store that has one release, for an item that is there, a hidden one, and an unknown one.
func TestWhyAsksStores(t *testing.T) {
	storetest.Start(t)
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("content/site", 0o755); err != nil {
		t.Fatal(err)
	}
	const item = `"Name":"n","TemplateName":"T","CreatedAt":"2024-01-01T00:00:00Z"`
	if err := os.WriteFile("content/site/a.ndjson", []byte(`{"ContentID":"a",`+item+"}\n"+`{"ContentID":"b","Status":"Draft",`+item+"}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const store = "s3://" + storetest.Bucket + "/live"
	for _, args := range [][]string{{"build", "--compress", "none", "--quiet"}, {"publish", store, "--quiet"}} {
		var out strings.Builder
		if err := dispatch(t.Context(), args, console{&out, &out}); err != nil {
			t.Fatal(args, err, out.String())
		}
	}
	release := ""
	for id, want := range map[string]struct {
		text string
		has  bool
	}{"a": {"has it, release ", true}, "b": {"does not have it, release ", false}, "unknown": {"does not have it, release ", false}} {
		text, answer := why(t, id, "--store", store)
		places := answer.Places
		if len(answer.Items) == 1 {
			places = answer.Items[0].Places
		}
		if len(places) != 1 || places[0].Has != want.has || places[0].Place != "store" || places[0].Error != "" || len(places[0].Release) != 16 || release != "" && places[0].Release != release {
			t.Errorf("%s: %+v", id, answer)
		}
		if release = places[0].Release; !strings.Contains(text, want.text+release) {
			t.Errorf("%s: %s", id, text)
		}
		want := generator.Origin{Field: "Status", Member: "Status", Value: "Draft", File: "content/site/a.ndjson", Line: 2, Col: 27}
		if by := append(answer.Items, whyItem{})[0].HiddenBy; (by != nil) != (id == "b") || by != nil && *by != want {
			t.Errorf("%s: %+v", id, by)
		}
	}
}

// TestWhyJSON: VISIBILITY.md lists each member of the JSON.
func TestWhyJSON(t *testing.T) {
	page, err := os.ReadFile("../../generator/VISIBILITY.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		object string
		of     any
	}{{"the whole", whyAnswer{}}, {"`items[]`", whyItem{}}, {"`hiddenBy`, `origins[]`", generator.Origin{}}, {"`places[]`", arrival{}}} {
		var names []string
		for f := range reflect.TypeOf(row.of).Fields() {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
				names = append(names, "`"+name+"`")
			}
		}
		if want := "| " + row.object + " | " + strings.Join(names, ", ") + " |\n"; !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}
