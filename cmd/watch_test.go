// These tests run pull --watch as a process, beside an origin that editors change and a node that serves.

package cmd

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"contentedge/edgeserve/wire/store/storetest"
	"contentedge/generator/pull/pulltest"
)

const hookSecret = "CANARY-webhook-secret"

// watching is a process that keeps in step with an origin.
type watching struct {
	t     *testing.T
	cmd   *exec.Cmd
	log   output
	admin string
}

func watch(t *testing.T, bin string, env []string, args ...string) *watching {
	t.Helper()
	w := &watching{t: t, cmd: exec.Command(bin, args...)}
	w.cmd.Stdout, w.cmd.Stderr = &w.log, &w.log
	w.cmd.Env = append(append(os.Environ(), "HTTP_PROXY=", "http_proxy=", "CONTENTEDGE_WEBHOOK_SECRET="+hookSecret), env...)
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = w.cmd.Process.Kill()
		_ = w.cmd.Wait()
		noCanary(t, w.log.String())
		if t.Failed() {
			t.Logf("pull --watch:\n%s", w.log.String())
		}
	})
	listening := regexp.MustCompile(`admin listening on (\S+)`)
	storetest.WaitFor(t, "the admin listener", func() bool {
		m := listening.FindStringSubmatch(w.log.String())
		if m != nil {
			w.admin = "http://" + m[1]
		}
		return m != nil
	})
	return w
}

// webhook sends a signed webhook and returns its response.
func (w *watching) webhook(secret string) (status int, body string) {
	const text = `{"event":"published"}`
	at := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(at + "." + text))
	r, err := http.NewRequest("POST", w.admin+"/-/pull", strings.NewReader(text))
	if err != nil {
		w.t.Error(err)
		return 0, ""
	}
	r.Header.Set("X-Webhook-Signature", "t="+at+",v1="+hex.EncodeToString(mac.Sum(nil)))
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Error(err)
		return 0, ""
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b)
}

