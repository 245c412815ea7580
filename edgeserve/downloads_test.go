package edgeserve

import (
	"bytes"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A download survives a restart if another process serves at the same socket, whole files and parts, over HTTP and TLS.
// Without one it is cut at the drain timeout.
func TestDownloadsSurviveRestart(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789abcdef"), 1<<20) // far more than the buffers of sockets
	for _, request := range []struct{ name, fields string }{{"whole", ""}, {"part", "Range: bytes=1-\r\n"}} {
		for _, successor := range []bool{true, false} {
			for _, secret := range []bool{false, true} {
				d := download{text: text, fields: request.fields, successor: successor, tls: secret}
				t.Run(request.name+map[bool]string{true: ", another process", false: ", nobody"}[successor]+map[bool]string{true: ", TLS"}[secret], func(t *testing.T) {
					bothPaths(t, d.restart)
				})
			}
		}
	}
}

// download is a download during a restart.
type download struct {
	text           []byte
	fields         string // of the request
	successor, tls bool
}

// restart ends the server while a client takes the file.
func (d *download) restart(t *testing.T, mode func(*ServerConfig)) {
	p := mediaPublic{t, t.TempDir()}
	at := p.release("one", map[string]string{"big.png": string(d.text)})["big.png"]
	held, log := hold(t), &logBuffer{}
	timeout := 300 * time.Millisecond
	if d.successor { // it starts meanwhile
		timeout = 2 * time.Second
	}
	cert, key := "", ""
	if d.tls {
		cert, key = writeCertificate(t, t.TempDir(), 1)
	}
	start := func(logger *slog.Logger) *stoppable {
		s := startOn(t, held, func(c *ServerConfig) {
			mode(c)
			c.Public, c.DrainGrace, c.DrainTimeout, c.TLSCert, c.TLSKey = p.dir, 10*time.Millisecond, timeout, cert, key
			if logger != nil {
				c.Logger = logger
			}
		})
		waitFor(t, "it accepts", s.life.ready.Load)
		return s
	}
	first := start(slog.New(slog.NewJSONHandler(log, nil)))
	client, r := d.begin(t, first.addr, at)
	first.drains(t)
	if d.successor {
		next := start(nil)
		defer next.ended(t)
		defer next.stop()
	}
	got, err := readSlowly(r.Body, func() bool { return strings.Contains(log.String(), "downloads continue") })
	if whole := err == nil && len(got) == int(r.ContentLength); whole != d.successor {
		t.Errorf("%d of %d bytes, %v", len(got), r.ContentLength, err)
	}
	if !bytes.HasPrefix(d.text[len(d.text)-int(r.ContentLength):], got) {
		t.Error("other bytes came")
	}
	client.conn.Close()
	first.ended(t)
	if cut := strings.Contains(log.String(), "stopped with connections open"); cut == d.successor {
		t.Error(log.String())
	}
}

// begin requests the file with a small buffer, and returns the beginning of the response.
func (d *download) begin(t *testing.T, addr, path string) (*strictClient, *http.Response) {
	t.Helper()
	dial := dialStrict
	if d.tls {
		dial = dialStrictTLS
	}
	client := dial(t, addr)
	socket := client.conn
	if secret, ok := socket.(*tls.Conn); ok {
		socket = secret.NetConn()
	}
	if err := socket.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
		t.Fatal(err)
	}
	client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n" + d.fields + "\r\n")
	r, err := http.ReadResponse(client.in, nil)
	if err != nil || r.StatusCode/100 != 2 {
		t.Fatal(r, err)
	}
	return client, r
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
