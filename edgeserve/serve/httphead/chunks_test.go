// This file tests the scan of chunked bodies.

package httphead

import (
	"bufio"
	"bytes"
	"io"
	"math/rand"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// scanResult is the size of a body, incomplete or invalid.
type scanResult int

const (
	invalid    scanResult = -1
	incomplete scanResult = 0
)

// scan scans a body that arrives up to each of the offsets, and then whole.
func scan(body []byte, arrivals ...int) (r scanResult, data int64) {
	var c Chunks
	for _, n := range append(arrivals, len(body)) {
		size, ok := c.Scan(body[:n])
		if !ok {
			return invalid, c.Data()
		}
		if size > 0 {
			return scanResult(size), c.Data()
		}
	}
	return incomplete, c.Data()
}

// everyOffset returns the arrivals of single bytes.
func everyOffset(body []byte) (arrivals []int) {
	for n := range body {
		arrivals = append(arrivals, n)
	}
	return arrivals
}

const complete = "complete"

func TestChunks(t *testing.T) {
	long := strings.Repeat("x", maxLineLength)
	for _, c := range []struct{ name, body, want string }{
		{"no chunk", "0\r\n\r\n", complete},
		{"one chunk", "3\r\nabc\r\n0\r\n\r\n", complete},
		{"two chunks", "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n", complete},
		{"data like framing", "5\r\n0\r\n\r\n\r\n0\r\n\r\n", complete},
		{"letters", "a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n", complete},
		{"leading zeros", "0003\r\nabc\r\n00000\r\n\r\n", complete},
		{"extensions", "1;a\r\na\r\n1;a=b;c=\"d\\\";\"\r\na\r\n0;x\r\n\r\n", complete},
		{"white space around extensions", "1 ; a\t= b ;c\r\na\r\n0\r\n\r\n", complete},
		{"trailer fields", "0\r\nX: y\r\nZ:\r\n\r\n", complete},

		{"nothing", "", ""},
		{"a digit", "0", ""},
		{"half a line end", "0\r", ""},
		{"no end of the body", "0\r\n", ""},
		{"half an end of the body", "0\r\n\r", ""},
		{"half the data", "3\r\na", ""},
		{"half an end of the data", "1\r\na\r", ""},
		{"no last chunk", "1\r\na\r\n", ""},
		{"half a trailer field", "0\r\nX: y", ""},
		{"no end of the trailer", "0\r\nX: y\r\n", ""},
		{"as many digits as may be", strings.Repeat("f", maxSizeDigits) + "\r\nx", ""},

		{"LF at the end of the body", "0\r\n\n", "invalid"},
		{"LF after the last size", "0\n\r\n", "invalid"},
		{"LF after a trailer field", "0\r\nX: y\n\r\n", "invalid"},
		{"LF after the trailer", "0\r\nX: y\r\n\n", "invalid"},
		{"LF after a size", "1\na\r\n0\r\n\r\n", "invalid"},
		{"LF after the data", "1\r\na\n0\r\n\r\n", "invalid"},
		{"CR after the data", "1\r\na\r0\r\n\r\n", "invalid"},
		{"CR after a size", "1\ra\r\n0\r\n\r\n", "invalid"},
		{"CR in the end of a size", "1\r\r\na\r\n0\r\n\r\n", "invalid"},
		{"LF in an extension", "1;a\na\r\n0\r\n\r\n", "invalid"},
		{"CR in an extension", "1;a\rb\r\na\r\n0\r\n\r\n", "invalid"},
		{"LF in a quoted extension", "1;a=\"\n\"\r\na\r\n0\r\n\r\n", "invalid"},
		{"line end in a quoted extension", "1;a=\"\r\n\"\r\na\r\n0\r\n\r\n", "invalid"},
		{"CR in a trailer field", "0\r\nX: y\rZ: z\r\n\r\n", "invalid"},
		{"more data than its size", "1\r\nab\r\n0\r\n\r\n", "invalid"},
		{"less data than its size", "2\r\na\r\n0\r\n\r\n", "invalid"},
		{"no size", "\r\na\r\n0\r\n\r\n", "invalid"},
		{"extension alone", ";a\r\na\r\n0\r\n\r\n", "invalid"},
		{"prefix", "0x1\r\na\r\n0\r\n\r\n", "invalid"},
		{"sign", "+1\r\na\r\n0\r\n\r\n", "invalid"},
		{"minus", "-1\r\na\r\n0\r\n\r\n", "invalid"},
		{"underscore", "1_0\r\n", "invalid"},
		{"no digit", "g\r\n", "invalid"},
		{"space before a size", " 1\r\na\r\n0\r\n\r\n", "invalid"},
		{"space after a size", "1 \r\na\r\n0\r\n\r\n", "invalid"},
		{"overflow", "1" + strings.Repeat("0", maxSizeDigits) + "\r\nx", "invalid"},
		{"too many zeros", strings.Repeat("0", maxSizeDigits+1) + "\r\n\r\n", "invalid"},
		{"extension of no name", "1;\r\na\r\n0\r\n\r\n", "invalid"},
		{"extension of no value", "1;a=\r\na\r\n0\r\n\r\n", "invalid"},
		{"extension of two words", "1;a b\r\na\r\n0\r\n\r\n", "invalid"},
		{"open quote", "1;a=\"b\r\na\r\n0\r\n\r\n", "invalid"},
		{"quote and more", "1;a=\"b\"c\r\na\r\n0\r\n\r\n", "invalid"},
		{"escaped end of a quote", "1;a=\"\\\r\na\r\n0\r\n\r\n", "invalid"},
		{"control byte in an extension", "1;a=\"\x00\"\r\na\r\n0\r\n\r\n", "invalid"},
		{"trailer line that is no field", "0\r\nX\r\n\r\n", "invalid"},
		{"space before the colon", "0\r\nX : y\r\n\r\n", "invalid"},
		{"folded trailer field", "0\r\nX: y\r\n z\r\n\r\n", "invalid"},
		{"long extension", "1;" + long + "\r\na\r\n0\r\n\r\n", "invalid"},
		{"long extension without end", "1;" + long, "invalid"},
		{"long trailer field", "0\r\nX: " + long + "\r\n\r\n", "invalid"},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := []byte(c.body)
			want := map[string]scanResult{complete: scanResult(len(body)), "": incomplete, "invalid": invalid}[c.want]
			if got, _ := scan(body); got != want {
				t.Errorf("at once: %d, want %d", got, want)
			}
			if got, _ := scan(body, everyOffset(body)...); got != want {
				t.Errorf("byte by byte: %d, want %d", got, want)
			}
			if c.want != complete {
				return
			}
			if got, _ := scan([]byte(c.body + "GET / HTTP/1.1\r\n")); got != want {
				t.Errorf("with a request after it: %d, want %d", got, want)
			}
		})
	}
}

