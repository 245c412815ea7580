package store

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"contentedge/edgeserve/wire/store/storetest"
)

func open(t *testing.T, prefix string, o Options) *Store {
	t.Helper()
	s, err := Open("s3://"+storetest.Bucket+"/"+prefix, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// openThroughProxy opens the test bucket through a proxy. hasty aborts a transfer that makes no
// progress for 200 ms; s waits long enough for a busy machine.
func openThroughProxy(t *testing.T) (s, hasty *Store, wire *storetest.Proxy) {
	t.Helper()
	p := storetest.NewProxy(t, storetest.Start(t).Addr)
	storetest.Environment(t, p.URL)
	return open(t, "p", Options{}), open(t, "p", Options{Stall: 200 * time.Millisecond}), p
}

func put(t *testing.T, s *Store, key, text string, o PutOptions) Info {
	t.Helper()
	info, err := s.Put(t.Context(), key, strings.NewReader(text), int64(len(text)), o)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func read(s *Store, key string, o GetOptions) (string, Info, error) {
	if o.Max == 0 {
		o.Max = 1 << 20
	}
	obj, err := s.Get(context.Background(), key, o)
	if err != nil {
		return "", Info{}, err
	}
	defer func() { _ = obj.Close() }()
	b, err := io.ReadAll(obj)
	return string(b), obj.Info, err
}

func hexSum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// checkHeaders verifies an object's headers as a client of the bucket sees them.
func checkHeaders(t *testing.T, s *Store, key string) {
	t.Helper()
	req, err := s.request(http.MethodGet, key, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := s.do(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	for name, want := range map[string]string{"Content-Type": "application/json", "Content-Encoding": "gzip", "Cache-Control": "no-cache"} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%s: %q, not %q", name, got, want)
		}
	}
}

// TestStore shows what a store does with an object: from the first put to its removal.
func TestStore(t *testing.T) {
	storetest.Start(t)
	s := open(t, "site/live/", Options{})
	info := put(t, s, "a/b.json.gz", "hello", PutOptions{ContentType: "application/json", ContentEncoding: "gzip", CacheControl: "no-cache", SHA256: hexSum("hello")})
	t.Run("the ETag of an object is its MD5", func(t *testing.T) {
		sum := md5.Sum([]byte("hello"))
		if info.MD5() != hex.EncodeToString(sum[:]) {
			t.Errorf("ETag %s", info.ETag)
		}
	})
	t.Run("an object is read whole", func(t *testing.T) {
		text, got, err := read(s, "a/b.json.gz", GetOptions{})
		if err != nil || text != "hello" || got.ETag != info.ETag || got.Bytes != 5 || got.Modified.IsZero() {
			t.Errorf("%q, %+v, %v", text, got, err)
		}
	})
	t.Run("or only if its ETag has changed", func(t *testing.T) {
		if _, _, err := read(s, "a/b.json.gz", GetOptions{IfNoneMatch: info.ETag}); !errors.Is(err, ErrNotModified) {
			t.Error(err)
		}
	})
	t.Run("or from a byte on", func(t *testing.T) {
		if text, _, err := read(s, "a/b.json.gz", GetOptions{Offset: 2}); err != nil || text != "llo" {
			t.Errorf("%q, %v", text, err)
		}
	})
	t.Run("or up to a bound, beyond which it is too large", func(t *testing.T) {
		if text, _, err := read(s, "a/b.json.gz", GetOptions{Max: 4}); !errors.Is(err, ErrTooLarge) || text != "hell" {
			t.Errorf("at most 4: %q, %v", text, err)
		}
		if text, _, err := read(s, "a/b.json.gz", GetOptions{Max: 5}); err != nil || text != "hello" {
			t.Errorf("at most 5: %q, %v", text, err)
		}
	})
	t.Run("a copy has the bytes and the fields of the object", func(t *testing.T) {
		if _, err := s.Copy(t.Context(), "a/b.json.gz", "c/b.json.gz"); err != nil {
			t.Fatal(err)
		}
		if st, err := s.Stat(t.Context(), "c/b.json.gz"); err != nil || st.Bytes != 5 || st.ETag != info.ETag {
			t.Errorf("%+v, %v", st, err)
		}
		checkHeaders(t, s, "c/b.json.gz")
	})
	t.Run("an object is removed, also when it is gone", func(t *testing.T) {
		for range 2 {
			if err := s.Delete(t.Context(), "a/b.json.gz"); err != nil {
				t.Error(err)
			}
		}
		if _, _, err := read(s, "a/b.json.gz", GetOptions{}); !errors.Is(err, ErrNotFound) || Temporary(err) {
			t.Error(err)
		}
		if _, err := s.Stat(t.Context(), "a/b.json.gz"); !errors.Is(err, ErrNotFound) {
			t.Error(err)
		}
	})
}

func TestKeys(t *testing.T) {
	storetest.Start(t)
	s := open(t, "p r+é", Options{})
	for _, key := range []string{"plain", "with space", "a+b=c&d", "100%", "é~'()*!", "~0a_.json", "q?x#y"} {
		put(t, s, key, key, PutOptions{})
		if text, _, err := read(s, key, GetOptions{}); err != nil || text != key {
			t.Errorf("%q: %q, %v", key, text, err)
		}
		if _, err := s.Copy(t.Context(), key, "copies/"+key); err != nil {
			t.Errorf("%q: %v", key, err)
		}
	}
	var names []string
	for info, err := range s.List(t.Context(), "copies/") {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, strings.TrimPrefix(info.Key, "copies/"))
	}
	if len(names) != 7 || !slices.Contains(names, "a+b=c&d") {
		t.Errorf("listed %q", names)
	}
}

func TestListIsWhole(t *testing.T) {
	storetest.Start(t)
	s := open(t, "many", Options{})
	const n = 1234 // more than a page
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := w; i < n; i += 8 {
				put(t, s, fmt.Sprintf("releases/%02d/%04d", i%3, i), "x", PutOptions{})
			}
		})
	}
	wg.Wait()
	put(t, s, "current.json", "x", PutOptions{})
	seen := map[string]bool{}
	for info, err := range s.List(t.Context(), "releases/") {
		if err != nil || info.Bytes != 1 || info.ETag == "" || info.Modified.IsZero() {
			t.Fatalf("%+v, %v", info, err)
		}
		seen[info.Key] = true
	}
	if len(seen) != n || !seen["releases/00/0000"] {
		t.Errorf("%d objects, not %d", len(seen), n)
	}
	if dirs, err := s.Dirs(t.Context(), "releases/"); err != nil || !slices.Equal(dirs, []string{"00", "01", "02"}) {
		t.Errorf("%q, %v", dirs, err)
	}
}

