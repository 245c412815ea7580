// This file has the attacks that run beside everything else. Ordinary clients must not
// notice them; the responses to attackers are checked here.
package cmd

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"contentedge/edgeserve/wire/address"
)

const (
	// headBuffer is the buffer of proxies for a response's header section.
	headBuffer = 4 << 10
	// attackPause is the pause between an attacker's rounds. Attackers share the
	// processors with the server and the ordinary clients.
	attackPause = 100 * time.Millisecond
	// slowPause is the pause between the bytes of a slow client.
	slowPause = 200 * time.Millisecond
	// unreadFor is how long a response stays unread, at most. A client that does not
	// read does not notice a closed connection.
	unreadFor = 10 * time.Second
)

// attacker is a malicious client.
type attacker struct {
	*everything
	t     *testing.T
	ctx   context.Context
	i, n  int // index among the attackers of its kind; rounds so far
	count *atomic.Int64
	from  net.Dialer
	http  *http.Client
}

// attackKinds are the attacks. Each comes from its own address, with a number of
// connections.
var attackKinds = []struct {
	name  string
	from  string
	conns int
	round func(*attacker)
}{
	{"long names", "127.0.1.1", 2, (*attacker).longName},
	{"bodies over the limit", "127.0.1.2", 2, (*attacker).overLimit},
	{"announced bodies", "127.0.1.3", 50, (*attacker).announced},
	{"stalled chunks", "127.0.1.4", 50, (*attacker).stalledChunk},
	{"single bytes", "127.0.1.5", 2, (*attacker).singleBytes},
	{"slow heads", "127.0.1.6", 50, (*attacker).slowHead},
	{"slow bodies", "127.0.1.7", 50, (*attacker).slowBody},
	{"unread answers", "127.0.1.8", 160, (*attacker).unread},
	{"slow readers", "127.0.1.12", 20, (*attacker).slowReader},
	{"costly searches", "127.0.1.13", fairClients, (*attacker).costly},
	{"unknown hosts", "127.0.1.9", 2, (*attacker).unknownHost},
	{"garbage", "127.0.1.10", 2, (*attacker).garbage},
	{"resets", "127.0.1.11", 2, (*attacker).reset},
}

func (e *everything) startAttacks(t *testing.T, ctx context.Context, all *sync.WaitGroup) {
	for _, k := range attackKinds {
		count := &atomic.Int64{}
		e.attacked[k.name] = count
		for i := range k.conns {
			a := &attacker{everything: e, t: t, ctx: ctx, i: i, count: count, http: clientFrom(k.from)}
			a.from.LocalAddr = &net.TCPAddr{IP: net.ParseIP(k.from)}
			all.Go(func() {
				defer a.http.CloseIdleConnections()
				for ; every(ctx, attackPause); a.n++ {
					k.round(a)
				}
			})
		}
	}
}

// judgeAttacks fails the test if an attack did not happen, and returns the counts.
func (e *everything) judgeAttacks(t *testing.T) string {
	var parts []string
	for _, k := range attackKinds {
		n := e.attacked[k.name].Load()
		parts = append(parts, fmt.Sprintf("%s %d", k.name, n))
		if n < int64(k.conns) {
			t.Errorf("%d of %d attackers: %s", n, k.conns, k.name)
		}
	}
	return fmt.Sprintf("%s (%d long answers left unread)", strings.Join(parts, ", "), e.leftUnread.Load())
}

// attackConn is a connection that is closed at the end of the test, at the latest.
type attackConn struct {
	*net.TCPConn
	leave func() bool
}

func (c attackConn) Close() error {
	c.leave()
	return c.TCPConn.Close()
}

func (a *attacker) connect() (c attackConn, ok bool) {
	conn, err := a.from.DialContext(a.ctx, "tcp", strings.TrimPrefix(a.base, "http://"))
	if err != nil {
		return c, false // ordinary clients report a dead server
	}
	a.count.Add(1)
	c.TCPConn = conn.(*net.TCPConn)
	c.leave = context.AfterFunc(a.ctx, func() { conn.Close() })
	return c, true
}

// sendAndWait sends a text and waits until the server closes the connection.
func (a *attacker) sendAndWait(text string) {
	if conn, ok := a.connect(); ok {
		defer conn.Close()
		_, _ = io.WriteString(conn, text)
		_, _ = io.Copy(io.Discard, conn)
	}
}

const attackedSearch = "POST /cda/es/v1/site HTTP/1.1\r\nHost: a\r\n"

// longName requests lists whose links repeat a long name: no header section may outgrow
// proxies' buffers.
func (a *attacker) longName() {
	conn, ok := a.connect()
	if !ok {
		return
	}
	defer conn.Close()
	name := strings.Repeat([]string{"x", "%20", "%C3%A4"}[rand.IntN(3)], 1+rand.IntN(3000))
	fmt.Fprintf(conn, "GET /cda/rest/v1/site/contents?searchByName=%s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", name)
	answer, _ := io.ReadAll(conn)
	if head := bytes.Index(answer, []byte("\r\n\r\n")); a.ctx.Err() == nil && (head < 0 || head > headBuffer) {
		a.t.Errorf("a name of %d bytes is answered with a head of %d bytes: %.200q", len(name), head, answer)
	}
}

