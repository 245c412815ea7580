// This file tests the exact bytes of bodies: they are the public interface.

package envelope

import (
	"encoding/json"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/problem"
)

// TestEnvelope shows the bytes of an item, of lists and of errors.
func TestEnvelope(t *testing.T) {
	t.Run("an item stands beside its status", func(t *testing.T) {
		got := string(AppendItem([]byte("x"), []byte(`{"ContentID":"a"}`)))
		if want := `x{"status":200,"data":{"ContentID":"a"}}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if n := ItemSize(len(`{"ContentID":"a"}`)); n != len(got)-1 {
			t.Errorf("size %d, want %d", n, len(got)-1)
		}
	})
	t.Run("lists", func(t *testing.T) {
		tests := []struct {
			name      string
			fragments []string
			total     int
			want      string
		}{
			{"a list may be empty", nil, 0, `{"status":200,"data":[],"totalItems":0}`},
			{"a page beyond the end has the total of the list", nil, 1234567, `{"status":200,"data":[],"totalItems":1234567}`},
			{"a page of one item", []string{`{"a":1}`}, 9, `{"status":200,"data":[{"a":1}],"totalItems":9}`},
			{"a page of three items", []string{`{"a":1}`, `{}`, `{"b":2}`}, 10, `{"status":200,"data":[{"a":1},{},{"b":2}],"totalItems":10}`},
		}
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				var fragments [][]byte
				for _, f := range test.fragments {
					fragments = append(fragments, []byte(f))
				}
				if got := string(AppendList([]byte("x"), fragments, test.total)); got != "x"+test.want {
					t.Errorf("got  %s\nwant x%s", got, test.want)
				}
				joined := strings.Join(test.fragments, ",")
				open := append(AppendListOpen([]byte("x")), joined...)
				if got := string(AppendListClose(open, test.total, nil)); got != "x"+test.want {
					t.Errorf("in parts: got %s\nwant x%s", got, test.want)
				}
				if n := ListSize(len(fragments), len(strings.Join(test.fragments, "")), test.total); n != len(test.want) {
					t.Errorf("size %d, want %d", n, len(test.want))
				}
			})
		}
	})
	t.Run("errors", func(t *testing.T) {
		tests := []struct {
			name string
			err  problem.Problem
			want string
		}{
			{"an error has a status, a code and a message", problem.Problem{Status: 404, Code: "unknown_item", Message: "no such item", Position: -1},
				`{"status":404,"error":{"code":"unknown_item","message":"no such item"}}`},
			{"and the parameter that is wrong", problem.Problem{Status: 400, Code: "bad_page", Message: `page must be an integer from 1, not "abc"`, Parameter: "page", Position: -1},
				`{"status":400,"error":{"code":"bad_page","message":"page must be an integer from 1, not \"abc\"","parameter":"page"}}`},
			{"and the position in the body", problem.Problem{Status: 400, Code: "bad_json", Message: "m", Position: 0},
				`{"status":400,"error":{"code":"bad_json","message":"m","position":0}}`},
			{"or both", problem.Problem{Status: 400, Code: "c", Message: "m", Parameter: "query.bool", Position: 17},
				`{"status":400,"error":{"code":"c","message":"m","parameter":"query.bool","position":17}}`},
			{"markup is escaped", problem.Problem{Status: 400, Code: "c", Message: "<script>&'\"\\/</script>", Parameter: "<b>", Position: -1},
				`{"status":400,"error":{"code":"c","message":"\u003cscript\u003e\u0026'\"\\/\u003c/script\u003e","parameter":"\u003cb\u003e"}}`},
			{"so are control bytes", problem.Problem{Status: 400, Code: "c", Message: "\x00\t\n\r\x1f\x7f", Position: -1},
				`{"status":400,"error":{"code":"c","message":"\u0000\t\n\r\u001f\u007f"}}`},
			{"other letters are not", problem.Problem{Status: 400, Code: "c", Message: "é日🙂\u2028\u2029", Position: -1},
				`{"status":400,"error":{"code":"c","message":"é日🙂\u2028\u2029"}}`},
			{"errors of content have diagnostics", problem.Problem{Status: 503, Code: "c", Message: "m", Position: -1, Diagnostics: []problem.Diagnostic{
				{File: "a/<b>.json", Line: 17, Column: 40, Message: "wrong\n", Hint: "mend \"it\""}, {File: "content", Message: "missing"}, {Message: "empty"}}},
				`{"status":503,"error":{"code":"c","message":"m","diagnostics":[` +
					`{"file":"a/\u003cb\u003e.json","line":17,"column":40,"message":"wrong\n","hint":"mend \"it\""},{"file":"content","message":"missing"},{"message":"empty"}]}}`},
			{"bytes that are not UTF-8 are replaced", problem.Problem{Status: 400, Code: "c", Message: "a\xff\xc3", Position: -1},
				"{\"status\":400,\"error\":{\"code\":\"c\",\"message\":\"a\uFFFD\uFFFD\"}}"},
		}
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				if got := string(AppendError([]byte("x"), test.err)); got != "x"+test.want {
					t.Errorf("got  %s\nwant x%s", got, test.want)
				}
			})
		}
	})
}

func TestListWithAggregations(t *testing.T) {
	got := string(AppendListClose(AppendListOpen(nil), 3, []byte(`{"n":{"value":1}}`)))
	if want := `{"status":200,"data":[],"totalItems":3,"aggregations":{"n":{"value":1}}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestItemError(t *testing.T) {
	got := string(AppendItemError([]byte("x"), []byte(`"ready"`), problem.Problem{Status: 503, Code: "c", Message: "m", Position: -1, Diagnostics: []problem.Diagnostic{{Message: "n"}}}))
	if want := `x{"status":200,"data":"ready","error":{"code":"c","message":"m","diagnostics":[{"message":"n"}]}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzError(f *testing.F) {
	f.Add("page must be an integer from 1, not \"<b>\"", "page")
	f.Add("\xff\x00\u2028", "a\\")
	f.Fuzz(func(t *testing.T, message, parameter string) {
		body := AppendError(nil, problem.Problem{Status: 400, Code: "c", Message: message, Parameter: parameter, Position: -1})
		var got struct {
			Error struct{ Message, Parameter string }
		}
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		if got.Error.Message != wellFormed(message) || got.Error.Parameter != wellFormed(parameter) {
			t.Fatalf("%q, %q became %q", message, parameter, body)
		}
		if strings.ContainsAny(string(body), "<>&") {
			t.Fatalf("%q holds markup", body)
		}
	})
}

// wellFormed replaces every invalid byte of s by U+FFFD.
func wellFormed(s string) string { return string([]rune(s)) }

func TestAppendingAllocatesNothing(t *testing.T) {
	dst, fragment := make([]byte, 0, 4096), []byte(`{"Name":"a","Data":{"title":"b","list":[{"x":1,"y":2}]}}`)
	if n := testing.AllocsPerRun(100, func() {
		AppendItem(dst, fragment)
		AppendListClose(append(AppendListOpen(dst), fragment...), 12, nil)
		AppendError(dst, problem.Problem{Status: 400, Code: "c", Message: "<m>", Position: -1})
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// Item takes the fragment out of the file of an item, also where other members follow.
func TestItemOfBody(t *testing.T) {
	for body, want := range map[string]string{
		string(AppendItem(nil, []byte(`{"a":"}","b":[{}]}`))): `{"a":"}","b":[{}]}`,
		`{"status":200,"data":{"a":1},"Included":{"b":{}}}`:   `{"a":1}`,
		`{"status":200,"data":{"a":1}`:                        "",
		`{"status":200,"data":`:                               "",
		`{"status":200,"data":{"a":"x`:                        "",
		`{"status":404,"code":"unknown_item"}`:                "",
		"":                                                    "",
	} {
		if got, ok := Item([]byte(body)); string(got) != want || ok != (want != "") {
			t.Errorf("%s: %s, %t", body, got, ok)
		}
	}
}
