package output

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestOutput shows what lies in an output directory after a build: the release, the link to it, and a
// link for each of its names, whatever the umask.
func TestOutput(t *testing.T) {
	for _, umask := range []int{0o022, 0o077, 0} {
		t.Run(fmt.Sprintf("a release is one tree behind a link, under the umask %03o", umask), func(t *testing.T) {
			defer syscall.Umask(syscall.Umask(umask))
			out := filepath.Join(t.TempDir(), "public")
			commit(t, out, buildA)
			want := []string{
				".lock -rw-r--r--",
				"cda -> current/cda",
				"current -> releases/" + buildA,
				"files.sha256 -> current/files.sha256",
				"manifest.json -> current/manifest.json",
				"releases drwxr-xr-x",
				"releases/" + buildA + " drwxr-xr-x",
				"releases/" + buildA + "/cda drwxr-xr-x",
				"releases/" + buildA + "/cda/rest drwxr-xr-x",
				"releases/" + buildA + "/cda/rest/v1 drwxr-xr-x",
				"releases/" + buildA + "/cda/rest/v1/demo drwxr-xr-x",
				"releases/" + buildA + "/cda/rest/v1/demo/contents drwxr-xr-x",
				"releases/" + buildA + "/cda/rest/v1/demo/contents/a.json -rw-r--r--",
				"releases/" + buildA + "/manifest.json -rw-r--r--",
			}
			if got := tree(t, out); !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}
