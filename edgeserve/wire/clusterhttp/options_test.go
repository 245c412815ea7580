package clusterhttp

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func discard() *log.Logger { return log.New(io.Discard, "", 0) }

func pemFile(t *testing.T, der []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// otherAuthority returns a certificate that has signed nothing.
func otherAuthority(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "other"}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// Names are what metrics and logs call a node.
func TestNames(t *testing.T) {
	c := client(t, Options{}, "http://127.0.0.1:9200", "https://Search.example/", "https://proxy.example/a", "https://proxy.example:8443/b/", "http://[::1]:9200")
	want := "127.0.0.1:9200 search.example:443 proxy.example:443/a proxy.example:8443/b [::1]:9200"
	var names []string
	for i := range c.Len() {
		names = append(names, c.Name(i))
	}
	if got := strings.Join(names, " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Wrong options are refused before anything is sent, and without a word of a password.
func TestWrongOptions(t *testing.T) {
	const hidden = "hunter2"
	one := []string{"https://a.example"}
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		o    Options
		want string
	}{
		{"no node", Options{}, "0 nodes"},
		{"too many", Options{Nodes: make([]string, maxNodes+1)}, "65 nodes"},
		{"a password", Options{Nodes: []string{"https://me:" + hidden + "@a.example"}}, "may only have"},
		{"a password with a slash", Options{Nodes: []string{"https://me:" + hidden + "/@a.example"}}, "node"},
		{"a password with a percent sign", Options{Nodes: []string{"https://me:" + hidden + "%@a.example"}}, "not a URL"},
		{"a query", Options{Nodes: []string{"https://a.example/?key=" + hidden}}, "may only have"},
		{"a fragment", Options{Nodes: []string{"https://a.example/#" + hidden}}, "may only have"},
		{"no scheme", Options{Nodes: []string{"a.example:9200"}}, "want http://HOST:PORT"},
		{"another scheme", Options{Nodes: []string{"s3://a.example"}}, "want http://HOST:PORT"},
		{"no host", Options{Nodes: []string{"https://"}}, "has no host"},
		{"no host but a port", Options{Nodes: []string{"https://:9200"}}, "has no host"},
		{"an empty port", Options{Nodes: []string{"http://127.0.0.1:"}}, "empty port"},
		{"an empty port before a path", Options{Nodes: []string{"https://[::1]:/a"}}, "empty port"},
		{"dot segments", Options{Nodes: []string{"https://a.example/a/../b"}}, "path of the node"},
		{"escapes", Options{Nodes: []string{"https://a.example/a%2Fb"}}, "path of the node"},
		{"odd characters", Options{Nodes: []string{"https://a.example/a;b"}}, "path of the node"},
		{"a node twice", Options{Nodes: []string{"https://a.example", "https://A.example:443/"}}, "named twice"},
		{"two kinds of credentials", Options{Nodes: one, User: "me", Password: hidden, APIKey: hidden}, "a user and a password and an API key are given"},
		{"a user alone", Options{Nodes: one, User: "me"}, "a user needs a password"},
		{"a password alone", Options{Nodes: one, Password: hidden}, "a user needs a password"},
		{"a user with a colon", Options{Nodes: one, User: "m:e", Password: hidden}, "colon"},
		{"a key with a line break", Options{Nodes: one, APIKey: hidden + "\n"}, "line break"},
		{"a long key", Options{Nodes: one, APIKey: strings.Repeat(hidden, 1000)}, "more than"},
		{"no service", Options{Nodes: one, AWS: "eu-central-1"}, "want REGION/SERVICE"},
		{"another service", Options{Nodes: one, AWS: "eu-central-1/s3"}, "want REGION/SERVICE"},
		{"a key over http", Options{Nodes: []string{"http://127.0.0.1:9200", "http://a.example:9200"}, APIKey: hidden}, "a.example:9200: http:// does not protect"},
		{"no file", Options{Nodes: one, CAFile: "no-such-file"}, "no-such-file"},
		{"a file without certificates", Options{Nodes: one, CAFile: empty}, "has no certificate"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := New(tt.o)
			if err == nil {
				c.Close()
				t.Fatal("it is accepted")
			}
			if !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), hidden) {
				t.Error(err)
			}
		})
	}
	for _, o := range []Options{
		{Nodes: []string{"http://127.0.0.1:9200"}, APIKey: hidden}, {Nodes: []string{"http://localhost:9200"}, User: "me", Password: hidden},
		{Nodes: []string{"http://a.example:9200"}}, {Nodes: []string{"http://a.example:9200"}, APIKey: hidden, Insecure: true},
	} {
		client(t, o, o.Nodes...)
	}
}

func mustParse(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
