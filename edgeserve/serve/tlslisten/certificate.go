// This file is a certificate and its key in two files, which another program may replace.

package tlslisten

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// checkInterval is how soon new files are taken. They are compared, not watched: mounted secrets
	// change by a link, and network file systems report nothing.
	checkInterval = 10 * time.Second

	// maxFile bounds a file in bytes. A chain of certificates has some kilobytes.
	maxFile = 1 << 20
)

// Certificate is a certificate with its chain and key. Make it with Load.
type Certificate struct {
	certFile, keyFile string
	log               *slog.Logger
	current           atomic.Pointer[pair]

	checking sync.Mutex
	refused  string // the last error that was logged; guarded by checking
	ended    bool   // the end of the certificate was logged; guarded by checking
}

// pair is what the two files held.
type pair struct {
	cert, key           []byte
	tls                 *tls.Certificate
	notBefore, notAfter time.Time // of the whole chain
}

// Load reads a certificate, followed by its chain, and its key, both in PEM. It refuses a pair that does not match, and
// a certificate that is not valid now: every client would refuse it.
func Load(certFile, keyFile string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile, log: log}
	p, err := c.read()
	if err == nil {
		err = p.validAt(time.Now())
	}
	if err != nil {
		return nil, c.describe(err)
	}
	c.current.Store(p)
	return c, nil
}

func (c *Certificate) describe(err error) error {
	return fmt.Errorf("the certificate %s with the key %s: %w", c.certFile, c.keyFile, err)
}

func (c *Certificate) read() (*pair, error) {
	p := &pair{}
	var err, err2 error
	p.cert, err = readFile(c.certFile)
	p.key, err2 = readFile(c.keyFile)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	return p, p.parse()
}

// readFile reads a regular file, or what a link to one leads to. To open a pipe would wait for a writer,
// and keep the server from ending.
func readFile(name string) ([]byte, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, fmt.Errorf("%s is not a regular file, and it is read again and again: name a regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(b) > maxFile {
		err = fmt.Errorf("%s is longer than %d bytes", name, maxFile)
	}
	return b, err
}

// parse checks that the key belongs to the first certificate.
func (p *pair) parse() error {
	cert, err := tls.X509KeyPair(p.cert, p.key)
	if err != nil {
		return err
	}
	p.tls = &cert
	chain, err := parseChain(cert.Certificate)
	if err != nil {
		return err
	}
	p.notBefore, p.notAfter = chain[0].NotBefore, chain[0].NotAfter
	for _, c := range chain[1:] {
		if c.NotAfter.Before(p.notAfter) {
			p.notAfter = c.NotAfter
		}
		if c.NotBefore.After(p.notBefore) {
			p.notBefore = c.NotBefore
		}
	}
	return nil
}

func (p *pair) validAt(now time.Time) error {
	switch {
	case now.Before(p.notBefore):
		return fmt.Errorf("it is valid from %s on only; the clock of this machine says %s", p.notBefore.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	case now.After(p.notAfter):
		return fmt.Errorf("it has expired at %s; the clock of this machine says %s", p.notAfter.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	return nil
}

// NotAfter is the earliest expiry of a certificate in the chain, whether the leaf or a later one.
func (c *Certificate) NotAfter() time.Time { return c.current.Load().notAfter }

// Check reads the files again. New handshakes get a new pair that matches and is valid; otherwise the old one stays,
// and the log says why, once. It reports whether a new pair is used.
func (c *Certificate) Check(now time.Time) bool {
	c.checking.Lock()
	defer c.checking.Unlock()
	old := c.current.Load()
	if now.After(old.notAfter) && !c.ended {
		c.ended = true
		c.log.Error("the certificate has expired: clients refuse it", "certificate", c.certFile, "not_after", old.notAfter.UTC())
	}
	p, err := c.read()
	if err == nil && bytes.Equal(p.cert, old.cert) && bytes.Equal(p.key, old.key) {
		c.refused = ""
		return false
	}
	if err == nil {
		err = p.validAt(now)
	}
	if err != nil {
		if text := c.describe(err).Error(); text != c.refused {
			c.refused = text
			c.log.Error("the certificate is not replaced", "error", text, "serving_until", old.notAfter.UTC())
		}
		return false
	}
	c.current.Store(p)
	c.refused, c.ended = "", false
	c.log.Info("certificate replaced", "certificate", c.certFile, "not_after", p.notAfter.UTC())
	return true
}

// Run checks the files until ctx ends.
func (c *Certificate) Run(ctx context.Context) {
	ticker := time.NewTicker(checkInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			c.Check(now)
		}
	}
}