// Callers strip the prefix and delete listed objects, so no key may lie outside it.
func TestListStaysBelowItsPrefix(t *testing.T) {
	s, _, wire := openThroughProxy(t)
	for _, key := range []string{"", "p", "p/releases", "q/releases/a", "/p/releases/a"} {
		wire.Set(func(int, *http.Request) storetest.Fault {
			return storetest.Fault{Body: []byte("<ListBucketResult><Contents><Key>" + key + "</Key></Contents></ListBucketResult>")}
		})
		for info, err := range s.List(t.Context(), "releases/") {
			if !errors.Is(err, errOutside) {
				t.Errorf("key %q: %+v, %v", key, info, err)
			}
		}
	}
}

func TestConditions(t *testing.T) {
	storetest.Start(t)
	s := open(t, "", Options{})
	first := put(t, s, "k", "one", PutOptions{IfNew: true})
	if _, err := s.Put(t.Context(), "k", strings.NewReader("x"), 1, PutOptions{IfNew: true}); !errors.Is(err, ErrChanged) {
		t.Errorf("a second new object: %v", err)
	}
	put(t, s, "k", "two", PutOptions{IfMatch: first.ETag})
	if _, err := s.Put(t.Context(), "k", strings.NewReader("x"), 1, PutOptions{IfMatch: first.ETag}); !errors.Is(err, ErrChanged) {
		t.Errorf("the ETag before: %v", err)
	}
	if text, _, _ := read(s, "k", GetOptions{}); text != "two" {
		t.Errorf("it holds %q", text)
	}
	won := 0
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := s.Put(t.Context(), "race", strings.NewReader("x"), 1, PutOptions{IfNew: true}); err == nil {
				mu.Lock()
				won++
				mu.Unlock()
			} else if !errors.Is(err, ErrChanged) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won != 1 {
		t.Errorf("%d of 20 made a new object", won)
	}
}

