package cmd

import (
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/store/storetest"
)

// TestDiffWithAStore says what a publish would change: against no release, another one and the same.
func TestDiffWithAStore(t *testing.T) {
	t.Parallel()
	p := newPublisher(t, storetest.Serve(t).URL())
	first := p.build("first")
	says := func(want string, args ...string) string {
		t.Helper()
		out := p.must(append([]string{"diff"}, args...)...)
		if !strings.Contains(out, want) {
			t.Errorf("diff %v: %.500s\nwant %s", args, out, want)
		}
		return out
	}
	says("nothing -> ", storeURL, "--public", first)
	says(": items added 300, changed 0, removed 0; ", storeURL, "--public", first)
	p.publish(first)
	says(": no difference\n", storeURL, "--public", first)

	content, second := filepath.Join(p.dir, "content-second"), p.build("second")
	cut(t, content, 299)
	p.must("build", "--content", content, "--out", second, "--quiet")
	out := says(", removed 1; ", storeURL, "--public", second)
	local := says(", removed 1; ", first, second)
	same, requests, _ := strings.Cut(out, "publish would take ")
	if same != local || !strings.HasSuffix(requests, " requests\n") || !strings.HasPrefix(out, "site\n  changed Content_") || strings.Contains(out, "cda/") {
		t.Errorf("with the store: %.300s\nwith its copy: %.300s", out, local)
	}
	removed := out[strings.Index(out, "  removed "):]
	if line, _, _ := strings.Cut(removed, "\n"); len(strings.Fields(line)) < 3 {
		t.Errorf("an item that goes has no name: %q", line)
	}
	if files := says("removed cda/rest/v1/site/contents/", storeURL, "--public", second, "--files"); !strings.HasPrefix(files, strings.Split(out, "\n")[0]) {
		t.Errorf("with files: %.300s", files)
	}
	says(", removed 0; ", second, storeURL)
	if list := p.must("releases", "list", storeURL); strings.Count(list, "\n") != 2 || !strings.Contains(list, "current, as of") {
		t.Errorf("a diff changed the store: %s", list)
	}
}
