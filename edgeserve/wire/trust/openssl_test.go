package trust

import (
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// openssl verifies the signature of a key, by the commands of the page about signing.
const openssl = `set -e
sed '/^$/,$d' current.json > text
grep '^— news.example/anna ' current.json | cut -d ' ' -f 3 | base64 -d | tail -c +5 > signature
openssl pkeyutl -verify -pubin -inkey key.pem -rawin -in text -sigfile signature`

func TestOpenSSLVerifies(t *testing.T) {
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("needs openssl")
	}
	ci, _ := key(t, "news.example/ci", "ci")
	anna, annaKey := key(t, "news.example/anna", "anna")
	_, otherKey := key(t, "news.example/anna", "another")
	dir := t.TempDir()
	for name, public := range map[string]string{"anna": annaKey, "another": otherKey} {
		k, err := newKey(public)
		if err != nil {
			t.Fatal(err)
		}
		// A public key of RFC 8410: these bytes, then those of the key.
		der := append([]byte("\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00"), k.Public...)
		for file, b := range map[string][]byte{
			"current.json": sign(t, pointer(t, nil), ci, anna), "key.pem": pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})} {
			if err := os.WriteFile(filepath.Join(dir, file), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		shell := exec.Command("sh", "-c", openssl)
		shell.Dir = dir
		if out, err := shell.CombinedOutput(); (err == nil) != (name == "anna") {
			t.Errorf("the key %s: %v, %s", name, err, out)
		}
	}
}