func TestWrongSumIsRefused(t *testing.T) {
	storetest.Start(t)
	s := open(t, "", Options{})
	if _, err := s.Put(t.Context(), "k", strings.NewReader("hello"), 5, PutOptions{SHA256: hexSum("other")}); err == nil {
		t.Error("bytes of another sum were taken")
	}
	if _, err := s.Stat(t.Context(), "k"); !errors.Is(err, ErrNotFound) {
		t.Errorf("there is an object: %v", err)
	}
}

func TestFaults(t *testing.T) {
	calm, hasty, wire := openThroughProxy(t)
	put(t, calm, "k", strings.Repeat("hello ", 1000), PutOptions{})
	tests := []struct {
		name      string
		fault     storetest.Fault
		want      error
		temporary bool
	}{
		{"503", storetest.Fault{Status: 503}, nil, true},
		{"429", storetest.Fault{Status: 429}, nil, true},
		{"403", storetest.Fault{Status: 403}, ErrDenied, false},
		{"404", storetest.Fault{Status: 404}, ErrNotFound, false},
		{"dropped", storetest.Fault{Drop: true}, nil, true},
		{"cut", storetest.Fault{CutAt: 100}, io.ErrUnexpectedEOF, true},
		{"endless", storetest.Fault{Endless: true}, ErrTooLarge, false},
		{"no answer", storetest.Fault{Wait: time.Minute}, nil, true},
		{"stands still", storetest.Fault{Drip: time.Minute}, ErrStalled, true},
		{"redirected", storetest.Fault{Status: 307, Header: http.Header{"Location": {"http://127.0.0.1:1/"}}}, nil, false},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			s := calm
			if c.fault.Wait+c.fault.Drip > 0 {
				s = hasty
			}
			wire.Set(func(int, *http.Request) storetest.Fault { return c.fault })
			_, _, err := read(s, "k", GetOptions{Max: 10000})
			if c.want == ErrStalled { // on a busy machine the headers may be late, too
				storetest.WaitFor(t, "a stalled body", func() bool {
					_, _, err = read(s, "k", GetOptions{Max: 10000})
					return errors.Is(err, c.want)
				})
			}
			if err == nil || c.want != nil && !errors.Is(err, c.want) || Temporary(err) != c.temporary {
				t.Errorf("%v (temporary %v)", err, Temporary(err))
			}
			noCanary(t, err)
			for _, err := range s.List(t.Context(), "") {
				noCanary(t, err)
			}
			_, err = s.Copy(t.Context(), "k", "l")
			noCanary(t, err)
		})
	}
}

func noCanary(t *testing.T, err error) {
	t.Helper()
	if err != nil && (strings.Contains(err.Error(), storetest.Access) || strings.Contains(err.Error(), storetest.Secret)) {
		t.Errorf("credentials in %q", err)
	}
}

func TestCutsAtEveryByte(t *testing.T) {
	s, _, wire := openThroughProxy(t)
	const text = "a body of some bytes"
	put(t, s, "k", text, PutOptions{})
	for cut := range len(text) - 1 {
		wire.Set(func(int, *http.Request) storetest.Fault { return storetest.Fault{CutAt: int64(cut + 1)} })
		if got, _, err := read(s, "k", GetOptions{}); !errors.Is(err, io.ErrUnexpectedEOF) || got != text[:cut+1] {
			t.Fatalf("cut at %d: %q, %v", cut+1, got, err)
		}
	}
}

