package tlslisten

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"contentedge/edgeserve/serve/netlimit"
)

// issued is a certificate of its own authority, with its key.
type issued struct{ cert, key []byte }

// issue makes a certificate for localhost. The serial number tells it from others.
func issue(t *testing.T, serial int64, from, until time.Time) issued {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, template(serial, from, until), template(serial, from, until), &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return issued{
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
	}
}

func template(serial int64, from, until time.Time) *x509.Certificate {
	return &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: from, NotAfter: until, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, IsCA: true, BasicConstraintsValid: true}
}

func valid(t *testing.T, serial int64) issued {
	t.Helper()
	return issue(t, serial, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
}

// files are where a test puts a certificate and its key.
type files struct {
	t         *testing.T
	cert, key string
}

func newFiles(t *testing.T) files {
	dir := t.TempDir()
	return files{t, filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")}
}

func (f files) write(name string, b []byte) {
	f.t.Helper()
	if err := os.WriteFile(name, b, 0o600); err != nil {
		f.t.Fatal(err)
	}
}

func (f files) put(i issued) {
	f.t.Helper()
	f.write(f.cert, i.cert)
	f.write(f.key, i.key)
}

// logLines is a log that a test reads.
type logLines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logLines) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.b.String(), text)
}

func load(t *testing.T, f files) (*Certificate, *logLines) {
	t.Helper()
	log := &logLines{}
	c, err := Load(f.cert, f.key, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return c, log
}

// served is a listener whose connections are answered with what they send.
type served struct {
	addr     string
	failures atomic.Int64
}

func serve(t *testing.T, c *Certificate, handshake time.Duration, limits netlimit.Limits) *served {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &served{addr: ln.Addr().String()}
	if limits.MaxConns == 0 {
		limits.MaxConns = 100
	}
	limits.ReturnRefused = true
	l := NewListener(netlimit.NewListener(ln, limits), Config{Certificate: c, Handshake: handshake, PlainHTTP: []byte("plain"), OnFailure: func() { s.failures.Add(1) }})
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer conn.Close()
				_, _ = io.Copy(conn, conn)
				if half, ok := conn.(interface{ CloseWrite() error }); ok {
					_ = half.CloseWrite()
				}
			})
		}
	})
	t.Cleanup(func() { l.Close(); running.Wait() })
	return s
}

