package release

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// signedText is the pointer that OPERATION describes. Its signatures are of no key; package trust has real ones.
const signedText = `{"format":2,"origin":"news.example/production","sequence":42,"build":"0123456789abcdef","manifest_bytes":1832,` +
	`"manifest_sha256":"62c66a7a5dd70c3146618063c344e531e6d4b59e379808443ce962b3abd63c5a","previous":"fedcba9876543210",` +
	`"published":"2026-11-25T12:00:00Z","expires":"2026-12-02T12:00:00Z"}` + "\n\n" +
	"— news.example/ci g8q1SkqJMcdTwPThc65rRetfx7CJvfKQFvp/SGj0Kngy22980aSYgxne0jW5/hKFuAfuq/52acx2w/L6rZALI9cJbg4=\n" +
	"— news.example/anna LVjRKSzdh9YEwOplv9HipS3u7jLBLZX/YrZucIIqdoLUrP9q1wpPt73xgyTH1eODhJv5npjD8O/LWqCv5es5KTWvVw0=\n"

func TestPointerOfFormat2(t *testing.T) {
	before := &Pointer{Sequence: 41, Build: "fedcba9876543210"}
	p := before.Next("0123456789abcdef", nil, time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC))
	p.ManifestBytes, p.ManifestSHA256 = 1832, "62c66a7a5dd70c3146618063c344e531e6d4b59e379808443ce962b3abd63c5a"
	p, err := p.ForSigning("news.example/production", time.Date(2026, 12, 2, 13, 0, 0, 0, time.FixedZone("", 3600)), nil)
	if err != nil || string(p.Encode()) != string(PointerText([]byte(signedText))) {
		t.Errorf("%v, got\n%s", err, p.Encode())
	}
	back, err := ParsePointer([]byte(signedText))
	if err != nil || *back != *p {
		t.Errorf("read back: %+v, %v", back, err)
	}
	if back.Expired(back.ExpiresAt().Add(-1)) || !back.Expired(back.ExpiresAt()) || !back.PublishedAt().Before(back.ExpiresAt()) {
		t.Errorf("it expires at %s", back.ExpiresAt())
	}
	for _, next := range []*Pointer{back.Renewed(at), back.Next("0123456789abcdef", []byte("x"), at)} {
		if _, err := ParsePointer(next.Encode()); err != nil || next.Sequence != 43 {
			t.Errorf("unsigned after a signed one: %s, %v", next.Encode(), err)
		}
	}
	with, err := p.ForSigning("a", time.Time{}, []byte("who and from what"))
	want := `"published":"2026-11-25T12:00:00Z","attestation_bytes":17,"attestation_sha256":"` + HexSHA256([]byte("who and from what")) + `"}` + "\n"
	if err != nil || !strings.HasSuffix(string(with.Encode()), want) || with.Expired(time.Now().Add(1<<62)) {
		t.Errorf("%v, got\n%s", err, with.Encode())
	}
	for _, origin := range []string{"", "a b", "nеws.example", "a+b", `"`, strings.Repeat("a", MaxOrigin+1)} {
		if _, err := p.ForSigning(origin, time.Time{}, nil); err == nil {
			t.Errorf("origin %q is accepted", origin)
		}
	}
	if _, err := p.ForSigning("a", p.PublishedAt(), nil); err == nil {
		t.Error("it expires before it is published")
	}
}

