// These tests compare the decoding of strings with the standard library.

package jsoncursor

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

func TestAppendUnquoted(t *testing.T) {
	tests := []struct{ name, json string }{
		{"empty", `""`},
		{"plain", `"plain"`},
		{"beyond ASCII", `"å€😀"`},
		{"every short escape", `"\"\\\/\b\f\n\r\t"`},
		{"code point", `"\u0041\u00e5\u20AC\uFfFf"`},
		{"zero", `"a\u0000b"`},
		{"pair", `"\ud83d\ude00x\uD83D\uDE00"`},
		{"high half alone", `"\ud83d"`},
		{"high half before text", `"\ud83dx"`},
		{"high half before an escape", `"\ud83d\n"`},
		{"high half before a letter", `"\ud83d\u0041"`},
		{"high half twice", `"\ud83d\ud83d\ude00"`},
		{"low half alone", `"\ude00\u0041"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var want string
			if err := json.Unmarshal([]byte(tt.json), &want); err != nil {
				t.Fatal(err)
			}
			got := AppendUnquoted([]byte("kept "), append([]byte(tt.json[1:]), `,"more"`...))
			if string(got) != "kept "+want {
				t.Errorf("got %q, want %q", got, "kept "+want)
			}
		})
	}
}

func TestAppendUnquotedCutShort(t *testing.T) {
	text := `ab\n\u20ac\ud83d\ude00`
	for n := range text {
		AppendUnquoted(nil, []byte(text[:n])) // must return, whatever the result
	}
}

func TestSpells(t *testing.T) {
	tests := []struct {
		quoted, want string
		spells       bool
	}{
		{`"a"`, "a", true}, {`"a"`, "b", false}, {`"\u0061"`, "a", true}, {`"\u0062"`, "a", false}, {`""`, "", true}, {`"`, "", false}, {``, "", false},
		{`"ab`, "a", true}, {`123`, "2", false}, {`null`, "ul", false}, {`"a\"`, `a"`, true}, {`"é"`, "é", true},
	}
	for _, tt := range tests {
		if got := Spells([]byte(tt.quoted), tt.want); got != tt.spells {
			t.Errorf("Spells(%s, %q) is %v", tt.quoted, tt.want, got)
		}
	}
}

func FuzzUnquote(f *testing.F) {
	for _, text := range []string{``, `plain`, `\ud83d\ude00\n\u00E5`, `\ud83d\ud83d\ude00\"`, `\`, `\u12`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want string
		quoted := `"` + text + `"`
		got := Unquote([]byte(quoted))
		if utf8.ValidString(text) && json.Unmarshal([]byte(quoted), &want) == nil && string(got) != want {
			t.Errorf("%s is %q, want %q", quoted, got, want)
		}
		for n := range quoted {
			Unquote([]byte(quoted[:n])) // must return, whatever the result
			Spells([]byte(quoted[:n]), text)
		}
	})
}
