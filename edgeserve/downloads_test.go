package edgeserve

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A download survives a restart if another process serves at the same socket, whole files and parts. Without one it is cut
// at the drain timeout.
func TestDownloadsSurviveRestart(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789abcdef"), 1<<20) // far more than the buffers of sockets
	for _, request := range []struct{ name, fields string }{{"whole", ""}, {"part", "Range: bytes=1-\r\n"}} {
		for _, successor := range []bool{true, false} {
			t.Run(request.name+map[bool]string{true: ", another process", false: ", nobody"}[successor], func(t *testing.T) {
				bothPaths(t, func(t *testing.T, mode func(*ServerConfig)) {
					p := mediaPublic{t, t.TempDir()}
					at := p.release("one", map[string]string{"big.png": string(text)})["big.png"]
					held, log := hold(t), &logBuffer{}
					start := func(change func(*ServerConfig)) *stoppable {
						s := startOn(t, held, func(c *ServerConfig) {
							mode(c)
							c.Public, c.DrainGrace, c.DrainTimeout = p.dir, 10*time.Millisecond, 300*time.Millisecond
							change(c)
						})
						waitFor(t, "it accepts", s.life.ready.Load)
						return s
					}
					first := start(func(c *ServerConfig) { c.Logger = slog.New(slog.NewJSONHandler(log, nil)) })
					client := dialStrict(t, first.addr)
					if err := client.conn.(*net.TCPConn).SetReadBuffer(16 << 10); err != nil {
						t.Fatal(err)
					}
					client.send("GET " + at + " HTTP/1.1\r\nHost: a\r\n" + request.fields + "\r\n")
					r, err := http.ReadResponse(client.in, nil)
					if err != nil || r.StatusCode/100 != 2 {
						t.Fatal(r, err)
					}
					first.drains(t)
					if successor {
						next := start(func(*ServerConfig) {})
						defer next.ended(t)
						defer next.stop()
					}
					got, err := readSlowly(r.Body, func() bool { return strings.Contains(log.String(), "downloads continue") })
					if whole := err == nil && len(got) == int(r.ContentLength); whole != successor {
						t.Errorf("%d of %d bytes, %v", len(got), r.ContentLength, err)
					}
					if !bytes.HasPrefix(text[len(text)-int(r.ContentLength):], got) {
						t.Error("other bytes came")
					}
					client.conn.Close()
					first.ended(t)
					if cut := strings.Contains(log.String(), "stopped with connections open"); cut == successor {
						t.Error(log.String())
					}
				})
			})
		}
	}
}

// readSlowly reads a little at a time until it may hurry.
func readSlowly(in io.Reader, hurry func() bool) (got []byte, err error) {
	part := make([]byte, 4<<10)
	pace := time.NewTicker(2 * time.Millisecond)
	defer pace.Stop()
	for !hurry() && err == nil {
		<-pace.C
		var n int
		n, err = in.Read(part)
		got = append(got, part[:n]...)
	}
	if err != nil {
		return got, err
	}
	rest, err := io.ReadAll(in)
	return append(got, rest...), err
}