// A reader ignores what it does not know, and nothing else.
func TestUnknownMembersOfAPointer(t *testing.T) {
	plain, err := ParsePointer([]byte(signedText))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, new string }{
		{"first", `"format"`, `"a":1,"format"`},
		{"in the middle", `"sequence"`, `"x":{"a":[1,{"a":null}],"b":"<"},"sequence"`},
		{"last", `Z"}`, `Z","z":[]}`},
		{"in another language", `"sequence"`, `"日本":"é","sequence"`},
		{"with names that differ in case", `"sequence"`, `"x":{"a":1,"A":2},"sequence"`},
	} {
		got, err := ParsePointer([]byte(strings.Replace(signedText, c.old, c.new, 1)))
		if err != nil || *got != *plain {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
	for _, c := range []struct{ name, old, new string }{
		{"a known member twice", `"sequence":42`, `"sequence":42,"sequence":42`},
		{"a known member in other letters", `"sequence":42`, `"sequence":42,"Sequence":41`},
		{"a known member in other letters alone", `"sequence"`, `"Sequence"`},
		{"a known member spelt with an escape", `"sequence"`, `"\u0073equence"`},
		{"another order", `"origin":"news.example/production","sequence":42`, `"sequence":42,"origin":"news.example/production"`},
		{"an unknown member twice", `"sequence"`, `"x":1,"x":1,"sequence"`},
		{"an unknown member twice in other letters", `"sequence"`, `"x":1,"X":1,"sequence"`},
		{"an unknown member twice inside", `"sequence"`, `"x":[{"a":1,"a":2}],"sequence"`},
		{"an unknown member with spaces", `"sequence"`, `"x": 1,"sequence"`},
		{"no UTF-8", `"sequence"`, "\"x\":\"\xff\",\"sequence\""},
		{"no JSON", `"sequence"`, `"x":01,"sequence"`},
		{"no value", `"sequence"`, `"x":,"sequence"`},
		{"no name", `"sequence"`, `1,"sequence"`},
		{"another spelling of a number", `"sequence":42`, `"sequence":42.0`},
		{"a null", `"expires":"2026-12-02T12:00:00Z"`, `"expires":null`},
		{"an empty member", `"expires":"2026-12-02T12:00:00Z"`, `"expires":""`},
		{"too deep", `"sequence"`, `"x":` + strings.Repeat("[", MaxPointer) + `,"sequence"`},
	} {
		if p, err := ParsePointer([]byte(strings.Replace(signedText, c.old, c.new, 1))); !errors.Is(err, ErrPointer) {
			t.Errorf("%s: %+v, %v", c.name, p, err)
		}
	}
}

func TestPointerOfFormat2Refuses(t *testing.T) {
	for _, c := range []struct{ name, old, new string }{
		{"no origin", `"origin":"news.example/production",`, ``},
		{"an origin with spaces", `news.example/production`, `news.example production`},
		{"an origin that looks like another", `news.example/production`, `nеws.example/production`},
		{"an end before the beginning", `2026-12-02T12`, `2026-11-02T12`},
		{"an end that is no time", `2026-12-02T12:00:00Z`, `tomorrow`},
		{"a local end", `2026-12-02T12:00:00Z`, `2026-12-02T12:00:00+02:00`},
		{"half an attestation", `Z"}`, `Z","attestation_bytes":1}`},
		{"a negative attestation", `Z"}`, `Z","attestation_bytes":-1,"attestation_sha256":"62c66a7a5dd70c3146618063c344e531e6d4b59e379808443ce962b3abd63c5a"}`},
		{"format 1 with signatures", `"format":2`, `"format":1`},
		{"format 0", `"format":2`, `"format":0`},
		{"a byte order mark", `{"format"`, "\ufeff" + `{"format"`},
		{"a space before", `{"format"`, ` {"format"`},
		{"CRLF", "\n", "\r\n"},
		{"CRLF in the line", "}\n", "}\r\n"},
		{"no empty line", "\n\n", "\n"},
		{"two empty lines", "\n\n", "\n\n\n"},
		{"two lines", "\n\n", "\n{}\n\n"},
		{"no signatures", signedText[strings.Index(signedText, "—"):], ""},
		{"signatures without a line's end", "Vw0=\n", "Vw0="},
		{"more lines", "Vw0=\n", "Vw0=\nmore\n"},
		{"another note behind it", "Vw0=\n", "Vw0=\n\n— a AAAAAAA=\n"},
		{"bytes behind it", "Vw0=\n", "Vw0=\n\x00"},
		{"a hyphen", "— news.example/ci", "- news.example/ci"},
		{"no base64", "g8q1Skq", "g8q1Sk*"},
		{"a signature without a name", "— news.example/ci ", "— "},
		{"more than 4096 bytes", "\n\n", "\n\n" + strings.Repeat("— a AAAAAAA=\n", 320)},
	} {
		changed := strings.Replace(signedText, c.old, c.new, 1)
		if c.name == "CRLF" {
			changed = strings.ReplaceAll(signedText, c.old, c.new)
		}
		if changed == signedText {
			t.Errorf("%s: nothing is changed", c.name)
		}
		if p, err := ParsePointer([]byte(changed)); !errors.Is(err, ErrPointer) {
			t.Errorf("%s: %+v, %v", c.name, p, err)
		}
	}
	for n := range len(signedText) {
		if p, err := ParsePointer([]byte(signedText[:n])); err == nil && !strings.HasSuffix(signedText[:n], "=\n") {
			t.Errorf("cut at %d: %+v", n, p)
		}
	}
}

// TestMembersOfSignedPointers refuses them in a pointer that nobody signed: they would promise what nothing proves.
func TestMembersOfSignedPointers(t *testing.T) {
	unsigned := string((&Pointer{}).Next("0123456789abcdef", []byte("m"), at).Encode())
	if _, err := ParsePointer([]byte(unsigned)); err != nil {
		t.Fatal(err)
	}
	for _, member := range []string{`"origin":"a"`, `"expires":"2026-12-02T12:00:00Z"`, `"attestation_bytes":7`, `"attestation_sha256":"` + HexSHA256(nil) + `"`} {
		text := strings.Replace(unsigned, `"sequence"`, member+`,"sequence"`, 1)
		if _, err := ParsePointer([]byte(text)); err == nil || !strings.Contains(err.Error(), "belong to formats") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