// metric is the sum of the series whose names and labels match a pattern.
func (w *watching) metric(pattern string) (sum float64) {
	w.t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^`+pattern+` (\S+)$`).FindAllStringSubmatch(get(w.t, w.admin+"/metrics"), -1) {
		v, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			w.t.Fatal(err)
		}
		sum += v
	}
	return sum
}

func (w *watching) waits(what, pattern string, ok func(float64) bool) {
	w.t.Helper()
	storetest.WaitFor(w.t, what, func() bool { return ok(w.metric(pattern)) })
}

// end ends the process by a signal, which has to be a good end.
func (w *watching) end() {
	w.t.Helper()
	_ = w.cmd.Process.Signal(syscall.SIGTERM)
	if err := w.cmd.Wait(); err != nil {
		w.t.Errorf("it ends with %v", err)
	}
}

// TestWatchedPull edits an origin, sends webhooks, and lets it fail; a node serves what came of it.
func TestWatchedPull(t *testing.T) {
	t.Parallel()
	bin := binaries(t, "generator", "edgeserve")
	o := pulltest.New(20)
	url, content, public := o.Listen(t), t.TempDir(), filepath.Join(t.TempDir(), "public")
	args := []string{"pull", url, "--env", pulltest.Env, "--content", content, "--rate", "1000", "--max-wait", "1s", "--watch", "1h", "--admin", "127.0.0.1:0"}
	build := []string{"--", "--out", public, "--compress", "none", "--no-sync"}
	w := watch(t, bin["generator"], nil, append(args, build...)...)
	w.waits("the first release", `contentedge_build_info\{build="[0-9a-f]+"\}`, func(v float64) bool { return v == 1 })
	served := serve(t, bin["edgeserve"], public, "--poll", "20ms") + "/cda/rest/v1/" + pulltest.Env + "/contents/"
	first := pulltest.Sample(3).ID
	if text := get(t, served+first); !strings.Contains(text, `"first"`) {
		t.Errorf("served is %s", text)
	}
	o.Edit(3, "second")
	if status, body := w.webhook(hookSecret); status != http.StatusAccepted || !strings.Contains(body, `"run":"`) {
		t.Errorf("%d %s", status, body)
	}
	storetest.WaitFor(t, "the edit to be served", func() bool { return strings.Contains(get(t, served+first), `"second"`) })

	runs := func() float64 { return w.metric(`contentedge_pull_runs_total\{.*\}`) }
	before, sent := runs(), time.Now()
	var senders sync.WaitGroup
	for range 20 {
		senders.Go(func() { w.webhook(hookSecret) })
	}
	senders.Wait()
	w.waits("the runs", `contentedge_pull_runs_total\{.*\}`, func(v float64) bool { return v > before })
	if status, _ := w.webhook("another secret, as long"); status != http.StatusUnauthorized {
		t.Errorf("a wrong signature: %d", status)
	}
	if n := w.metric(`contentedge_webhooks_total\{result="accepted"\}`); n != 21 {
		t.Errorf("%g webhooks", n)
	}

	o.Set(pulltest.Sample(3), pulltest.Sample(4))
	w.webhook(hookSecret)
	w.waits("the refusal", `contentedge_pull_runs_total\{result="refused"\}`, func(v float64) bool { return v >= 1 })
	// 20 webhooks cause one or two, and another is refused. A slow machine sends them over some seconds.
	if n := runs() - before; n > 4+time.Since(sent).Seconds() {
		t.Errorf("%g runs", n)
	}
	if text := get(t, served+first); !strings.Contains(text, `"second"`) || !strings.Contains(w.log.String(), "--allow-removal") {
		t.Errorf("after a refusal: %s\n%s", text, w.log.String())
	}
	w.end()

	w = watch(t, bin["generator"], nil, append(append(args, "--allow-removal", "--json"), build...)...)
	storetest.WaitFor(t, "the removal to be served", func() bool { return strings.Contains(get(t, served+first), `"first"`) })
	o.Set(pulltest.Sample(5), pulltest.Sample(6))
	o.Play(pulltest.Always(pulltest.Drop()))
	w.webhook(hookSecret)
	w.waits("a failure", `contentedge_step_failing\{step="pull"\}`, func(v float64) bool { return v == 1 })
	o.Play()
	w.webhook(hookSecret)
	w.waits("the second removal to be refused", `contentedge_pull_runs_total\{result="refused"\}`, func(v float64) bool { return v >= 1 })
	o.Play(pulltest.Always(pulltest.Stall()))
	w.webhook(hookSecret)
	storetest.WaitFor(t, "a pull to hang", func() bool { return o.Requests() > 0 })
	w.end()
	for line := range strings.Lines(w.log.String()) {
		if strings.HasPrefix(line, "{") && !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}
	if text := w.log.String(); !strings.Contains(text, `{"pull":{"url"`) || !strings.Contains(text, `"step":"pull"`) {
		t.Errorf("it prints %s", text)
	}
}

// TestWatchedPublication publishes each release, and goes on while the store is down.
func TestWatchedPublication(t *testing.T) {
	t.Parallel()
	service := storetest.Serve(t)
	bin := binaries(t, "generator")
	var env []string
	for name, value := range storetest.Variables(service.URL()) {
		env = append(env, name+"="+value)
	}
	o := pulltest.New(20)
	w := watch(t, bin["generator"], env, "pull", o.Listen(t), "--env", pulltest.Env, "--content", t.TempDir(), "--rate", "1000", "--watch", "1s",
		"--publish", storeURL, "--admin", "127.0.0.1:0", "--", "--out", filepath.Join(t.TempDir(), "public"), "--no-sync")
	list := func() string {
		cmd := exec.Command(bin["generator"], "releases", "list", storeURL, "--json")
		cmd.Env = append(os.Environ(), env...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	published := func(n int) {
		t.Helper()
		w.waits(fmt.Sprintf("%d publications", n), `contentedge_publish_runs_total\{result="changed"\}`, func(v float64) bool { return v >= float64(n) })
	}
	published(1)
	first := list()
	o.Edit(3, "second")
	published(2)
	second := list()
	if first == second || strings.Count(second, `"build"`) != 2 {
		t.Errorf("after the edit: %s", second)
	}
	service.Stop()
	o.Edit(3, "third")
	w.waits("the store to be missed", `contentedge_step_failing\{step="publish"\}`, func(v float64) bool { return v == 1 })
	service.Run(t)
	w.webhook(hookSecret)
	published(3)
	if strings.Count(list(), `"build"`) != 3 || w.metric(`contentedge_step_failing\{step="publish"\}`) != 0 {
		t.Errorf("after the store's return: %s", list())
	}
	w.end()
}
