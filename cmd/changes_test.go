package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"contentedge/edgeserve/wire/store/storetest"
	"contentedge/generator/webhook"
)

const changesPage = "generator/CHANGES.md"

// TestFollowers publishes with webhooks and files of changes: a receiver learns what changed, a receiver that fails is
// reported and told again, and diff writes the same file as the publication.
func TestFollowers(t *testing.T) {
	t.Parallel()
	const secret = "CANARY-of-the-webhooks"
	var told atomic.Pointer[string]
	var broken atomic.Bool
	hooks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var b strings.Builder
		err := webhook.Check([]byte(secret), r.Header.Get("X-Webhook-Signature"), io.TeeReader(r.Body, &b), time.Now())
		if err != nil || broken.Load() {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		body := b.String()
		told.Store(&body)
	}))
	defer hooks.Close()
	p := newPublisher(t, storetest.Serve(t).URL())
	p.env = append(p.env, "CONTENTEDGE_NOTIFY_SECRET="+secret, "CONTENTEDGE_NOTIFY="+hooks.URL+"/hook/PATH", "CONTENTEDGE_CHANGES=3")
	notice := func() (n struct{ Event, Build, Previous, Changes string }) {
		t.Helper()
		body := told.Swap(nil)
		if body == nil {
			t.Fatal("nobody was told")
		}
		if err := json.Unmarshal([]byte(*body), &n); err != nil || n.Event != "published" {
			t.Fatalf("%s: %v", *body, err)
		}
		return n
	}
	first := p.build("one")
	p.publish(first)
	if n := notice(); n.Previous != "" || n.Changes != "" {
		t.Errorf("of the first release: %+v", n)
	}
	second := p.build("two")
	p.publish(second)
	n := notice()
	if n.Build == n.Previous || n.Changes != "changes/"+n.Previous+"-"+n.Build+".json" {
		t.Errorf("%+v", n)
	}
	p.publish(second)
	if told.Load() != nil {
		t.Error("told of a release that was current already")
	}
	into := filepath.Join(t.TempDir(), "new", "changes")
	p.must("diff", first, second, "--changes-into", into)
	b, err := os.ReadFile(filepath.Join(into, n.Previous+"-"+n.Build+".json"))
	if err != nil || !strings.Contains(string(b), `"environments":[{"id":"site","created":[],"updated":["`) {
		t.Errorf("%.300s, %v", b, err)
	}

	followByPage(t, first, second, n.Previous, n.Build, into)

	broken.Store(true)
	out, err := p.command("releases", "rollback", storeURL).CombinedOutput()
	exit, failed := errors.AsType[*exec.ExitError](err)
	if !failed || exit.ExitCode() != 1 || !strings.Contains(string(out), "is current (sequence 3), but not all receivers know: webhook to "+hooks.URL+": it answered with status 403; generator releases notify") {
		t.Errorf("%v: %s", err, out)
	}
	if strings.Contains(string(out), secret) || strings.Contains(string(out), "PATH") {
		t.Errorf("secrets in the output: %s", out)
	}
	broken.Store(false)
	if out := p.must("releases", "notify", storeURL); !strings.Contains(out, "webhooks sent: 1; "+n.Previous+" is current (sequence 3)") {
		t.Error(out)
	}
	if back := notice(); back.Build != n.Previous || back.Changes != "changes/"+n.Build+"-"+n.Previous+".json" {
		t.Errorf("%+v", back)
	}
}

// followByPage lets the program of the page follow a store from one release to the next.
func followByPage(t *testing.T, first, second, from, to, changes string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Log("no node here: the program of the page is not run")
		return
	}
	page, err := os.ReadFile("../" + changesPage)
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(page), "```js\n")
	program, _, _ = strings.Cut(program, "```")
	store := t.TempDir()
	for name, dir := range map[string]string{"releases/" + from: filepath.Join(first, "current"), "releases/" + to: filepath.Join(second, "current"), "changes": changes} {
		if err := os.CopyFS(filepath.Join(store, name), os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(http.FileServer(http.Dir(store)))
	defer server.Close()
	program += `
import { readFileSync, writeFileSync } from 'node:fs';
const [base, store, from, to] = process.argv.slice(2);
const point = (build) => writeFileSync(store + '/current.json', JSON.stringify({ build }));
const have = new Map();
const step = (state) => sync(base, state, (env, item) => have.set(env + '/' + item.ContentID, item.Data.mark), (env, id) => have.delete(env + '/' + id));
point(from);
let state = await step(null);
if (!state.all) throw new Error('the first call has nothing to begin with');
state = await step({ build: from });
if (have.size !== 0 || state.build !== from) throw new Error('something changed');
point(to);
state = await step(state);
const marks = new Set(have.values());
console.log(state.build === to, have.size, [...marks].join());
`
	file := filepath.Join(t.TempDir(), "sync.mjs")
	if err := os.WriteFile(file, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(node, file, server.URL, store, from, to).CombinedOutput()
	if want := fmt.Sprintf("true %d two\n", siteMarks); err != nil || string(out) != want {
		t.Errorf("%v: %s, want %s", err, out, want)
	}
}