// overLimit sends a whole body above the limit before it reads the 413.
func (a *attacker) overLimit() {
	conn, ok := a.connect()
	if !ok {
		return
	}
	defer conn.Close()
	length := 262145 + rand.IntN(1<<20)
	fmt.Fprintf(conn, attackedSearch+"Content-Length: %d\r\n\r\n", length)
	_, sent := conn.Write(bytes.Repeat([]byte(" "), length))
	line, err := bufio.NewReader(conn).ReadString('\n')
	if a.ctx.Err() == nil && !strings.Contains(line, " 413 ") {
		a.t.Errorf("a body of %d bytes is answered %q, %v %v", length, line, sent, err)
	}
}

// announced declares a body and never sends it.
func (a *attacker) announced() {
	a.sendAndWait(attackedSearch + []string{"Expect: 100-continue\r\n", ""}[a.n%2] + "Content-Length: 262144\r\n\r\n")
}

// stalledChunk starts a chunk and never sends its data.
func (a *attacker) stalledChunk() {
	a.sendAndWait(attackedSearch + "Transfer-Encoding: chunked\r\n\r\n40000\r\n{")
}

// singleBytes sends a long header section in packets of one byte.
func (a *attacker) singleBytes() {
	if conn, ok := a.connect(); ok {
		defer conn.Close()
		head := "GET /cda/rest/v1/site/contents HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Long: " + strings.Repeat("x", 8000) + "\r\n\r\n"
		for i := range len(head) {
			if _, err := io.WriteString(conn, head[i:i+1]); err != nil {
				return
			}
		}
		_, _ = io.Copy(io.Discard, conn)
	}
}

// drip sends a text and then single bytes until the server closes the connection.
func (a *attacker) drip(text string) {
	if conn, ok := a.connect(); ok {
		defer conn.Close()
		_, err := io.WriteString(conn, text)
		for err == nil && every(a.ctx, slowPause) {
			_, err = io.WriteString(conn, "x")
		}
	}
}

func (a *attacker) slowHead() {
	a.drip("GET /cda/rest/v1/site/contents HTTP/1.1\r\nHost: a\r\nX-Slow: ")
}

func (a *attacker) slowBody() { a.drip(attackedSearch + "Content-Length: 200000\r\n\r\n{") }

// askForMany requests all items by a list, or many by a new search, with a small
// receive buffer. If the server has no memory for the longest responses, it may have
// some for shorter ones.
func (a *attacker) askForMany() (c attackConn, ok bool) {
	conn, ok := a.connect()
	if !ok {
		return conn, false
	}
	_ = conn.SetReadBuffer(4 << 10)
	if a.i%4 == 0 {
		_, _ = io.WriteString(conn, "GET /cda/rest/v1/site/contents?pageSize=1000 HTTP/1.1\r\nHost: a\r\n\r\n")
	} else {
		body := fmt.Sprintf(`{"size":%d,"query":{"query_string":{"query":"NOT %d-%d"}}}`, []int{address.MaxSize, 500, 100, 30}[a.n%4], a.i, a.n)
		fmt.Fprintf(conn, attackedSearch+"Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	return conn, true
}

// unread reads the start of a response and leaves the rest unread.
func (a *attacker) unread() {
	if conn, ok := a.askForMany(); ok {
		defer conn.Close()
		status := make([]byte, len("HTTP/1.1 200"))
		if _, err := io.ReadFull(conn, status); err == nil && string(status) == "HTTP/1.1 200" {
			a.leftUnread.Add(1)
			every(a.ctx, rand.N(unreadFor))
		}
	}
}

// slowReader reads a few bytes at a time.
func (a *attacker) slowReader() {
	if conn, ok := a.askForMany(); ok {
		defer conn.Close()
		var err error
		for b := make([]byte, 100); err == nil && every(a.ctx, slowPause); {
			_, err = conn.Read(b)
		}
	}
}

// costly sends the most expensive searches.
func (a *attacker) costly() {
	a.count.Add(1)
	bodies := costliest()
	attackOnce(a.t, a.http, a.base, bodies[(a.i+a.n)%len(bodies)])
}

// unknownHost sends foreign host names.
func (a *attacker) unknownHost() {
	a.sendAndWait(fmt.Sprintf("GET /cda/rest/v1/site/contents HTTP/1.1\r\nHost: h%d.example:%d\r\nConnection: close\r\n\r\n", rand.IntN(1e6), rand.IntN(1e5)))
}

// garbage sends invalid requests, including random bytes.
func (a *attacker) garbage() {
	rnd := rand.New(rand.NewPCG(uint64(a.i), uint64(a.n)))
	noise := make([]byte, rnd.IntN(3000))
	for i := range noise {
		noise[i] = byte(rnd.Uint32())
	}
	a.count.Add(1)
	a.hostile(slices.Concat(hostileBytes, []string{string(noise)})[rnd.IntN(len(hostileBytes)+1)], rnd)
}

// reset aborts a connection within a header section, a body or a response.
func (a *attacker) reset() {
	conn, ok := a.connect()
	if !ok {
		return
	}
	defer conn.Close()
	_ = conn.SetLinger(0)
	text := attackedSearch + "Content-Length: 20\r\n\r\n" + fmt.Sprintf(`{"size":%-11d}`, address.MaxSize)
	_, _ = io.WriteString(conn, text[:1+rand.IntN(len(text))])
	if rand.IntN(2) == 0 {
		_, _ = io.WriteString(conn, text)
		_, _ = io.ReadFull(conn, make([]byte, 1000))
	}
}
