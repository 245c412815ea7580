// This file compares the alerts and the board of scripts/package.d/monitoring with the metrics of a
// running node: a misspelt name would be an alert that never fires.

package cmd

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"golang.org/x/mod/sumdb/note"

	"contentedge/edgeserve/listenaddr/freeport"
	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/wire/store/storetest"
)

const (
	monitoring = "../scripts/package.d/monitoring"
	rulesFile  = monitoring + "/contentedge.rules.yml"
	boardFile  = monitoring + "/contentedge.board.json"
)

// alert is a rule of Prometheus.
type alert struct {
	Alert, Expr         string
	Labels, Annotations map[string]string
}

func readAlerts(t *testing.T) (alerts []alert) {
	t.Helper()
	var file struct{ Groups []struct{ Rules []alert } }
	if err := yaml.Unmarshal([]byte(readFile(t, rulesFile)), &file); err != nil {
		t.Fatal(err)
	}
	for _, g := range file.Groups {
		alerts = append(alerts, g.Rules...)
	}
	return alerts
}

// boardExpressions are the queries of the board, with values for its variables.
func boardExpressions(t *testing.T) (all []string) {
	t.Helper()
	var board any
	if err := json.Unmarshal([]byte(readFile(t, boardFile)), &board); err != nil {
		t.Fatal(err)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for name, e := range v {
				if text, ok := e.(string); ok && name == "expr" {
					all = append(all, strings.NewReplacer("$__rate_interval", "5m", "$__interval", "5m", "$job", ".+", "$instance", ".+").Replace(text))
				}
				walk(e)
			}
		}
	}
	walk(board)
	return all
}

var (
	metricName = regexp.MustCompile(`\b(contentedge|go|process)_[a-z_]+`)
	grouping   = regexp.MustCompile(`(?:by|on|without|ignoring) \(([a-z_, ]*)\)`)
	matchers   = regexp.MustCompile(`\b([a-z_]+)\{([^}]*)\}`)
	matcher    = regexp.MustCompile(`([a-z_]+)(?:=~|!~|!=|=)"`)
)

// targetLabels are those that Prometheus adds to what it scrapes.
var targetLabels = []string{"job", "instance"}

// TestMonitoring: each metric and each label of the alerts and of the board is one of a running node. Each alert says how bad it is, and what to do.
func TestMonitoring(t *testing.T) {
	t.Parallel()
	labels := exposedLabels(t)
	expressions := map[string]string{}
	alerts := readAlerts(t)
	for _, a := range alerts {
		expressions[a.Alert] = a.Expr
		if a.Annotations["summary"] == "" || a.Annotations["runbook"] == "" || !slices.Contains([]string{"critical", "warning", "info"}, a.Labels["severity"]) {
			t.Errorf("%s lacks a severity, a summary or a runbook", a.Alert)
		}
	}
	board := boardExpressions(t)
	for i, expr := range board {
		expressions[fmt.Sprintf("query %d of the board", i)] = expr
	}
	if len(alerts) < 15 || len(board) < 30 {
		t.Errorf("%d alerts, %d queries", len(alerts), len(board))
	}
	for where, expr := range expressions {
		for _, name := range metricName.FindAllString(expr, -1) {
			if labels[name] == nil {
				t.Errorf("%s: no node has the metric %s", where, name)
			}
		}
		for _, m := range matchers.FindAllStringSubmatch(expr, -1) {
			for _, l := range matcher.FindAllStringSubmatch(m[2], -1) {
				if m[1] != "up" && !slices.Contains(append(labels[m[1]], targetLabels...), l[1]) {
					t.Errorf("%s: %s has no label %s", where, m[1], l[1])
				}
			}
		}
		for _, m := range grouping.FindAllStringSubmatch(expr, -1) {
			for label := range strings.SplitSeq(m[1], ",") {
				known := slices.Clone(targetLabels)
				for _, name := range metricName.FindAllString(expr, -1) {
					known = append(known, labels[name]...)
				}
				if !slices.Contains(known, strings.TrimSpace(label)) {
					t.Errorf("%s: no metric of it has the label %s", where, label)
				}
			}
		}
	}
}

// exposedLabels are the labels of each metric of two nodes. One follows a store, writes an access log and limits
// clients; the other has a certificate, and trusts a key that has signed nothing. It serves no release, but has
// the metrics of signatures.
func exposedLabels(t *testing.T) map[string][]string {
	t.Helper()
	p := newPublisher(t, storetest.Serve(t).URL())
	p.publish(p.build("first"))
	one, two := freeport.Addr(t), freeport.Addr(t)
	has(t, p.follow(filepath.Join(t.TempDir(), "one"), "--admin", one, "--access-log", "--rate-limit", "1000/s"), "first")
	_, key, err := note.GenerateKey(nil, "example.org/nobody")
	if err != nil {
		t.Fatal(err)
	}
	trusted := writeFile(t, t.TempDir(), "trust", "version 1\norigin example.org/site\nthreshold 1\nkey "+key+"\n")
	cert, certKey := testCertificate(t)
	p.follow(filepath.Join(t.TempDir(), "two"), "--admin", two, "--trust", trusted, "--tls-cert", cert, "--tls-key", certKey)
	labels := map[string][]string{}
	for _, admin := range []string{one, two} {
		storetest.WaitFor(t, "the admin listener", func() bool {
			r, err := http.Get("http://" + admin + "/livez")
			if err == nil {
				_ = r.Body.Close()
			}
			return err == nil
		})
		for _, s := range prometheus.Read([]byte(get(t, "http://"+admin+"/metrics"))) {
			labels[s.Name] = append(labels[s.Name], "")
			for i := 0; i < len(s.Labels); i += 2 {
				labels[s.Name] = append(labels[s.Name], s.Labels[i])
			}
		}
	}
	return labels
}

// testCertificate writes the certificate of package httptest, and its key.
func testCertificate(t *testing.T) (cert, key string) {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	pair := s.TLS.Certificates[0]
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	return writeFile(t, dir, "cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}))),
		writeFile(t, dir, "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
}

// TestAlertRules runs promtool: the rules parse and fire as their tests say, and the board's queries and the page's configuration parse.
func TestAlertRules(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("no promtool: the alerts are not run")
	}
	var queries strings.Builder
	queries.WriteString("groups: [{name: board, rules: [")
	for i, expr := range boardExpressions(t) {
		fmt.Fprintf(&queries, "{record: 'board:query_%d', expr: %q},\n", i, expr)
	}
	queries.WriteString("]}]\n")
	board := filepath.Join(t.TempDir(), "board.yml")
	if err := os.WriteFile(board, []byte(queries.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(pageOf(t, "edgeserve/OBSERVE.md").directory(t), "prometheus.yml")
	if err := os.WriteFile(filepath.Join(filepath.Dir(config), filepath.Base(rulesFile)), []byte(readFile(t, rulesFile)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"check", "config", config},
		{"check", "rules", "--lint=all", "--lint-fatal", rulesFile},
		{"check", "rules", "--lint=all", "--lint-fatal", board},
		{"test", "rules", monitoring + "/contentedge.rules.test.yml"},
	} {
		if out, err := exec.Command(promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	tests := readFile(t, monitoring+"/contentedge.rules.test.yml")
	for _, a := range readAlerts(t) {
		if !regexp.MustCompile(`alertname: ` + a.Alert + `\n\s+exp_alerts`).MatchString(tests) {
			t.Errorf("no test lets %s fire", a.Alert)
		}
	}
}
