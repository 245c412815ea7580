package pull_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"contentedge/generator/pull"
	"contentedge/generator/pull/pulltest"
)

// An origin whose certificate nobody vouches for gets no request, and no second attempt.
func TestUnknownCertificate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{pulltest.Host}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
		der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
		if err != nil {
			t.Fatal(err)
		}
		m := open(t, variants[0], func(c *pull.Config) { c.URL, c.Key = "https://"+pulltest.Host, testKey })
		defer m.close()
		m.o.Secure(tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key})
		began := time.Now()
		_, err = m.pull(t.Context())
		if err == nil || !strings.Contains(err.Error(), "certificate") || exitOf(err) != 1 || m.o.Requests() > 0 || time.Since(began) > time.Minute {
			t.Errorf("after %s and %d requests: %v", time.Since(began), m.o.Requests(), err)
		}
		m.p.Close()
		if m.p, err = pull.New(pull.Config{URL: pulltest.URL, Env: pulltest.Env, Content: m.config.Content, Client: &http.Transport{DialContext: m.o.Dial}}); err != nil {
			t.Fatal(err)
		}
		if _, err := m.pull(t.Context()); err != nil || m.text() != m.o.Newest().Mirror() {
			t.Errorf("without TLS: %v", err)
		}
	})
}
