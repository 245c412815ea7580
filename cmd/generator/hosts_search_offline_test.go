package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/offline"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/wire/release"
)

// offlineRelease opens the release of a public directory as the module does: with its snapshots, or with search-only ones.
func offlineRelease(t *testing.T, public string, searchOnly bool) (r *offline.Release, items func(name string) []byte) {
	t.Helper()
	d, err := releasedir.Open(public, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(d.Fingerprint.Dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if r, err = offline.Open(read(release.ManifestName)); err != nil {
		t.Fatal(err)
	}
	for _, e := range d.Manifest.Environments {
		body := read(e.Snapshot.File)
		in, err := r.Receive(e.ID)
		if searchOnly {
			var b bytes.Buffer
			if err := d.Readers[e.ID].WriteSearchOnly(&b); err != nil {
				t.Fatal(err)
			}
			body = b.Bytes()
			in, err = r.ReceiveSearchOnly(e.ID, release.Snapshot{File: "s", Bytes: int64(b.Len()), SHA256: release.HexSHA256(body)})
		}
		if err != nil {
			t.Fatal(err)
		}
		in.Arrived(copy(in.Rest(), body))
		if err := r.Load(in); err != nil {
			t.Fatal(err)
		}
	}
	return r, read
}

// respondOffline asks a release as contentedge.mjs does, and returns the whole response and how many items it needed.
func respondOffline(t *testing.T, r *offline.Release, items func(string) []byte, method, target, body string) (response string, fetched int) {
	t.Helper()
	request := offline.Request{Method: []byte(method), Target: []byte(target), Body: []byte(body)}
	for range 10 {
		got, files, err := r.Respond(&request)
		if len(files) == 0 {
			if err != nil && request.Round != answer.Failed {
				t.Errorf("%s: %v", target, err)
			}
			return string(got.Fields) + "\n" + string(got.Body), fetched
		}
		failed := false
		for _, f := range files {
			fetched++
			if r.PutItem(f.Name, items(f.Name)) != nil {
				failed = true
			}
		}
		if request.Round++; failed {
			request.Round = answer.Failed
		}
	}
	t.Fatalf("%s: items are asked for again and again", target)
	return "", 0
}

// TestSearchOnlyOffline: responses from search-only snapshots equal those from the release's own.
func TestSearchOnlyOffline(t *testing.T) {
	public := filepath.Join(t.TempDir(), "public")
	buildSample(t, "../../content", public)
	whole, items := offlineRelease(t, public, false)
	searchOnly, _ := offlineRelease(t, public, true)
	all := 0
	for _, c := range []struct{ method, target, body string }{
		{"GET", "/cda/rest/v1/site/contents", ""},
		{"GET", "/cda/rest/v1/site/contents?pageSize=100&sort=Name&sortAsc=true", ""},
		{"GET", "/cda/rest/v1/events/contents?page=9", ""},
		{"POST", "/cda/es/v1/site", ""},
		{"POST", "/cda/es/v1/site", `{"query":{"match":{"Data.title":"bread"}},"_source":["Name"],"size":3}`},
		{"POST", "/cda/es/v1/site", `{"size":0,"query":{"term":{"Status":"Draft"}}}`},
		{"POST", "/cda/es/v1/none", `{}`},
		{"GET", "/cda/rest/v1/site/contents/none", ""},
	} {
		want, _ := respondOffline(t, whole, nil, c.method, c.target, c.body)
		got, fetched := respondOffline(t, searchOnly, items, c.method, c.target, c.body)
		if got != want {
			t.Errorf("%s %s\n got %.300s\nwant %.300s", c.target, c.body, got, want)
		}
		all += fetched
	}
	if all == 0 {
		t.Error("no items were asked for: the snapshots are not search-only")
	}
}

// TestSearchOnlyHostile: snapshots and items of another release are refused.
func TestSearchOnlyHostile(t *testing.T) {
	public := filepath.Join(t.TempDir(), "public")
	buildSample(t, "../../content", public)
	r, items := offlineRelease(t, public, true)
	altered := func(name string) []byte {
		return bytes.Replace(items(name), []byte("Published"), []byte("published"), 1)
	}
	got, _ := respondOffline(t, r, altered, "POST", "/cda/es/v1/site", `{"query":{"match":{"Status":"Published"}},"size":2}`)
	var problem struct {
		Status int
		Error  struct{ Code string }
	}
	if err := json.Unmarshal([]byte(got[strings.LastIndex(got, "\n")+1:]), &problem); err != nil || problem.Status != 503 || problem.Error.Code != "unreadable" {
		t.Errorf("%.300s", got)
	}
	for _, s := range []release.Snapshot{{File: "s", Bytes: 1 << 40}, {File: "s", Bytes: -1}} {
		if _, err := r.ReceiveSearchOnly("site", s); err == nil {
			t.Errorf("%+v is received", s)
		}
	}
	if _, err := r.ReceiveSearchOnly("none", release.Snapshot{}); err == nil {
		t.Error("an environment that is not there is received")
	}
	in, err := r.ReceiveSearchOnly("site", release.Snapshot{File: "s", Bytes: 10, SHA256: release.HexSHA256([]byte("0123456789"))})
	if err != nil {
		t.Fatal(err)
	}
	in.Arrived(copy(in.Rest(), "0123456789"))
	if err := r.Load(in); err == nil {
		t.Error("a file that is no snapshot is loaded")
	}
}
