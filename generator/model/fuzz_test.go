// These targets feed anything at all to the loader. What it refuses must have a
// place; what it takes must come out the same to a second, independent parser.

package model

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"contentedge/generator/visibility"
)

// second is what encoding/json makes of an item, its numbers kept as text.
func second(t *testing.T, raw []byte) map[string]any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var members map[string]any
	if err := dec.Decode(&members); err != nil {
		t.Fatalf("the second parser refuses %q: %v", raw, err)
	}
	return members
}

// rawItems cuts a document into items with encoding/json.
func rawItems(t *testing.T, document []byte) []json.RawMessage {
	t.Helper()
	document = bytes.TrimSpace(document)
	var items []json.RawMessage
	if document[0] == '[' {
		if err := json.Unmarshal(document, &items); err != nil {
			t.Fatal(err)
		}
		return items
	}
	members := make(map[string]json.RawMessage)
	if err := json.Unmarshal(document, &members); err != nil {
		t.Fatal(err)
	}
	if _, ok := members["ContentID"]; ok {
		return []json.RawMessage{document}
	}
	return rawItems(t, members["data"])
}

var timestampNames = []string{"CreatedAt", "UpdatedAt", "PublishedAt"}

// sameItem compares an item with the text it was read from.
func sameItem(t *testing.T, it *Item, raw []byte) {
	t.Helper()
	in, out := second(t, raw), second(t, []byte(text(it)))
	for name, value := range in {
		known := slices.Contains(FieldNames[:], name)
		if slices.Contains(timestampNames, name) || known && value == nil {
			continue
		}
		if !reflect.DeepEqual(out[name], value) {
			t.Errorf("%s\n goes in as %v\ncomes out as %v", name, value, out[name])
		}
	}
	for name := range out {
		if _, ok := in[name]; !ok && !slices.Contains(FieldNames[:], name) {
			t.Errorf("%s comes out and was not there", name)
		}
	}
	var compact bytes.Buffer
	members := make(map[string]json.RawMessage)
	if err := json.Unmarshal(raw, &members); err != nil {
		t.Fatal(err)
	}
	if data := members["Data"]; in["Data"] != nil {
		if err := json.Compact(&compact, data); err != nil || compact.String() != string(textOf(it).Raw[fieldData]) {
			t.Errorf("Data\n goes in as %s\ncomes out as %s", data, textOf(it).Raw[fieldData])
		}
	}
}

func FuzzItem(f *testing.F) {
	for _, seed := range []string{
		item(id1, ""), "[" + item(id1, "") + ",\n" + item(id2, `,"x":[1,{}]`) + "]", `{"status":200,"data":[` + item(id1, "") + `],"totalItems":1}`,
		"\ufeff" + item(id1, `,"Data":{"n":[9007199254740993,0.10000000000000000555,1E400,-0,1.0,1e999],"s":"\u00e9\/\ud83d\ude00"}`),
		item(id1, `,"Data" : { "a" : [ 1 , 2 ] , "b" : null }, "Status" : "Dr\u0061ft", "a\u0031": "x"`),
		item(id1, `,"UpdatedAt":"2025-01-31T23:30:00.5+05:30","PublishedAt":null`),
		item(id1, `,"ExpiresAt":"2025-01-31T23:30:00.5+05:30"`), item(id1, `,"ExpiresAt":null`), item(id1, `,"ExpiresAt":7`), item(id1, `,"a":1,"a":2`), item(id1, `,"contentid":"x"`), `{"a":"\ud800"}`, "{\"a\":\"\xff\"}", `[{}`, `{`, ``, `[]`, `7`, strings.Repeat("[", 600), "<<<<<<< HEAD",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		site, diagnostics := load(t, map[string]string{"e/x.json": string(document)}, Options{Rules: visibility.Everything()})
		lines := 1 + bytes.Count(document, []byte{'\n'})
		for _, d := range diagnostics {
			if printed := d.String(); d.Message == "" || strings.Count(printed, "\n") > 1 || d.File != "e/x.json" {
				t.Errorf("%+v", d)
			}
			ofAll := strings.HasPrefix(d.Message, "and ") || strings.HasPrefix(d.Message, "this file ") // not of one place
			if !ofAll && (d.Line < 1 || d.Col < 1 || d.Line > lines || d.Col > len(document)+1) {
				t.Errorf("%+v has no place", d)
			}
		}
		if site == nil {
			return
		}
		raws := rawItems(t, bytes.TrimPrefix(document, []byte("\ufeff")))
		if len(raws) != len(site.Envs[0].Items) {
			t.Fatalf("%d items of %d", len(site.Envs[0].Items), len(raws))
		}
		for i, raw := range raws {
			it := &site.Envs[0].Items[i]
			sameItem(t, it, raw)
			again, problems := load(t, map[string]string{"e/x.ndjson": text(it)}, Options{Rules: visibility.Everything()})
			if again == nil || text(&again.Envs[0].Items[0]) != text(it) {
				t.Errorf("%s\nread again: %s", text(it), said(problems))
			}
		}
	})
}

func FuzzTimestamp(f *testing.F) {
	for _, seed := range []string{"2025-01-31T09:00:00Z", "2025-01-31T09:00:00.123456789+02:00", "0001-01-01T00:00:00+01:00", "2025-01-31T09:00:00,5Z", "2016-12-31T23:59:60Z", "2025-06-31T00:00:00Z", "2025-01-31"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseTime(text)
		want, wantErr := time.Parse(time.RFC3339, text)
		if err != nil {
			// Package time takes more than the standard does, but never less.
			canonical := want.Format("2006-01-02T15:04:05Z07:00") == text
			if year := want.UTC().Year(); wantErr == nil && canonical && year >= 1 && year <= 9999 {
				t.Errorf("%q is refused: %v", text, err)
			}
			return
		}
		if wantErr != nil || got.UnixMilli() != want.UnixMilli() {
			t.Errorf("%q is %v, want %v, %v", text, got, want, wantErr)
		}
	})
}
