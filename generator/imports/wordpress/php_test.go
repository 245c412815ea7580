package wordpress

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestUnserialize(t *testing.T) {
	for text, want := range map[string]string{
		`N;`: "null", `b:1;`: "true", `b:0;`: "false", `i:-7;`: "-7", `d:0.5;`: "0.5", `d:1.0E+25;`: "1.0E+25", `d:.5;`: "0.5",
		`s:3:"a"b";`: `"a\"b"`, `s:2:"ä";`: `"ä"`, `a:0:{}`: "[]",
		`a:2:{i:0;i:1;i:1;a:1:{s:1:"k";N;}}`: `[1,{"k":null}]`,
		`a:2:{i:1;i:1;i:0;i:2;}`:             `{"1":1,"0":2}`,
		`a:1:{i:-1;i:1;}`:                    `{"-1":1}`,
		`s:14:"a:1:{i:0;i:1;}";`:             `"a:1:{i:0;i:1;}"`,
		// what stays text
		``: "", `b:2;`: "", `i:1`: "", `i:99999999999999999999;`: "", `d:NAN;`: "", `d:INF;`: "", `d:-INF;`: "", `d:inf;`: "", `d:1e999;`: "", `d:-1E+999;`: "", `a:1:{i:0;d:1e999;}`: "",
		`s:1:"ä";`: "", `s:9:"a";`: "", `s:-1:"a";`: "", `s:99999999999:"a";`: "", "s:1:\"\xff\";": "",
		`a:1:{i:0;}`: "", `a:2:{i:0;i:1;}`: "", `a:1:{i:0;i:1;`: "", `a:9999999:{}`: "", `a:1:{d:0.5;i:1;}`: "", `a:2:{s:1:"k";i:1;s:1:"k";i:2;}`: "",
		`O:8:"stdClass":0:{}`: "", `a:1:{i:0;O:1:"X":0:{}}`: "", `R:1;`: "", `C:1:"X":0:{}`: "", `i:1;i:2;`: "", `x`: "", `a:`: "", `s:`: "",
		strings.Repeat(`a:1:{i:0;`, 100) + "N;" + strings.Repeat("}", 100): "",
	} {
		got, ok := unserialize(text)
		if string(got) != want || ok != (want != "") {
			t.Errorf("%.60s: %s, want %s", text, got, want)
		}
	}
}

func FuzzUnserialize(f *testing.F) {
	for _, seed := range []string{`a:2:{i:0;s:1:"a";s:1:"k";a:1:{i:7;d:1.5;}}`, `s:3:"abc";`, `b:1;`, `N;`, `a:1:{i:0;a:1:{i:0;a:1:{i:5;N;}}}`, `O:1:"A":0:{}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, ok := unserialize(text); ok && !json.Valid(got) {
			t.Fatalf("%q became %s", text, got)
		}
	})
}

func FuzzWXR(f *testing.F) {
	f.Add(wxrOf(item("1", "post", "publish", meta("k", `a:1:{i:0;i:1;}`), `<category domain="a" nicename="b">C</category>`)))
	f.Add(wxrOf(`<wp:author><wp:author_login>a</wp:author_login></wp:author><wp:term><wp:term_slug>x</wp:term_slug></wp:term>`, item("2", "attachment", "inherit")))
	f.Add("<rss><channel><item/></channel></rss>")
	f.Add("<!DOCTYPE x [<!ENTITY a \"b\">]><rss/>")
	f.Fuzz(func(t *testing.T, text string) {
		for _, repair := range []bool{false, true} {
			r := run(t, Options{Repair: repair, TermItems: repair}, text)
			if r.Err == nil {
				r.OK()
			}
		}
	})
}