func TestChunksData(t *testing.T) {
	for body, want := range map[string]int64{"": 0, "0\r\n\r\n": 0, "3\r\nabc\r\n10\r\n": 19, "fffffffffffffff\r\n": 1<<60 - 1} {
		if _, got := scan([]byte(body)); got != want {
			t.Errorf("%q: %d bytes of data, want %d", body, got, want)
		}
	}
}

// Scan does not look at a byte twice: a line that grows byte by byte costs no more than its
// length.
func TestChunksScanBytesOnce(t *testing.T) {
	for _, body := range []string{"1;" + strings.Repeat("x", 99), "0\r\nX: " + strings.Repeat("y", 99), "ff\r\n" + strings.Repeat("z", 99)} {
		var c Chunks
		b := []byte(body)
		if _, ok := c.Scan(b); !ok {
			t.Fatalf("%q is refused", body)
		}
		if at := max(c.position, c.scanned); at != len(b) {
			t.Errorf("%q: continues at %d of %d", body, at, len(b))
		}
	}
}

// A line as regular expressions, with a character for each byte.
const (
	refToken  = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
	refQuoted = `"(?:[\t !#-\[\]-~\x{80}-\x{ff}]|\\[\t -~\x{80}-\x{ff}])*"`
)

var (
	refSizeLine = regexp.MustCompile(`^([0-9A-Fa-f]{1,15})(?:[ \t]*;[ \t]*` + refToken +
		`(?:[ \t]*=[ \t]*(?:` + refToken + `|` + refQuoted + `))?)*\r\n$`)
	refTrailerLine = regexp.MustCompile(`^(?:` + refToken + `:[\t -~\x{80}-\x{ff}]*)?\r\n$`)
)

