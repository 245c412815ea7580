package fastpath

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
)

// followed returns how much of b a framing lets through when b arrives in pieces that end at
// the offsets.
func followed(b string, ends ...int) (n int, f framing) {
	from := 0
	for _, to := range append(ends, len(b)) {
		n += f.follow([]byte(b[from:to]))
		if from = to; f.broken {
			break
		}
	}
	return n, f
}

const (
	get     = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
	post    = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n"
	chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
)

// Fiber gets what is framed as the grammar says, and nothing from the first byte on at which
// it could see another end than other readers.
func TestFraming(t *testing.T) {
	for name, c := range map[string]struct{ sound, rest string }{
		"requests":                  {get + get, ""},
		"an empty line before":      {"\r\n" + get + "\r\n\r\n" + get, ""},
		"a body":                    {post + "\n\n\n\n" + get, ""},
		"chunks":                    {chunked + "2;a=\"b\"\r\n\n\n\r\n0\r\nT: x\r\n\r\n" + get, ""},
		"a head in bare LF":         {"GET / HTTP/1.1", "\nHost: a\n\n"},
		"a TLS handshake":           {get + "\x16", "\x03\x01"},
		"one bare LF in a head":     {get + "GET / HTTP/1.1\r\nHost: a", "\n\r\n"},
		"a head that ends in LF":    {"GET / HTTP/1.1\r\nHost: a\r\n", "\n" + get},
		"behind a body":             {post + "abcd", "\n"},
		"the size of a chunk":       {chunked, "2\n{}\r\n0\r\n\r\n"},
		"a chunk that is too long":  {chunked + "2\r\n{}", "x\r\n0\r\n\r\n"},
		"a chunk's end":             {chunked + "2\r\n{}", "\n0\r\n\r\n"},
		"the last chunk's end":      {chunked + "2\r\n{}\r\n0\r\n", "\n" + get},
		"a trailer":                 {chunked + "0\r\n", "T: x\n\r\n"},
		"behind chunks":             {chunked + "0\r\n\r\nGET /", "\n"},
		"behind an unclear request": {"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n\nx\n", ""},
	} {
		all := c.sound + c.rest
		if n, f := followed(all); n != len(c.sound) || f.broken != (c.rest != "") {
			t.Errorf("%s: %q passes, %q does not", name, all[:n], all[n:])
		}
		every := make([]int, len(all))
		for i := range every {
			every[i] = i
		}
		most := len(c.sound) + max(strings.IndexByte(c.rest, '\n'), 0) // the line's end shows the fault
		if n, f := followed(all, every...); n > most || f.broken != (c.rest != "") {
			t.Errorf("%s, byte by byte: %q passes, %q does not", name, all[:n], all[n:])
		}
	}
}

// How the bytes are cut into packets does not matter, and what is sound ends a request.
func TestFramingOfPieces(t *testing.T) {
	parts := []string{get, post + "\r\nab", chunked + "3\r\nabc\r\n0\r\n\r\n", chunked + "0\r\nA: b\r\n\r\n", "\r\n", "\n", "0\r\n", "x"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var all strings.Builder
		for range 1 + random.IntN(5) {
			all.WriteString(parts[random.IntN(len(parts))])
		}
		b := all.String()
		cut := random.IntN(len(b))
		_, whole := followed(b)
		_, pieces := followed(b, cut)
		same := whole.broken == pieces.broken && whole.unclear == pieces.unclear
		if !whole.broken {
			same = same && whole.body == pieces.body && (whole.chunks == nil) == (pieces.chunks == nil) && bytes.Equal(whole.pending, pieces.pending)
		}
		if !same {
			t.Fatalf("%q cut at %d: %+v, whole %+v", b, cut, pieces, whole)
		}
	}
}

// What breaks the framing is never read, however often Fiber tries, and counts as the end.
func TestReadEndsWhereFramingBreaks(t *testing.T) {
	var lingering atomic.Int64
	p, client := lingeringPair(t, &lingering)
	if _, err := io.WriteString(client, get+"GET / HTTP/1.1\nHost: a\n\n"+get); err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(p)
	if string(b) != get+"GET / HTTP/1.1" || err != errLineEnd || !ReadEOF(p) {
		t.Errorf("%q, %v", b, err)
	}
	if n, err := p.Read(make([]byte, 1)); n != 0 || err != errLineEnd {
		t.Errorf("reads on: %d, %v", n, err)
	}
}
