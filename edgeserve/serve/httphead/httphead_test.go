// This file tests the checks of heads.

package httphead

import (
	"strings"
	"testing"
)

func TestNext(t *testing.T) {
	for _, c := range []struct {
		name, raw         string
		field, value, end string
		ok                bool
	}{
		{"simple", "A: b\r\nC: d\r\n", "A", "b", "C: d\r\n", true},
		{"no space", "A:b\r\n", "A", "b", "", true},
		{"space around", "A: \t b c \t\r\n", "A", "b c", "", true},
		{"no value", "A:\r\n", "A", "", "", true},
		{"above ASCII", "A: \xff\x80\r\n", "A", "\xff\x80", "", true},
		{"empty line", "\r\nrest", "", "", "rest", true},
		{"no end", "A: b", "", "", "", false},
		{"bare LF", "A: b\n", "", "", "", false},
		{"LF alone", "\n", "", "", "", false},
		{"no colon", "A\r\n", "", "", "", false},
		{"no name", ": b\r\n", "", "", "", false},
		{"space in the name", "A b: c\r\n", "", "", "", false},
		{"folded", " A: b\r\n", "", "", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			name, value, rest, ok := Next([]byte(c.raw))
			if ok != c.ok || ok && (string(name) != c.field || string(value) != c.value || string(rest) != c.end) {
				t.Errorf("got %q, %q, %q, %v", name, value, rest, ok)
			}
		})
	}
}

// isValue judges each byte at each place of a value, beside bytes of all kinds, as by itself.
func TestIsValueOfEachByte(t *testing.T) {
	for _, filler := range []string{" ", "a", "\t", "\x7e", "\x80", "\xff"} {
		for c := range 256 {
			for at := range 17 {
				v := []byte(strings.Repeat(filler, 19))
				v[at] = byte(c)
				want := byte(c) >= 0x20 && c != 0x7f || c == '\t'
				if got := isValue(v); got != want {
					t.Fatalf("isValue(%q) = %v", v, got)
				}
			}
		}
	}
}

// TestHTTPHead shows which heads of requests are refused, and for what.
func TestHTTPHead(t *testing.T) {
	for _, c := range []struct {
		name, protocol, raw string
		want                Fault
	}{
		{"a Host is enough", "HTTP/1.1", "Host: a\r\n\r\n", None},
		{"HTTP/1.0 needs none", "HTTP/1.0", "\r\n", None},
		{"another version is refused", "HTTP/2.0", "Host: a\r\n\r\n", Version},
		{"HTTP/1.1 needs a Host", "HTTP/1.1", "\r\n", Host},
		{"two Hosts are refused, also if they are equal", "HTTP/1.1", "Host: a\r\nhost: a\r\n\r\n", Host},
		{"a Host with a path is refused", "HTTP/1.1", "Host: a/b\r\n\r\n", Host},
		{"a body may have a length", "HTTP/1.1", "Host: a\r\nContent-Length: 1\r\n\r\n", None},
		{"but not two, also if they are equal", "HTTP/1.1", "Host: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", Framing},
		{"a body may be chunked", "HTTP/1.1", "Host: a\r\nTransfer-Encoding: CHUNKED\r\n\r\n", None},
		{"but not in HTTP/1.0", "HTTP/1.0", "Host: a\r\nTransfer-Encoding: chunked\r\n\r\n", Framing},
		{"and not with a length", "HTTP/1.1", "Host: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", Framing},
		{"no other transfer coding is known", "HTTP/1.1", "Host: a\r\nTransfer-Encoding: gzip\r\n\r\n", Framing},
	} {
		t.Run(c.name, func(t *testing.T) {
			var h Head
			if !h.Read([]byte(c.raw)) {
				t.Fatal("the fields are refused")
			}
			if got := h.Judge(c.protocol); got != c.want {
				t.Errorf("fault %d, want %d", got, c.want)
			}
		})
	}
}

func TestReadRefusesTrailingBytes(t *testing.T) {
	for _, raw := range []string{"A: b\r\n\r\nmore", "A: b\r\nC\r\n\r\n"} {
		if new(Head).Read([]byte(raw)) {
			t.Errorf("%q is accepted", raw)
		}
	}
}

func TestValidHost(t *testing.T) {
	for _, c := range []struct {
		host string
		want bool
	}{
		{"a", true}, {"a.example", true}, {"a:1", true}, {"a:", true}, {"127.0.0.1:80", true}, {"[::1]", true}, {"[::1]:8", true}, {"x_y~%20", true}, {"", true}, {":80", true}, {":", true},
		{"a:b", false}, {"a:1:2", false}, {"[::1", false}, {"[::1]x", false}, {"[]", false}, {"[g]", false}, {"a/b", false}, {"a b", false}, {"a@b", false}, {"é", false}, {":a", false}, {"::", false},
	} {
		if got := ValidHost([]byte(c.host)); got != c.want {
			t.Errorf("ValidHost(%q) = %v", c.host, got)
		}
	}
}

const browserHead = "Host: cms.example.org\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n" +
	"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\nAccept-Language: en-GB,en;q=0.7,de;q=0.3\r\n" +
	"Accept-Encoding: gzip, deflate, br, zstd\r\nConnection: keep-alive\r\nCookie: theme=dark; session=0f7c2a54d1b94c2f8f62\r\n" +
	"Sec-Fetch-Dest: document\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Site: none\r\nPriority: u=0, i\r\n\r\n"

func BenchmarkReadBrowser(b *testing.B) {
	raw := []byte(browserHead)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		var h Head
		if !h.Read(raw) {
			b.Fatal("refused")
		}
	}
}
