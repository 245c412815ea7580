// This file accepts connections, and shakes hands when they are read.

package tlslisten

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/serve/netlimit"
)

// httpAlone is what a client may ask for. HTTP/2 belongs to a proxy: a client that offers only it
// gets the alert no_application_protocol.
var httpAlone = []string{"http/1.1"}

// ciphers of TLS 1.2: forward secrecy and authenticated encryption. TLS 1.3 has no others.
var ciphers = []uint16{
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
}

// Config configures a Listener.
type Config struct {
	Certificate *Certificate
	Only13      bool          // refuse TLS 1.2
	Handshake   time.Duration // for a handshake, from the first read of a connection on
	PlainHTTP   []byte        // response to a client that sends HTTP without TLS
	OnFailure   func()        // is called for each handshake that fails
}

// Listener accepts connections that shake hands at their first Read. Connections that the wrapped
// listener refuses are closed: a client could not read why.
type Listener struct {
	net.Listener
	cfg Config
	tls *tls.Config
}

// NewListener wraps a listener.
func NewListener(ln net.Listener, cfg Config) *Listener {
	oldest := uint16(tls.VersionTLS12)
	if cfg.Only13 {
		oldest = tls.VersionTLS13
	}
	return &Listener{Listener: ln, cfg: cfg, tls: &tls.Config{
		MinVersion: oldest, CipherSuites: ciphers, NextProtos: httpAlone,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return cfg.Certificate.current.Load().tls, nil
		},
	}}
}

// Accept returns the next connection.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if refused, ok := conn.(*netlimit.Refused); ok {
			_ = refused.Close() // the error has no receiver
			continue
		}
		return &tlsConn{Conn: tls.Server(conn, l.tls), raw: conn, cfg: &l.cfg}, nil
	}
}

// tlsConn is a connection whose Read begins with the handshake.
type tlsConn struct {
	*tls.Conn
	raw    net.Conn
	cfg    *Config
	shaken atomic.Bool // the handshake has succeeded
	failed error       // what Read returns because the handshake has failed; only Read uses it
	ending atomic.Bool // CloseWrite was called
}

// errPlainHTTP is the error for a request without TLS, which is answered already.
var errPlainHTTP = errors.New("a request without TLS")

// Read returns an error if the handshake fails: the end of the stream, as no request is to be
// answered, or errPlainHTTP. Behind the last response it reads what a client without TLS has sent.
func (c *tlsConn) Read(b []byte) (int, error) {
	if c.failed == nil && !c.shaken.Load() {
		c.failed = c.shake()
	}
	switch {
	case c.failed == nil:
		return c.Conn.Read(b)
	case c.ending.Load():
		return c.raw.Read(b)
	}
	return 0, c.failed
}

func (c *tlsConn) shake() error {
	ctx, cancel := context.WithTimeout(context.Background(), c.cfg.Handshake)
	defer cancel()
	err := c.HandshakeContext(ctx)
	if err == nil {
		c.shaken.Store(true)
		return nil
	}
	c.cfg.OnFailure()
	if plain, ok := errors.AsType[tls.RecordHeaderError](err); ok && plain.Conn != nil && startsHTTP(plain.RecordHeader[:]) {
		_ = c.raw.SetWriteDeadline(time.Now().Add(c.cfg.Handshake))
		_, _ = c.raw.Write(c.cfg.PlainHTTP) // the connection ends in any case
		return errPlainHTTP
	}
	return io.EOF
}

// startsHTTP reports whether the first bytes of a connection begin a request without TLS.
func startsHTTP(b []byte) bool {
	for _, method := range []string{"GET /", "HEAD ", "POST ", "OPTIO", "PUT /", "DELET", "PATCH", "TRACE", "CONNE"} {
		if string(b) == method {
			return true
		}
	}
	return false
}

// CloseWrite ends the stream of responses, for TLS and for the socket below it.
func (c *tlsConn) CloseWrite() error {
	var err error
	c.ending.Store(true)
	if c.shaken.Load() {
		err = c.Conn.CloseWrite()
	}
	half, ok := netlimit.Unwrap[interface{ CloseWrite() error }](c.raw)
	if !ok {
		return errors.Join(err, errors.ErrUnsupported)
	}
	return errors.Join(err, half.CloseWrite())
}

func parseChain(der [][]byte) ([]*x509.Certificate, error) {
	chain := make([]*x509.Certificate, len(der))
	for i, b := range der {
		var err error
		if chain[i], err = x509.ParseCertificate(b); err != nil {
			return nil, err
		}
	}
	return chain, nil
}
