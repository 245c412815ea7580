package release

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

var at = time.Date(2026, 4, 7, 11, 30, 0, 0, time.FixedZone("", 2*3600))

const pointerText = `{"format":1,"sequence":2,"build":"00112233445566aa","manifest_bytes":8,` +
	`"manifest_sha256":"05b3abf2579a5eb66403cd78be557fd860633a1fe2103c7642030defe32c657f","previous":"0000000000000001","published":"2026-04-07T09:30:00Z"}` + "\n"

func TestPointer(t *testing.T) {
	first := (*Pointer)(nil).Next("0000000000000001", []byte("x"), at)
	if first.Sequence != 1 || first.Previous != "" {
		t.Errorf("the first pointer is %+v", first)
	}
	second := first.Next("00112233445566aa", []byte("manifest"), at)
	got := string(second.Encode())
	if got != pointerText {
		t.Errorf("got  %s\nwant %s", got, pointerText)
	}
	back, err := ParsePointer([]byte(got))
	if err != nil || *back != *second {
		t.Errorf("read back: %+v, %v", back, err)
	}
}

func TestParsePointerRefuses(t *testing.T) {
	if _, err := ParsePointer([]byte(pointerText)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, new string }{
		{"path as build", "00112233445566aa", "../../etc/passwd"},
		{"path of a build's length", "00112233445566aa", "../../../../etc/"},
		{"build in capitals", "00112233445566aa", "00112233445566AA"},
		{"no build", "00112233445566aa", ""},
		{"previous", "0000000000000001", "../x"},
		{"sequence 0", `"sequence":2`, `"sequence":0`},
		{"negative sequence", `"sequence":2`, `"sequence":-2`},
		{"sequence too large", `"sequence":2`, `"sequence":9007199254740992`},
		{"sequence beyond 64 bits", `"sequence":2`, `"sequence":99999999999999999999`},
		{"endless manifest", `"manifest_bytes":8`, `"manifest_bytes":1099511627776`},
		{"no manifest", `"manifest_bytes":8`, `"manifest_bytes":0`},
		{"digest", "05b3abf2", "05b3abf"},
		{"time", "2026-04-07T09:30:00Z", "yesterday"},
		{"local time", "2026-04-07T09:30:00Z", "2026-04-07T09:30:00+02:00"},
		{"unknown member of the frozen format", `"build"`, `"x":1,"build"`},
		{"origin without a signature", `"sequence"`, `"origin":"a","sequence"`},
		{"more lines", "\n", "\n\n— a AAAAAAA=\n"},
		{"member twice", `"sequence":2`, `"sequence":1,"sequence":2`},
		{"spaces", ",", ", "},
		{"cut", `"}`, ``},
		{"older format", `"format":1`, `"format":0`},
		{"too long", "\n", strings.Repeat("\n", MaxPointer)},
	} {
		if p, err := ParsePointer([]byte(strings.Replace(pointerText, c.old, c.new, 1))); !errors.Is(err, ErrPointer) {
			t.Errorf("%s: %+v, %v", c.name, p, err)
		}
	}
	for _, newer := range []string{`{"format":5,"more":[]}`, `{"format":5,"more":[]}` + "\n\nmore lines"} {
		if _, err := ParsePointer([]byte(newer)); !errors.Is(err, ErrFormat) {
			t.Errorf("a newer format: %v", err)
		}
	}
}

func TestParsePointerAfterEveryChange(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range pointerText {
		b := []byte(pointerText)
		b[i] ^= 1 << rnd.IntN(8)
		if p, err := ParsePointer(b); err == nil && !bytes.Equal(p.Encode(), b) {
			t.Errorf("byte %d changed: read as %+v", i, p)
		}
	}
}

func FuzzPointer(f *testing.F) {
	f.Add([]byte(pointerText))
	f.Add([]byte(signedText))
	f.Add([]byte(strings.Replace(signedText, `"sequence"`, `"x":{"a":[1,{}]},"sequence"`, 1)))
	f.Add([]byte(`{"format":5}`))
	f.Add([]byte(kindText))
	f.Add([]byte(strings.Replace(signedText, `{"format":2,"origin":"news.example/production"`, `{"format":4,"origin":"news.example/production","kind":"nodes"`, 1)))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ParsePointer(b)
		if err != nil {
			return
		}
		if !IsBuild(p.Build) || p.Sequence < 1 || !p.IsSigned() && !bytes.Equal(p.Encode(), b) {
			t.Errorf("%q was read as %+v", b, p)
		}
		// Without what this version does not know it is the same pointer.
		if again, err := ParsePointer(append(p.Encode(), b[len(PointerText(b)):]...)); err != nil || *again != *p {
			t.Errorf("%q was read as %+v, then as %+v, %v", b, p, again, err)
		}
	})
}
