// This file asks every server for everything once before it is measured: that warms
// caches, collects ETags, and proves that all give the same bodies and, in the last answer
// of each case, the same header fields.

package servebench

import (
	"bufio"
	stdgzip "compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// answers are what a server said to the requests of a case.
type answers struct {
	tags   []string
	bodies [][sha256.Size]byte // decoded
	bytes  int64               // of all bodies as they were sent
	head   http.Header         // of the last one
}

// together is how many requests are sent before their answers are read: less waiting on
// a busy machine, and few enough for the buffers on the way.
const together = 8

// ask sends requests on one connection.
func ask(addr string, requests []string, status int) (a answers, err error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return a, err
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	for i, q := range requests {
		if i%together == 0 {
			if _, err := io.WriteString(conn, strings.Join(requests[i:min(i+together, len(requests))], "")); err != nil {
				return a, err
			}
		}
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			return a, err
		}
		if resp.StatusCode != status {
			return a, fmt.Errorf("%s is answered %s, not %d", firstLine(q), resp.Status, status)
		}
		if err := a.take(resp); err != nil {
			return a, fmt.Errorf("%s: %w", firstLine(q), err)
		}
	}
	return a, nil
}

func firstLine(q string) string {
	line, _, _ := strings.Cut(q, "\r\n")
	return line
}

// take keeps an answer.
func (a *answers) take(resp *http.Response) error {
	a.head = resp.Header
	a.tags = append(a.tags, resp.Header.Get("ETag"))
	sent := &counter{r: resp.Body}
	var body io.Reader = sent
	if resp.Header.Get("Content-Encoding") == "gzip" {
		z, err := stdgzip.NewReader(sent)
		if err != nil {
			return err
		}
		body = z
	}
	h := sha256.New()
	if _, err := io.Copy(h, body); err != nil {
		return err
	}
	a.bodies = append(a.bodies, [sha256.Size]byte(h.Sum(nil)))
	a.bytes += sent.n
	return resp.Body.Close()
}

// counter counts what is read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// prepare returns the requests of a case for a server, once it has answered each.
func (v *server) prepare(k theCase) (requests []string, a answers, err error) {
	for _, q := range k.requests {
		requests = append(requests, q.bytes(v.addr, ""))
	}
	if a, err = ask(v.addr, requests, http.StatusOK); err != nil || !k.tagged {
		return requests, a, err
	}
	for i, q := range k.requests {
		requests[i] = q.bytes(v.addr, a.tags[i])
	}
	a, err = ask(v.addr, requests, http.StatusNotModified)
	return requests, a, err
}
