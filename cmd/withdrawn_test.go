package cmd

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/store/storetest"
)

// TestWithdrawn rolls back, lets CI run again, and asks what the store knows about it.
func TestWithdrawn(t *testing.T) {
	t.Parallel()
	p := newPublisher(t, storetest.Serve(t).URL())
	var builds []string
	for _, mark := range []string{"a", "b", "c"} {
		p.env = append(p.env, "GITHUB_ACTIONS=true", "GITHUB_SERVER_URL=https://github.com", "GITHUB_REPOSITORY=news/site", "GITHUB_RUN_ID=17",
			"GITHUB_SHA="+strings.Repeat(mark+"0", 20), "GITHUB_REF=refs/heads/main", "GITHUB_WORKFLOW_REF=news/site/.github/workflows/ci.yml@refs/heads/main")
		out := p.must("publish", storeURL, "--public", p.build(mark), "--json")
		var r struct{ Build string }
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		builds = append(builds, r.Build)
	}
	for i, want := range []string{builds[1] + " is current (sequence 4); " + builds[2] + " is withdrawn\n", builds[0] + " is current (sequence 5); " + builds[1] + " is withdrawn\n"} {
		if out := p.must("releases", "rollback", storeURL); out != want {
			t.Errorf("rollback %d: %s", i, out)
		}
	}
	public := filepath.Join(p.dir, "c")
	if out, code := p.exits("publish", storeURL, "--public", public); code != 2 || !strings.HasSuffix(out, "generator: refused: the release was withdrawn\n") {
		t.Errorf("publish: %d, %s", code, out)
	}
	list := p.must("releases", "list", storeURL)
	for i, want := range []string{` +current, as of \S+ +a0a0a0a0a0a0  \S+/actions/runs/17\S*  sha256:`, ` +withdrawn on \S+ +b0b0b0b0b0b0 `, ` +withdrawn on \S+ +c0c0c0c0c0c0 `} {
		if !regexp.MustCompile(`(?m)^` + builds[i] + `  \S+ +7 +300 .*` + want).MatchString(list) {
			t.Errorf("release %d is not listed as %s: %s", i, want, list)
		}
	}
	if out := p.must("diff", storeURL+"@"+builds[1], storeURL+"@"+builds[2]); !strings.HasPrefix(out, "site\n  changed Content_") {
		t.Errorf("diff of two releases: %.300s", out)
	}
	for _, id := range []string{builds[1] + "0", builds[1][:15], "", "../" + builds[1], strings.Repeat("@", 300)} {
		if out, code := p.exits("diff", storeURL+"@"+id, storeURL); code == 0 || code == 2 || len(out) > 700 {
			t.Errorf("a wrong id %.20q: %d, %s", id, code, out)
		}
	}
	if out := p.must("publish", storeURL, "--public", public, "--again"); !strings.Contains(out, "it is current (sequence 6)") {
		t.Errorf("again: %s", out)
	}
	if list := p.must("releases", "list", storeURL); strings.Count(list, "withdrawn on") != 1 {
		t.Errorf("after that: %s", list)
	}
}

// TestShowRefused exits 1 where nodes would refuse the release that is shown, after it has shown it.
func TestShowRefused(t *testing.T) {
	t.Parallel()
	s := newSigner(t, "ci", "anna")
	public := s.build("first")
	s.must("publish", storeURL, "--public", public, "--sign", s.keys["ci"], "--origin", signedOrigin)
	for _, c := range []struct {
		trusted []string
		json    bool
		code    int
		want    string
	}{
		{[]string{"1", s.lines["ci"]}, false, 0, "accept it, by"},
		{[]string{"1", s.lines["anna"]}, false, 1, "generator: nodes refuse release"},
		{[]string{"1", s.lines["anna"]}, true, 1, `"refused":`},
		{[]string{"2", s.lines["ci"], s.lines["anna"]}, false, 1, "refuse it: too few"},
	} {
		args := []string{"releases", "show", storeURL, "--trust", s.trusts(c.trusted[0], c.trusted[1:]...)}
		if c.json {
			args = append(args, "--json")
		}
		if out, code := s.exits(args...); code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%v: %d, %s", c.trusted[0], code, out)
		}
	}
}

// exits returns the output of a command and its exit status.
func (p *publisher) exits(args ...string) (string, int) {
	cmd := p.command(args...)
	out, _ := cmd.CombinedOutput()
	return string(out), cmd.ProcessState.ExitCode()
}
