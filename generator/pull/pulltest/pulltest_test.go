// These tests show that the origin is one: healthy responses, faults in them, states and scripts.

package pulltest

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
)

func listURL(query string) string { return URL + address.Contents.Path(Env) + "?" + query }

// ask sends a request over connections in memory.
func ask(t *testing.T, o *Origin, r *http.Request) (*http.Response, string, error) {
	t.Helper()
	tr := &http.Transport{DialContext: o.Dial, DisableKeepAlives: true, DisableCompression: true}
	defer tr.CloseIdleConnections()
	resp, err := tr.RoundTrip(r)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp, string(b), err
}

func get(t *testing.T, o *Origin, url string, fields ...string) (*http.Response, string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(fields); i += 2 {
		r.Header.Set(fields[i], fields[i+1])
	}
	return ask(t, o, r)
}

// bubble runs a test with an origin of n items, whose waits take no time.
func bubble(t *testing.T, n int, test func(t *testing.T, o *Origin)) {
	synctest.Test(t, func(t *testing.T) {
		o := New(n)
		o.Start()
		defer o.Close()
		test(t, o)
	})
}

// TestPulltest shows what an origin responds, and what faults change.
func TestPulltest(t *testing.T) {
	t.Run("a page of the list", func(t *testing.T) {
		bubble(t, 5, func(t *testing.T, o *Origin) {
			resp, body, err := get(t, o, listURL("page=2&pageSize=2&sort=CreatedAt&sortAsc=true"))
			want := `{"status":200,"data":[` + Sample(2).Raw + "," + Sample(3).Raw + `],"totalItems":5}`
			if err != nil || body != want || resp.Header.Get(httpfield.Release) != o.Newest().Release {
				t.Errorf("%v %v\n%s\nwant\n%s", err, resp, body, want)
			}
		})
	})
	t.Run("another release than the required one", func(t *testing.T) {
		bubble(t, 5, func(t *testing.T, o *Origin) {
			if resp, _, err := get(t, o, listURL(""), httpfield.Release, "0123456789abcdef"); err != nil || resp.StatusCode != http.StatusPreconditionFailed {
				t.Errorf("%v %v", err, resp)
			}
		})
	})
	t.Run("an index", func(t *testing.T) {
		bubble(t, 2, func(t *testing.T, o *Origin) {
			for _, kind := range []address.Kind{address.Search, address.ElasticSearch} {
				r, _ := http.NewRequestWithContext(t.Context(), "POST", URL+kind.Path(Env), bytes.NewReader([]byte(`{"size":10000,"_source":["ContentID","UpdatedAt"],"sort":[{"ContentID":"asc"}]}`)))
				_, body, err := ask(t, o, r)
				if err != nil || !json.Valid([]byte(body)) || strings.Count(body, `{"UpdatedAt":"1997-01-0`) != 2 || strings.Contains(body, "Data") {
					t.Errorf("%v %s", err, body)
				}
			}
		})
	})
	t.Run("half a body", func(t *testing.T) {
		for _, f := range []Fault{Cut(false), Cut(true), Drop()} {
			bubble(t, 5, func(t *testing.T, o *Origin) {
				o.Play(At(1, f))
				if _, body, err := get(t, o, listURL("")); err == nil {
					t.Errorf("%s: no error, %s", f.Name, body)
				}
				if _, body, err := get(t, o, listURL("")); err != nil || !strings.HasSuffix(body, `"totalItems":5}`) {
					t.Errorf("behind %s: %v, %s", f.Name, err, body)
				}
			})
		}
	})
	t.Run("waits are virtual", func(t *testing.T) {
		bubble(t, 5, func(t *testing.T, o *Origin) {
			o.Play(At(1, Drip(10*time.Second)))
			began := time.Now()
			_, body, err := get(t, o, listURL("pageSize=1"))
			if took := time.Since(began); err != nil || took != time.Duration(len(body))*10*time.Second {
				t.Errorf("%v after %s for %d bytes", err, took, len(body))
			}
		})
	})
	t.Run("changes between pages are states", func(t *testing.T) {
		bubble(t, 3, func(t *testing.T, o *Origin) {
			before := o.Newest().Mirror()
			o.Play(At(1, Edit(1, "second")), At(2, Remove(0)))
			for range 2 {
				get(t, o, listURL(""))
			}
			if o.Had(before) != 0 || o.Had(o.Newest().Mirror()) != 2 || o.Had("") != -1 || strings.Count(o.Newest().Mirror(), "\n") != 2 {
				t.Errorf("%d states: %s", len(o.states), o.Log())
			}
		})
	})
	t.Run("the last page is short by one", func(t *testing.T) {
		bubble(t, 3, func(t *testing.T, o *Origin) {
			o.Play(Always(ShortLast()))
			if _, body, err := get(t, o, listURL("page=2&pageSize=2&sortAsc=true")); err != nil || body != `{"status":200,"data":[],"totalItems":3}` {
				t.Errorf("%v %s", err, body)
			}
		})
	})
	t.Run("another host is noted", func(t *testing.T) {
		bubble(t, 3, func(t *testing.T, o *Origin) {
			get(t, o, "http://other.example/x", "Authorization", "key")
			if f := o.Foreign(); len(f) != 1 || !strings.Contains(f[0], "key") {
				t.Errorf("%q", f)
			}
		})
	})
}

// Random repeats a script for its seed, and Shrink finds the steps that matter.
func TestRandom(t *testing.T) {
	script := func(seed uint64) Script { return Random(rand.New(rand.NewPCG(seed, 0)), 10) }
	distinct := map[string]bool{}
	for seed := range uint64(100) {
		s := script(seed).String()
		if distinct[s] = true; s != script(seed).String() {
			t.Errorf("seed %d: two scripts", seed)
		}
	}
	if len(distinct) < 90 {
		t.Errorf("%d scripts of 100 seeds", len(distinct))
	}
	s := Script{At(1, Drop()), At(2, Stall()), At(3, Stale()), At(4, Empty())}
	fails := func(s Script) bool {
		return strings.Contains(s.String(), "stops") && strings.Contains(s.String(), "empty")
	}
	if got := Shrink(s, fails); len(got) != 2 || !fails(got) {
		t.Errorf("shrunk to\n%s", got)
	}
}
