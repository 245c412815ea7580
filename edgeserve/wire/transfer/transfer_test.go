package transfer

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestTransfer shows what ends a body early.
func TestTransfer(t *testing.T) {
	for _, tt := range []struct {
		name  string
		sent  string
		ends  bool // else nothing follows what was sent
		limit int64
		read  string
		want  error
	}{
		{"a body within its limit is read whole", "hello", true, 5, "hello", nil},
		{"a longer body is cut", "hello", true, 4, "hell", ErrTooLarge},
		{"one that stands still ends with an error", "hel", false, 5, "hel", ErrStalled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				in, out := io.Pipe()
				context.AfterFunc(ctx, func() { in.CloseWithError(context.Canceled) })
				go func() {
					_, _ = io.WriteString(out, tt.sent)
					if tt.ends {
						out.Close()
					}
				}()
				b := &Body{In: in, Left: tt.limit, Ctx: ctx, Cancel: cancel, Stall: time.Second}
				got, err := io.ReadAll(b)
				if string(got) != tt.read || !errors.Is(err, tt.want) {
					t.Errorf("%q, %v", got, err)
				}
				b.Close()
			})
		})
	}
}

func TestRedirectsStayOnTheirHost(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"https://a.example/x", "https://a.example/y", ""},
		{"https://a.example/x", "https://A.example:443/y", ""},
		{"http://a.example/x", "https://a.example/x", ""},
		{"http://a.example:8080/x", "https://a.example/x", ""},
		{"https://a.example/x", "http://a.example/x", "leaves HTTPS"},
		{"https://a.example/x", "https://b.a.example/x", "leaves the host"},
		{"https://a.example/x", "https://169.254.169.254/latest", "leaves the host"},
		{"https://a.example/x", "file:///etc/passwd", "leaves HTTPS"},
		{"http://a.example/x", "file://a.example/etc/passwd", "leaves HTTP"},
		{"https://a.example/x", "https://a.example:9443/x", "leaves the port"},
		{"http://a.example/x", "http://a.example:6379/x", "leaves the port"},
	} {
		from, err := url.Parse(c.from)
		to, e := url.Parse(c.to)
		if err != nil || e != nil {
			t.Fatal(err, e)
		}
		err = CheckRedirect(&http.Request{URL: to}, []*http.Request{{URL: from}})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("from %s to %s: %v", c.from, c.to, err)
		}
	}
	if err := CheckRedirect(&http.Request{}, make([]*http.Request, maxRedirects+1)); err == nil {
		t.Error("a loop is followed")
	}
}
