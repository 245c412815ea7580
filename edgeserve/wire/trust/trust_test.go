package trust

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"contentedge/edgeserve/wire/release"
)

// key returns the same key for the same seed. Only tests can make such a key.
func key(t testing.TB, name, seed string) (s note.Signer, public string) {
	t.Helper()
	sum := sha256.Sum256([]byte(seed))
	private := ed25519.NewKeyFromSeed(sum[:])
	public, err := note.NewEd25519VerifierKey(name, private.Public().(ed25519.PublicKey))
	if err != nil {
		t.Fatal(err)
	}
	hash := strings.SplitN(public, "+", 3)[1]
	s, err = NewSigner("PRIVATE+KEY+" + name + "+" + hash + "+" + base64.StdEncoding.EncodeToString(append([]byte{1}, sum[:]...)))
	if err != nil {
		t.Fatal(err)
	}
	return s, public
}

var noon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

// pointer is a pointer to sign.
func pointer(t testing.TB, change func(p *release.Pointer)) []byte {
	t.Helper()
	p := (*release.Pointer)(nil).Next("0123456789abcdef", []byte("manifest"), noon)
	p.Sequence, p.Previous = 42, "fedcba9876543210"
	p, err := p.ForSigning("news.example/production", noon.AddDate(0, 0, 7), nil)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(p)
	}
	return p.Encode()
}

