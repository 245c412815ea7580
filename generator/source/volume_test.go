// These tests list content on volumes with folders of the system.

package source

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestVolumeFolders: they are passed over with one line, at any depth, readable or not.
func TestVolumeFolders(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"a/x.json": "", "a/b/@eaDir/x.json": "", "a/@eaDir/x.json@SynoEAStream": "", "a/_searches/@eaDir/x": "", "no id/x.md": ""}
	for _, name := range []string{"lost+found", "@eaDir", "#recycle", "$RECYCLE.BIN", "System Volume Information"} {
		files[name+"/x.json"] = ""
	}
	for i := range 20 { // more than are read ahead
		files[fmt.Sprintf("a/c%d/@eaDir/x.json", i)] = ""
		files[fmt.Sprintf("a/c%d/y.json", i)] = ""
	}
	put(t, dir, files)
	tree, err := List(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Files) != 21 || len(tree.Skipped) != 1 || len(tree.Problems) != 1 || tree.Problems[0].Message != "this name cannot be the id of an environment" {
		t.Fatalf("%d files, %v, %v", len(tree.Files), tree.Skipped, tree.Problems)
	}
	want := "folders that no environment needs are passed over: #recycle, $RECYCLE.BIN, @eaDir, System Volume Information, a/@eaDir and 23 more"
	if got := tree.Skipped[0]; got.Path != dir || got.Message != want {
		t.Errorf("%s: %s, want\n%s", got.Path, got.Message, want)
	}
}

const listUnreadable = "SOURCE_TEST_UNREADABLE"

// TestUnreadableFolders lists as a user who may not read some folders: outside of environments they
// are passed over, inside they are problems.
func TestUnreadableFolders(t *testing.T) {
	if dir := os.Getenv(listUnreadable); dir != "" {
		paths, problems := list(t, dir)
		fmt.Println("listed", paths, problems)
		return
	}
	dir := t.TempDir()
	put(t, dir, map[string]string{"a/x.json": "", "a/closed/y.json": "", "not an id/z.json": "", "lost+found/": ""})
	for _, name := range []string{"a/closed", "not an id", "lost+found"} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestUnreadableFolders$", "-test.v")
	if os.Getuid() == 0 {
		cmd = exec.Command("setpriv", append([]string{"--bounding-set", "-dac_override,-dac_read_search", "--inh-caps", "-dac_override,-dac_read_search"}, cmd.Args...)...)
		if err := exec.Command(cmd.Args[0], append(cmd.Args[1:5:5], "true")...).Run(); err != nil {
			t.Skipf("no process without the rights of root can be started here: %v", err)
		}
	}
	cmd.Env = append(os.Environ(), listUnreadable+"="+dir)
	out, err := cmd.CombinedOutput()
	const want = "listed [a/x.json] [a/closed: this folder cannot be read: permission denied]\n"
	if err != nil || !slices.Contains(slices.Collect(strings.Lines(string(out))), want) {
		t.Errorf("%v\n%swant %s", err, out, want)
	}
}
