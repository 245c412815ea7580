package webhook

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

var (
	secret = []byte("0123456789abcdef")
	now    = time.Unix(1767225600, 0)
)

// TestWebhook shows which signatures are valid, and what is said of the others.
func TestWebhook(t *testing.T) {
	sign := func(body string, at time.Time) string { return Sign([]byte(body), at, secret) }
	good := sign("{}", now)
	// printf '1767225600.{}' | openssl dgst -sha256 -hmac 0123456789abcdef
	const openssl = "t=1767225600,v1=99902517b3069f78750aa0520b0493482454c2d30a579c7acc839f3363ca1b88"
	if good != openssl {
		t.Errorf("our signature is %s, openssl %s", good, openssl)
	}
	other := Sign([]byte("{}"), now, []byte("another secret, as long"))
	_, wrong, _ := strings.Cut(other, ",")
	for _, tt := range []struct {
		name, value, body string
		want              error
	}{
		{"a signature", good, "{}", nil},
		{"of an empty body", sign("", now), "", nil},
		{"of five minutes ago", sign("{}", now.Add(-MaxAge)), "{}", nil},
		{"of five minutes ahead", sign("{}", now.Add(MaxAge)), "{}", nil},
		{"a second one, of another secret", good + "," + wrong, "{}", nil},
		{"in another order, with spaces and unknown parts", strings.Split(good, ",")[1] + ", v0=abc , " + strings.Split(good, ",")[0], "{}", nil},
		{"in capitals", good[:17] + strings.ToUpper(good[17:]), "{}", nil},
		{"too old", sign("{}", now.Add(-MaxAge-time.Second)), "{}", ErrTime},
		{"too young", sign("{}", now.Add(MaxAge+time.Second)), "{}", ErrTime},
		{"another body", good, "{} ", ErrSignature},
		{"another secret", other, "{}", ErrSignature},
		{"another time", strings.Replace(good, "1767225600", "1767225601", 1), "{}", ErrSignature},
		{"a time written otherwise", strings.Replace(good, "1767225600", "01767225600", 1), "{}", ErrSignature},
		{"none", "", "{}", ErrMissing},
		{"no time", good[13:], "{}", ErrForm},
		{"two times", good + ",t=1", "{}", ErrForm},
		{"no number", strings.Replace(good, "1767225600", "now", 1), "{}", ErrForm},
		{"a number too large", strings.Replace(good, "1767225600", "99999999999999999999", 1), "{}", ErrForm},
		{"the largest number", strings.Replace(good, "1767225600", "9223372036854775807", 1), "{}", ErrTime},
		{"a negative number", strings.Replace(good, "1767225600", "-9223372036854775808", 1), "{}", ErrForm},
		{"no signature", "t=1767225600", "{}", ErrForm},
		{"half a signature", good[:40], "{}", ErrForm},
		{"no digits", "t=1767225600,v1=" + strings.Repeat("z", 64), "{}", ErrForm},
		{"without end", good + strings.Repeat(",v1=00", 1000), "{}", ErrForm},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := Check(secret, tt.value, strings.NewReader(tt.body), now); err != tt.want {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
	if err := Check(secret, good, iotest.ErrReader(io.ErrUnexpectedEOF), now); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a body that cannot be read: %v", err)
	}
}

func FuzzCheck(f *testing.F) {
	good := Sign([]byte("{}"), now, secret)
	for _, value := range []string{good, "", "t=1", "t=,v1=", "v1=,t=1", "=,=", good + "," + good} {
		f.Add(value, "{}")
	}
	f.Fuzz(func(t *testing.T, value, body string) {
		if err := Check(secret, value, strings.NewReader(body), now); err == nil {
			at, _, _ := parse(value)
			want, _ := sign(secret, at, strings.NewReader(body))
			if _, all, _ := parse(value); !strings.Contains(string(join(all)), string(want)) {
				t.Errorf("%q is valid for %q", value, body)
			}
		}
	})
}

func join(all [][]byte) (b []byte) {
	for _, a := range all {
		b = append(b, a...)
	}
	return b
}