func sign(t testing.TB, b []byte, signers ...note.Signer) []byte {
	t.Helper()
	signed, err := Sign(b, signers...)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

func parse(t testing.TB, lines ...string) *Policy {
	t.Helper()
	p, err := Parse([]byte(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// golden is the object that a store has, byte for byte.
const golden = `{"format":2,"origin":"news.example/production","sequence":42,"build":"0123456789abcdef","manifest_bytes":8,` +
	`"manifest_sha256":"05b3abf2579a5eb66403cd78be557fd860633a1fe2103c7642030defe32c657f","previous":"fedcba9876543210",` +
	`"published":"2026-11-25T12:00:00Z","expires":"2026-12-02T12:00:00Z"}

— news.example/ci oSjkcTc/pUaA3tDIxlQ7KCA1TDwcdKMA69+aV9uRshK+9BJoTte9Inq9Y5R6RON/t7SmPk6pvTH8DKTOLW5pBF7EsA8=
— news.example/anna uk/l6vH5jsxTAt1EkeRHaMNZNYS5yls19iMnXSLgpQ/UPDcxJ/9+MoYTZGc8bRnvCcaDPXH+c6pEDqXQgTNrDdv9pQE=
`

// TestTrust shows what a trust file accepts: as many different keys as it asks for, of one origin.
func TestTrust(t *testing.T) {
	ci, ciKey := key(t, "news.example/ci", "ci")
	anna, annaKey := key(t, "news.example/anna", "anna")
	bob, _ := key(t, "news.example/bob", "bob")
	one := parse(t, "version 1", "origin news.example/production", "threshold 1", "key "+ciKey, "key "+annaKey+" until 2027-06-30")
	two := parse(t, "version 1", "origin news.example/production", "threshold 2", "key "+ciKey, "key "+annaKey+" until 2027-06-30")
	line := pointer(t, nil)

	t.Run("a signed pointer has these bytes", func(t *testing.T) {
		if got := string(sign(t, line, ci, anna)); got != golden {
			t.Errorf("got\n%s\nwant\n%s", got, golden)
		}
	})
	t.Run("one key of two suffices for a threshold of 1", func(t *testing.T) {
		v, err := one.Verify(sign(t, line, anna), noon)
		if err != nil || strings.Join(v.SignedBy, " ") != "news.example/anna" || v.Sequence != 42 || string(v.Text) != string(line) {
			t.Errorf("%+v, %v", v, err)
		}
	})
	t.Run("keys sign one after the other", func(t *testing.T) {
		b := sign(t, line, ci)
		if _, err := two.Verify(b, noon); !errors.Is(err, ErrThreshold) || !strings.Contains(err.Error(), "1 of 2") {
			t.Errorf("one of two: %v", err)
		}
		b = sign(t, b, anna)
		v, err := two.Verify(b, noon)
		if err != nil || strings.Join(v.SignedBy, " ") != "news.example/ci news.example/anna" {
			t.Errorf("%+v, %v", v, err)
		}
		if again := sign(t, b, ci); len(again) != len(b) {
			t.Errorf("a second signature of a key does not replace the first:\n%s", again)
		}
	})
	t.Run("a foreign key is ignored", func(t *testing.T) {
		if _, err := one.Verify(sign(t, line, bob), noon); !errors.Is(err, ErrThreshold) || !strings.Contains(err.Error(), `"news.example/bob"`) {
			t.Errorf("alone: %v", err)
		}
		if _, err := one.Verify(sign(t, line, bob, ci), noon); err != nil {
			t.Errorf("beside a trusted one: %v", err)
		}
		other, _ := key(t, "news.example/ci", "an impostor")
		if _, err := one.Verify(sign(t, line, other), noon); !errors.Is(err, ErrThreshold) {
			t.Errorf("of a trusted name: %v", err)
		}
	})
	t.Run("a key counts until the end of its last day", func(t *testing.T) {
		b, last := sign(t, line, anna), time.Date(2027, 6, 30, 23, 59, 59, 0, time.UTC)
		if _, err := one.Verify(b, last); err != nil {
			t.Error(err)
		}
		if _, err := one.Verify(b, last.Add(time.Second)); !errors.Is(err, ErrThreshold) || !strings.Contains(err.Error(), "until 2027-06-30") {
			t.Errorf("a day later: %v", err)
		}
	})
	t.Run("an unsigned pointer is refused", func(t *testing.T) {
		b := (*release.Pointer)(nil).Next("0123456789abcdef", []byte("x"), noon).Encode()
		if _, err := one.Verify(b, noon); !errors.Is(err, ErrUnsigned) {
			t.Error(err)
		}
	})
	t.Run("a pointer of another origin is refused", func(t *testing.T) {
		b := sign(t, pointer(t, func(p *release.Pointer) { p.Origin = "news.example/staging" }), ci)
		if _, err := one.Verify(b, noon); !errors.Is(err, ErrOrigin) || !strings.Contains(err.Error(), "news.example/staging instead of news.example/production") {
			t.Error(err)
		}
	})
	t.Run("members that this version does not know are signed too", func(t *testing.T) {
		newer := []byte(strings.Replace(string(line), `"sequence"`, `"priority":{"a":1},"sequence"`, 1))
		b := sign(t, newer, ci)
		v, err := one.Verify(b, noon)
		if err != nil || v.Sequence != 42 || string(v.Text) != string(newer) {
			t.Errorf("%+v, %v", v, err)
		}
		if _, err := one.Verify([]byte(strings.Replace(string(b), `{"a":1}`, `{"a":2}`, 1)), noon); !errors.Is(err, ErrSignature) {
			t.Errorf("changed: %v", err)
		}
	})
	t.Run("a changed byte is refused", func(t *testing.T) {
		b := sign(t, line, ci)
		for i := range len(b) - len("8=\n") { // two bits of the last digit have no meaning
			changed := append([]byte(nil), b...)
			changed[i] ^= 1
			if v, err := one.Verify(changed, noon); err == nil {
				t.Fatalf("byte %d (%q): %+v", i, b[i], v)
			}
		}
	})
}

// A pointer ends when it expires, or with the key without which too few have signed it.
func TestEnds(t *testing.T) {
	var signers []note.Signer
	var lines []string
	for _, c := range []struct{ name, until string }{{"a", ""}, {"b", " until 2026-11-29"}, {"c", " until 2026-11-27"}, {"d", " until 2026-11-28"}} {
		s, public := key(t, c.name, c.name)
		signers, lines = append(signers, s), append(lines, "key "+public+c.until)
	}
	endless := pointer(t, func(p *release.Pointer) { p.Expires = "" })
	for _, c := range []struct {
		line      []byte
		threshold string
		want      string
	}{
		{endless, "1", ""}, {endless, "2", "2026-11-30T00:00:00Z"}, {endless, "3", "2026-11-29T00:00:00Z"}, {endless, "4", "2026-11-28T00:00:00Z"},
		{pointer(t, nil), "1", "2026-12-02T12:00:00Z"}, {pointer(t, nil), "2", "2026-11-30T00:00:00Z"},
	} {
		p := parse(t, append([]string{"version 1", "origin news.example/production", "threshold " + c.threshold}, lines...)...)
		v, err := p.Verify(sign(t, c.line, signers...), noon)
		if err != nil || c.want == "" && (!v.Ends.IsZero() || v.Expired(noon.AddDate(100, 0, 0))) || c.want != "" && v.Ends.Format(time.RFC3339) != c.want {
			t.Errorf("threshold %s: %+v, %v, want %s", c.threshold, v, err, c.want)
		}
		if c.want != "" && (v.Expired(v.Ends.Add(-1)) || !v.Expired(v.Ends)) {
			t.Errorf("threshold %s: expired at another time than %s", c.threshold, v.Ends)
		}
	}
}

// A wrong signature of a trusted key is no reason to look for a right one behind it.
func TestWrongSignatures(t *testing.T) {
	ci, ciKey := key(t, "news.example/ci", "ci")
	anna, annaKey := key(t, "news.example/anna", "anna")
	p := parse(t, "version 1", "origin news.example/production", "threshold 1", "key "+ciKey, "key "+annaKey)
	line := pointer(t, nil)
	other := pointer(t, func(p *release.Pointer) { p.Sequence++ })
	transplant := func(b []byte) []byte { return append(line, b[len(release.PointerText(b)):]...) }
	wrong := transplant(sign(t, other, ci))
	lines := func(b []byte) string { return string(b[len(release.PointerText(b))+1:]) }
	right := sign(t, line, ci)
	for name, b := range map[string][]byte{
		"of another pointer": wrong,
		"wrong, then right":  append(append([]byte(nil), wrong...), lines(right)...),
		"wrong beside right": append(append([]byte(nil), sign(t, line, anna)...), lines(wrong)...),
	} {
		if v, err := p.Verify(b, noon); !errors.Is(err, ErrSignature) {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
	two := *p
	two.Threshold = 2
	twice := append(append([]byte(nil), right...), lines(right)...)
	if v, err := two.Verify(twice, noon); !errors.Is(err, ErrThreshold) {
		t.Errorf("one key that signed twice: %+v, %v", v, err)
	}
	if _, err := p.Verify(twice, noon); err != nil {
		t.Errorf("a repeated line: %v", err)
	}
}

// A pointer has room for some 30 signatures. More are an error of who signs, and too long for who reads.
func TestManySignatures(t *testing.T) {
	var keys []string
	var signers []note.Signer
	for _, c := range "abcdefghijklmnopqrstuvwxyzABCDE" {
		s, public := key(t, string(c), string(c))
		keys, signers = append(keys, "key "+public), append(signers, s)
	}
	head := []string{"version 1", "origin news.example/production", "threshold 30"}
	p := parse(t, append(head, keys[:30]...)...)
	line := pointer(t, nil)
	if v, err := p.Verify(sign(t, line, signers[:30]...), noon); err != nil || len(v.SignedBy) != 30 {
		t.Errorf("%+v, %v", v, err)
	}
	if v, err := p.Verify(sign(t, line, signers[:31]...), noon); err != nil || len(v.SignedBy) != 30 {
		t.Errorf("31 signatures, one of a foreign key: %+v, %v", v, err)
	}
	for _, s := range "FGHIJKLMNOPQR" {
		s, _ := key(t, string(s), string(s))
		signers = append(signers, s)
	}
	if _, err := Sign(line, signers...); err == nil || !strings.Contains(err.Error(), "more than 4096") {
		t.Errorf("%d signatures: %v", len(signers), err)
	}
	if _, err := Parse([]byte(strings.Join(append(head, keys...), "\n"))); err == nil || !strings.Contains(err.Error(), "line 34: there are more than 30 keys") {
		t.Errorf("31 keys: %v", err)
	}
}

func TestSignRefuses(t *testing.T) {
	ci, _ := key(t, "news.example/ci", "ci")
	unsigned := (*release.Pointer)(nil).Next("0123456789abcdef", []byte("x"), noon).Encode()
	for name, b := range map[string][]byte{
		"format 1": unsigned, "nothing": nil, "no line": []byte("{}"), "no pointer": []byte("{}\n"),
		"no note": append(pointer(t, nil), "\nx\n"...),
	} {
		if signed, err := Sign(b, ci); err == nil {
			t.Errorf("%s: %s", name, signed)
		}
	}
}

func TestKeys(t *testing.T) {
	private, public, err := NewKey("news.example/ci")
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSigner(private + "\n")
	if err != nil {
		t.Fatal(err)
	}
	p := parse(t, "version 1", "origin news.example/production", "threshold 1", "key "+public)
	if _, err := p.Verify(sign(t, pointer(t, nil), s), noon); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"", "a b", "a+b", "nеws", strings.Repeat("a", MaxName+1)} {
		if _, _, err := NewKey(name); err == nil {
			t.Errorf("%q is a name", name)
		}
	}
	for _, text := range []string{"", public, "PRIVATE+KEY+" + strings.Repeat("s3cret", 9), private[:len(private)-4] + "AAAA"} {
		if _, err := NewSigner(text); err == nil || strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), text[:min(len(text), 20)]) && text != "" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// ReadFile reads files alone: a pipe would keep a node from starting.
func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	_, public := key(t, "a", "a")
	path := filepath.Join(dir, "trust")
	if err := os.WriteFile(path, []byte("version 1\norigin a\nthreshold 1\nkey "+public+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := ReadFile(path); err != nil || p.Origin != "a" {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := ReadFile(dir); err == nil {
		t.Error("a directory is read")
	}
	if err := os.WriteFile(path, []byte("version 1\nversion 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), "trust: line 2: version is set in line 1 already") {
		t.Error(err)
	}
	if err := os.Truncate(path, MaxFile+1); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); err == nil {
		t.Error("a long file is read")
	}
}

// BenchmarkVerify verifies a pointer with two signatures, as a poll does whose pointer has changed.
func BenchmarkVerify(b *testing.B) {
	ci, ciKey := key(b, "news.example/ci", "ci")
	anna, annaKey := key(b, "news.example/anna", "anna")
	p := parse(b, "version 1", "origin news.example/production", "threshold 2", "key "+ciKey, "key "+annaKey)
	signed := sign(b, pointer(b, nil), ci, anna)
	for b.Loop() {
		if _, err := p.Verify(signed, noon); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSign(b *testing.B) {
	ci, _ := key(b, "news.example/ci", "ci")
	line := pointer(b, nil)
	for b.Loop() {
		sign(b, line, ci)
	}
}