// dialTLS connects, and returns the serial number of the certificate and the state.
func dialTLS(t *testing.T, addr string, cfg *tls.Config) (serial int64, state tls.ConnectionState, err error) {
	t.Helper()
	cfg.InsecureSkipVerify = true
	conn, err := tls.Dial("tcp", addr, cfg)
	if err != nil {
		return 0, state, err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "echo"); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 4)
	if _, err := io.ReadFull(conn, b); err != nil || string(b) != "echo" {
		t.Fatalf("%q, %v", b, err)
	}
	state = conn.ConnectionState()
	return state.PeerCertificates[0].SerialNumber.Int64(), state, nil
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// TestTlslisten serves with one certificate, and with another one once its files are there.
func TestTlslisten(t *testing.T) {
	f := newFiles(t)
	f.put(valid(t, 1))
	c, log := load(t, f)
	s := serve(t, c, time.Minute, netlimit.Limits{})
	open, err := tls.Dial("tcp", s.addr, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	serial, state, err := dialTLS(t, s.addr, &tls.Config{NextProtos: []string{"h2", "http/1.1"}})
	if err != nil || serial != 1 || state.Version != tls.VersionTLS13 || state.NegotiatedProtocol != "http/1.1" {
		t.Errorf("certificate %d, TLS %x, %q, %v", serial, state.Version, state.NegotiatedProtocol, err)
	}
	f.put(valid(t, 2))
	if !c.Check(time.Now()) || c.Check(time.Now()) || log.count("certificate replaced") != 1 {
		t.Error("the new pair is not taken, or twice")
	}
	if serial, _, err := dialTLS(t, s.addr, &tls.Config{MaxVersion: tls.VersionTLS12}); err != nil || serial != 2 {
		t.Errorf("certificate %d, %v", serial, err)
	}
	if _, err := io.WriteString(open, "old connections go on"); err != nil {
		t.Error(err)
	}
	for name, cfg := range map[string]*tls.Config{
		"no application protocol": {NextProtos: []string{"h2"}},
		"protocol version":        {MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10},
		"handshake failure":       {MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_RSA_WITH_AES_128_CBC_SHA, tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA}},
	} {
		if _, _, err := dialTLS(t, s.addr, cfg); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	waitFor(t, "the failures are counted", func() bool { return s.failures.Load() == 3 })
}

// Files that are wrong at the start are an error with the place.
func TestLoadRefuses(t *testing.T) {
	good, other := valid(t, 1), valid(t, 2)
	expired := issue(t, 3, time.Now().Add(-2*time.Hour), time.Now().Add(-time.Hour))
	future := issue(t, 4, time.Now().Add(time.Hour), time.Now().Add(2*time.Hour))
	for name, c := range map[string]struct {
		cert, key []byte // nil: no file
		want      string
	}{
		"no certificate": {nil, good.key, "tls.crt: no such file"},
		"no key":         {good.cert, nil, "tls.key: no such file"},
		"another key":    {good.cert, other.key, "private key does not match public key"},
		"empty":          {[]byte{}, good.key, "failed to find any PEM data in certificate input"},
		"reversed":       {good.key, good.cert, "PEM inputs may have been switched"},
		"garbage":        {[]byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), good.key, "x509"},
		"cut":            {good.cert[:len(good.cert)/2], good.key, "failed to find any PEM data"},
		"too long":       {bytes.Repeat([]byte("x"), maxFile+1), good.key, "is longer than 1048576 bytes"},
		"expired":        {expired.cert, expired.key, "it has expired at "},
		"in the future":  {future.cert, future.key, "it is valid from "},
		"an old issuer":  {append(bytes.Clone(good.cert), expired.cert...), good.key, "it has expired at "},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFiles(t)
			for path, b := range map[string][]byte{f.cert: c.cert, f.key: c.key} {
				if b != nil {
					f.write(path, b)
				}
			}
			if _, err := Load(f.cert, f.key, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "tls.key") {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// A replacement that is half written, does not match or is not valid is not taken: the old pair goes
// on, and the log says why, once. When the rest arrives, the new pair counts.
func TestReplacementHalfWay(t *testing.T) {
	f := newFiles(t)
	f.put(valid(t, 1))
	c, log := load(t, f)
	next := valid(t, 2)
	serial := func() int64 { return c.current.Load().tls.Leaf.SerialNumber.Int64() }
	expired := issue(t, 3, time.Now().Add(-2*time.Hour), time.Now().Add(-time.Hour))
	for i, step := range []func(){
		func() { f.write(f.cert, next.cert) },
		func() { f.write(f.cert, next.cert[:100]) },
		func() { os.Remove(f.cert) },
		func() { f.put(expired) },
		func() { f.write(f.key, nil) },
	} {
		step()
		for range 3 {
			if c.Check(time.Now()) || serial() != 1 {
				t.Fatalf("step %d: certificate %d", i, serial())
			}
		}
		if n := log.count("the certificate is not replaced"); n != i+1 {
			t.Errorf("step %d: %d lines in the log", i, n)
		}
	}
	f.put(next)
	if !c.Check(time.Now()) || serial() != 2 {
		t.Errorf("certificate %d", serial())
	}
}

// Kubernetes replaces a mounted secret by a link to another directory.
func TestReplacedByLink(t *testing.T) {
	dir := t.TempDir()
	at := func(version string) files {
		if err := os.MkdirAll(filepath.Join(dir, version), 0o755); err != nil {
			t.Fatal(err)
		}
		return files{t, filepath.Join(dir, version, "tls.crt"), filepath.Join(dir, version, "tls.key")}
	}
	at("..1").put(valid(t, 1))
	at("..2").put(valid(t, 2))
	data := filepath.Join(dir, "..data")
	if err := os.Symlink("..1", data); err != nil {
		t.Skip(err)
	}
	c, _ := load(t, files{t, filepath.Join(data, "tls.crt"), filepath.Join(data, "tls.key")})
	if err := os.Symlink("..2", data+"_tmp"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(data+"_tmp", data); err != nil {
		t.Fatal(err)
	}
	if !c.Check(time.Now()) {
		t.Error("the new files are not seen")
	}
}

// A pipe in place of a file is refused, and holds up neither the start nor a check.
func TestPipe(t *testing.T) {
	f := newFiles(t)
	f.put(valid(t, 1))
	c, log := load(t, f)
	if err := os.Remove(f.key); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(f.key, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := Load(f.cert, f.key, c.log); err == nil || !strings.Contains(err.Error(), "tls.key is not a regular file") {
		t.Error(err)
	}
	if c.Check(time.Now()) || log.count("is not a regular file") != 1 {
		t.Error("the pipe is read, or the log does not say why not")
	}
}

// A running server serves on with a certificate that expires, and says so once.
func TestExpiresWhileServed(t *testing.T) {
	f := newFiles(t)
	f.put(valid(t, 1))
	c, log := load(t, f)
	for range 3 {
		if c.Check(c.NotAfter().Add(time.Second)) {
			t.Error("replaced")
		}
	}
	if log.count("the certificate has expired") != 1 {
		t.Error("the log does not say it once")
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	c.Run(ctx) // ends
}

// Clients that never finish a handshake, or speak something else, are ended within its time. They
// hold none of the places that others need.
func TestHostileHandshakes(t *testing.T) {
	f := newFiles(t)
	f.put(valid(t, 1))
	c, _ := load(t, f)
	var open atomic.Int64
	const places = 8
	s := serve(t, c, time.Second, netlimit.Limits{MaxConns: places, Open: &open})
	hello := recordedHello(t)
	var clients sync.WaitGroup
	for name, sent := range map[string][]byte{
		"nothing": nil, "one byte": hello[:1], "half a hello": hello[:len(hello)/2], "all but the end": hello[:len(hello)-1],
		"a hello and silence": hello, "garbage": []byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08"), "a huge record": append([]byte{0x16, 3, 1, 0xff, 0xff}, make([]byte, 70_000)...),
		"an alert": {0x15, 3, 3, 0, 2, 2, 0},
	} {
		conn, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		clients.Go(func() {
			_, _ = conn.Write(sent) // the server may have ended it
			_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
			if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: it is still open", name)
			}
		})
	}
	clients.Wait()
	waitFor(t, "all places are free", func() bool { return open.Load() == 0 })
	if _, _, err := dialTLS(t, s.addr, &tls.Config{}); err != nil {
		t.Error(err)
	}
}

// recordedHello returns the first bytes of a handshake.
func recordedHello(t *testing.T) []byte {
	t.Helper()
	a, b := net.Pipe()
	go func() {
		_ = tls.Client(a, &tls.Config{InsecureSkipVerify: true}).Handshake()
	}()
	buf := make([]byte, 10_000)
	n, err := b.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	b.Close()
	return buf[:n]
}

// A client that forgets TLS gets a response that it can read.
func TestPlainHTTP(t *testing.T) {
	f := newFiles(t)
	f.put(valid(t, 1))
	c, _ := load(t, f)
	s := serve(t, c, time.Minute, netlimit.Limits{})
	for request, want := range map[string]string{"GET / HTTP/1.1\r\nHost: a\r\n\r\n": "plain", "POST / HTTP/1.1\r\n": "plain", "SSH-2.0-x\r\n": ""} {
		conn, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, request); err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(conn) // it may end by a reset: nothing lingers here
		conn.Close()
		if want != "" && string(b) != want {
			t.Errorf("%q: %q", request, b)
		} else if strings.Contains(string(b), "plain") != (want != "") {
			t.Errorf("%q: %q", request, b)
		}
	}
}

// Connections above the limits end without a word: plain text would be garbage to their clients.
func TestRefusedIsClosed(t *testing.T) {
	f := newFiles(t)
	f.put(valid(t, 1))
	c, _ := load(t, f)
	s := serve(t, c, time.Minute, netlimit.Limits{MaxConns: 1, Response: []byte("no")})
	first, err := tls.Dial("tcp", s.addr, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := net.Dial("tcp", s.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if b, _ := io.ReadAll(second); len(b) > 0 {
		t.Errorf("it gets %q", b)
	}
}