// referenceScan is scan by regular expressions of complete lines.
func referenceScan(body []byte) scanResult {
	rest, inTrailers := body, false
	for {
		line, _, ok := bytes.Cut(rest, []byte("\n"))
		if len(line) >= maxLineLength && (ok || len(line) > maxLineLength) {
			return invalid
		}
		if !ok {
			return incomplete
		}
		rest = rest[len(line)+1:]
		text := latin1(line) + "\n"
		if inTrailers {
			if !refTrailerLine.MatchString(text) {
				return invalid
			}
			if text == "\r\n" {
				return scanResult(len(body) - len(rest))
			}
			continue
		}
		digits := refSizeLine.FindStringSubmatch(text)
		if digits == nil {
			return invalid
		}
		n := 0
		for _, d := range strings.ToLower(digits[1]) {
			n = 16*n + strings.IndexRune("0123456789abcdef", d)
		}
		if inTrailers = n == 0; inTrailers {
			continue
		}
		if n >= len(rest) {
			return incomplete
		}
		rest = rest[n:]
		if !bytes.HasPrefix([]byte("\r\n"), rest[:min(2, len(rest))]) {
			return invalid
		}
		if len(rest) < 2 {
			return incomplete
		}
		rest = rest[2:]
	}
}

func latin1(b []byte) string {
	var s strings.Builder
	for _, c := range b {
		s.WriteRune(rune(c))
	}
	return s.String()
}

// However a body arrives, the result is that of referenceScan, and net/http finds as much
// data in it.
func FuzzChunks(f *testing.F) {
	f.Add([]byte("3\r\nabc\r\n0\r\n\r\n"), int64(1))
	f.Add([]byte("1;a=b\r\na\r\nA ; b=\"\\c\"\r\n0123456789\r\n0\r\nX: y\r\n\r\nGET"), int64(2))
	for i, end := range []string{"0\r\n\n", "0\n\r\n", "0\r\nX: y\n\r\n", "1\na\r\n0\r\n\r\n", "1\r\na\n0\r\n\r\n", "1;a=\"\r\n", "0\r\n x: y\r\n\r\n", "fffffffffffffff\r\n"} {
		f.Add([]byte(end), int64(i))
	}
	f.Fuzz(func(t *testing.T, body []byte, seed int64) {
		got, data := scan(body)
		if want := referenceScan(body); got != want {
			t.Fatalf("%q: %d, the reference has %d", body, got, want)
		}
		r := rand.New(rand.NewSource(seed))
		var arrivals []int
		for n := 0; n < len(body); n += 1 + r.Intn(1+r.Intn(8)) {
			arrivals = append(arrivals, n)
		}
		if cut, _ := scan(body, arrivals...); cut != got {
			t.Fatalf("%q: %d, arriving at %v %d", body, got, arrivals, cut)
		}
		if got <= 0 {
			return
		}
		head := "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
		req, err := http.ReadRequest(bufio.NewReader(io.MultiReader(strings.NewReader(head), bytes.NewReader(body[:got]))))
		if err != nil {
			t.Fatal(err)
		}
		if read, err := io.Copy(io.Discard, req.Body); err == nil && read != data {
			t.Errorf("%q: %d bytes of data, net/http finds %d", body, data, read)
		}
	})
}

// A byte of a body that arrives byte by byte costs no more than one of a complete body.
func BenchmarkChunksByteByByte(b *testing.B) {
	body := []byte(strings.Repeat("1\r\na\r\n", 10_000) + "0\r\n\r\n")
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		var c Chunks
		for n := range body {
			if _, ok := c.Scan(body[:n+1]); !ok {
				b.Fatal("refused")
			}
		}
	}
}
