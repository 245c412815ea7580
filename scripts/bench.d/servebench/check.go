// This file sends all requests to every server before measuring. This warms caches and
// collects ETags. It also checks that all servers send equal bodies and, in each case's
// last response, equal header fields.

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

// responses are a server's responses in a case.
type responses struct {
	tags   []string
	bodies [][sha256.Size]byte // decompressed
	bytes  int64               // total size of the bodies as sent
	head   http.Header         // of the last response
}

// together is how many requests are sent before reading the responses: less waiting on
// a busy machine, but few enough for the buffers.
const together = 8

// ask sends requests on one connection.
func ask(addr string, requests []string, status int) (a responses, err error) {
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

// take records a response.
func (a *responses) take(resp *http.Response) error {
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

// counter counts the bytes read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// prepare returns a case's requests for a server, after one response to each.
func (v *server) prepare(k theCase) (requests []string, a responses, err error) {
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
