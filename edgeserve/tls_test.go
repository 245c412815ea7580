// This file tests the server over TLS.

package edgeserve

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writeCertificate puts a certificate and its key into a directory.
func writeCertificate(t *testing.T, dir string, serial int64) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), DNSNames: []string{"localhost"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	der8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	writeFile(t, cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	writeFile(t, key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der8}))
	return cert, key
}

func startTLS(t *testing.T, change func(*ServerConfig)) (*stoppable, string) {
	t.Helper()
	dir, secrets := t.TempDir(), t.TempDir()
	site.write(t, dir)
	return startStoppable(t, func(c *ServerConfig) {
		c.Public, c.StartTimeout, c.DrainGrace, c.DrainTimeout = dir, patient, patient, 2*patient
		c.TLSCert, c.TLSKey = writeCertificate(t, secrets, 1)
		change(c)
	}), secrets
}

func dialStrictTLS(t *testing.T, addr string) *strictClient {
	t.Helper()
	conn, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(2 * patient))
	return &strictClient{t, conn, bufio.NewReader(conn)}
}

// Requests of all kinds are answered over TLS, and a drain loses none. A new certificate is used as
// soon as a reload is asked for.
func TestTLS(t *testing.T) {
	s, secrets := startTLS(t, func(*ServerConfig) {})
	clients := map[string]*strictClient{}
	for name, request := range drainRequests {
		c := dialStrictTLS(t, s.addr)
		c.send(request)
		c.receive(drainStatus(name), false)
		clients[name] = c
	}
	writeCertificate(t, secrets, 2)
	if err := s.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := dialStrictTLS(t, s.addr)
	if got := c.conn.(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber.Int64(); got != 2 {
		t.Errorf("certificate %d", got)
	}
	metrics := string(s.metricsText())
	for _, want := range []string{"contentedge_tls_handshake_errors_total 0", "contentedge_tls_certificate_not_after_timestamp_seconds 1"} {
		if !strings.Contains(metrics, want) {
			t.Errorf("no metric %s", want)
		}
	}
	s.drains(t)
	c.send(drainRequests["item"])
	c.receive(200, true)
	c.hasEnded()
	for name, c := range clients {
		c.send(drainRequests[name])
		c.receive(drainStatus(name), true)
		c.hasEnded()
	}
	s.ended(t)
}

// Every response tells browsers to stay with HTTPS if asked to, and TLS 1.2 can be refused.
func TestTLSSettings(t *testing.T) {
	for _, c := range []struct {
		only13 bool
		hsts   time.Duration
		field  string
	}{{false, 0, ""}, {true, 8760 * time.Hour, "max-age=31536000"}} {
		s, _ := startTLS(t, func(cfg *ServerConfig) { cfg.TLS13Only, cfg.HSTS = c.only13, c.hsts })
		for request, status := range map[string]int{
			"GET " + listRoot + "/Content_0 HTTP/1.1\r\nHost: a\r\n\r\n": 200, "GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n": 404,
			"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n": 200, "GET / HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n": 400,
		} {
			conn := dialStrictTLS(t, s.addr).conn
			if _, err := io.WriteString(conn, request); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second one may come from memory
				r, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil || r.StatusCode != status || r.Header.Get("Strict-Transport-Security") != c.field {
					t.Errorf("%q: %v, %v", request, r, err)
				}
				if status == 400 {
					break
				}
				if _, err := io.WriteString(conn, request); err != nil {
					t.Fatal(err)
				}
			}
			conn.Close()
		}
		conn, err := tls.Dial("tcp", s.addr, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12})
		if (err != nil) != c.only13 {
			t.Errorf("only 1.3 is %t: %v", c.only13, err)
		}
		if err == nil {
			conn.Close()
		}
		s.stop()
		s.ended(t)
	}
}

// A client that forgets TLS gets a response, also if it has sent much more than was read.
func TestPlainHTTPOnTLSPort(t *testing.T) {
	s, _ := startTLS(t, func(*ServerConfig) {})
	for _, request := range []string{"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n" + strings.Repeat("x", 300_000)} {
		conn, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, request); err != nil {
			t.Fatal(err)
		}
		r, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != 400 || !strings.Contains(string(b), "HTTPS") {
			t.Errorf("%d %s, %v", r.StatusCode, b, err)
		}
		conn.Close()
	}
	s.stop()
	s.ended(t)
}

// Handshakes that do not end take no connection from others for longer than a head may take.
func TestSlowHandshakes(t *testing.T) {
	const limit = 4
	s, _ := startTLS(t, func(c *ServerConfig) { c.MaxConns, c.HeaderTimeout = limit, time.Second })
	for range limit {
		conn, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "\x16\x03\x01\x02"); err != nil {
			t.Fatal(err)
		}
	}
	waitFor(t, "all places are taken", func() bool { return s.telemetry.node.Connections.Load() == limit })
	waitFor(t, "all places are free", func() bool { return s.telemetry.node.Connections.Load() == 0 })
	c := dialStrictTLS(t, s.addr)
	c.send(drainRequests["item"])
	c.receive(200, false)
	c.conn.Close()
	s.stop()
	s.ended(t)
}

// A server whose certificate cannot be used does not start.
func TestTLSRefused(t *testing.T) {
	for name, change := range map[string]func(*ServerConfig){
		"no file":      func(c *ServerConfig) { c.TLSKey += "x" },
		"without key":  func(c *ServerConfig) { c.TLSKey = "" },
		"without cert": func(c *ServerConfig) { c.TLSCert = "" },
	} {
		cfg := Defaults()
		cfg.TLSCert, cfg.TLSKey = writeCertificate(t, t.TempDir(), 1)
		change(&cfg)
		if _, err := New(cfg); err == nil {
			t.Errorf("%s: it is accepted", name)
		}
	}
}