func TestFileServer(t *testing.T) {
	files := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/a b/k" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader([]byte("hello")))
	}))
	defer files.Close()
	s, err := Open(files.URL+"/a%20b/", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text, info, err := read(s, "k", GetOptions{}); err != nil || text != "hello" || info.ETag != `"1"` {
		t.Errorf("%q, %+v, %v", text, info, err)
	}
	if text, _, err := read(s, "k", GetOptions{Offset: 4}); err != nil || text != "o" {
		t.Errorf("%q, %v", text, err)
	}
	if _, _, err := read(s, "k", GetOptions{IfNoneMatch: `"1"`}); !errors.Is(err, ErrNotModified) {
		t.Error(err)
	}
	if _, _, err := read(s, "other", GetOptions{}); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	_, err = s.Put(t.Context(), "k", nil, 0, PutOptions{})
	_, listErr := s.Dirs(t.Context(), "")
	if !errors.Is(err, ErrReadOnly) || !errors.Is(listErr, ErrReadOnly) || !errors.Is(s.Delete(t.Context(), "k"), ErrReadOnly) {
		t.Errorf("writing: %v, %v", err, listErr)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct{ name, endpoint, want string }{
		{"public", "", "want s3://"},
		{"s3://B/x", "", "bucket's name"},
		{"s3://a.b..c/x", "", "bucket's name"},
		{"https:///x", "", "no host"},
		{"https://me:canary/secret@host/x", "", "not a URL"},
		{"https://me:canary@host/x", "", "come from the environment"},
		{"s3://key:canary@bucket/x", "", "come from the environment"},
		{"s3://bucket/x?versionId=1", "", "come from the environment"},
		{"s3://bucket/x", "ftp://host", "AWS_ENDPOINT_URL"},
		{"s3://bucket/x", "http://a:canary@host", "AWS_ENDPOINT_URL"},
		{"s3://bucket/x", "http://host/path", "AWS_ENDPOINT_URL"},
	} {
		t.Setenv("AWS_ENDPOINT_URL_S3", c.endpoint)
		if _, err := Open(c.name, Options{}); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestEndpoint(t *testing.T) {
	for _, c := range []struct{ name, s3, all, region, want string }{
		{"s3://bucket/p", "", "", "", "https://bucket.s3.us-east-1.amazonaws.com/p/k"},
		{"s3://bucket", "", "", "eu-west-3", "https://bucket.s3.eu-west-3.amazonaws.com/k"},
		{"s3://a.bucket/p", "", "", "eu-west-3", "https://s3.eu-west-3.amazonaws.com/a.bucket/p/k"},
		{"s3://bucket/p", "", "http://all:1", "", "http://all:1/bucket/p/k"},
		{"s3://bucket/p/", "http://s3:1/", "http://all:1", "", "http://s3:1/bucket/p/k"},
	} {
		t.Setenv("AWS_ENDPOINT_URL_S3", c.s3)
		t.Setenv("AWS_ENDPOINT_URL", c.all)
		t.Setenv("AWS_REGION", c.region)
		s, err := Open(c.name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if req, err := s.request(http.MethodGet, "k", nil); err != nil || req.URL.String() != c.want {
			t.Errorf("%s: %s, %v", c.name, req.URL, err)
		}
	}
}

func TestWithoutCredentials(t *testing.T) {
	storetest.Start(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", t.TempDir()+"/none")
	if _, _, err := read(open(t, "", Options{}), "k", GetOptions{}); !errors.Is(err, ErrDenied) {
		t.Errorf("got %v", err)
	}
}

func TestSharedCredentialsFile(t *testing.T) {
	storetest.Start(t)
	file := filepath.Join(t.TempDir(), "credentials")
	text := "[default]\naws_access_key_id = " + storetest.Access + "\naws_secret_access_key = " + storetest.Secret + "\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
	s := open(t, "", Options{})
	put(t, s, "k", "x", PutOptions{})
	if text, _, err := read(s, "k", GetOptions{}); err != nil || text != "x" {
		t.Errorf("%q, %v", text, err)
	}
}
