// These tests lay out a content folder with one thing wrong and check what List
// finds and what it says, in the words a user reads.

package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"contentedge/generator/source/documents"
)

// put writes files below dir, in the order of their names. A name that ends
// in "/" is a folder; content "-> x" makes a link to x.
func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		parent := path
		if !strings.HasSuffix(name, "/") {
			parent = filepath.Dir(path)
		}
		err := os.MkdirAll(parent, 0o755)
		if target, ok := strings.CutPrefix(content, "-> "); ok && err == nil {
			err = os.Symlink(strings.ReplaceAll(target, "DIR", dir), path)
		} else if parent != path && err == nil {
			err = os.WriteFile(path, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// list returns paths and problems, with dir taken off the latter.
func list(t *testing.T, dir string, envs ...string) (paths, problems []string) {
	t.Helper()
	tree, err := List(context.Background(), dir, envs)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range tree.Files {
		paths = append(paths, f.Path)
	}
	for _, p := range tree.Problems {
		rel, err := filepath.Rel(dir, p.Path)
		if err != nil {
			t.Fatal(err)
		}
		problems = append(problems, Show(rel)+": "+p.Message)
	}
	return paths, problems
}

// TestSource shows which files of a folder are content, and which are faults. "-> x" makes a link to x, and
// a name that ends in a slash is a folder.
func TestSource(t *testing.T) {
	tests := []struct {
		name     string
		files    map[string]string
		envs     []string
		paths    string
		problems string
	}{
		{"files are listed by the bytes of their paths", map[string]string{"b/x.json": "", "a/x/y.json": "", "a/x.json": "", "a/X.ndjson": "", "a/x-1.jsonl": ""}, nil,
			"a/X.ndjson a/x-1.jsonl a/x.json a/x/y.json b/x.json", ""},
		{"hidden files, files of editors and other formats are not content", map[string]string{
			"a/.x.json": "", "a/_x.json": "", "a/_drafts/x.json": "", "a/x.json~": "", "a/.x.swp": "", "a/.#x.json": "-> nobody@host:1", "a/#x.json#": "",
			"a/x.json.bak": "", "a/y.json~": "-> /etc/hosts", "a/x.json.tmp": "", "a/4913": "", "a/.DS_Store": "", "_b/x.json": "", ".git/x.json": "", "a/notes.docx": "", "a/x.docx": "", "a/X.JSON": "",
		}, nil, "a/X.JSON", ""},
		{"a folder without files is an environment", map[string]string{"a/": ""}, nil, "", ""},
		{"a content folder without environments is a fault", map[string]string{"README.md": ""}, nil, "", ".: the content folder has no environment"},
		{"a page beside the environments is skipped", map[string]string{"README.md": "# Content", "a/x.json": ""}, nil, "a/x.json", ""},
		{"faults of environments that are not asked for are not reported", map[string]string{"a/x.json": "", "b/x.json": "", "bad name/x.json": ""}, []string{"b"}, "b/x.json", ""},
		{"an environment that is asked for must exist", map[string]string{"a/x.json": ""}, []string{"a", "c"}, "a/x.json", `.: the content folder has no environment "c"`},
		{"an environment lies directly in the content folder", map[string]string{"a/x.json": ""}, []string{"../a"}, "", `.: the content folder has no environment "../a"`},
		{"the name of an environment is an id", map[string]string{"-a/x.json": "", "a.b/x.json": "", "%2e/x.json": "", strings.Repeat("e", 65) + "/": "", "Project_0-9/x.json": ""}, nil, "Project_0-9/x.json",
			"%2e: this name cannot be the id of an environment; -a: this name cannot be the id of an environment; a.b: this name cannot be the id of an environment; " + strings.Repeat("e", 65) + ": this name cannot be the id of an environment"},
		{"two environments may not differ only by case", map[string]string{"Demo/x.json": "", "demo/x.json": ""}, nil, "Demo/x.json demo/x.json", "demo: the environments Demo and demo differ only by case"},
		{"a content file beside the environments is a fault", map[string]string{"x.json": "", "a/y.json": ""}, nil, "a/y.json", "x.json: this file is not in an environment"},
		{"an environment may not be a link", map[string]string{"a/y.json": "", "b": "-> a"}, nil, "a/y.json", "b: a link cannot be an environment"},
		{"a folder may not have the name of a content file", map[string]string{"a/x.json/y.json": "", "a/z.json": ""}, nil, "a/z.json", "a/x.json: this is a folder with the name of a content file"},
		{"a link to a file inside is followed", map[string]string{"a/x.json": "", "b/y.json": "-> ../a/x.json"}, nil, "a/x.json b/y.json", ""},
		{"so is an absolute link", map[string]string{"a/x.json": "", "b/y.json": "-> DIR/a/x.json"}, nil, "a/x.json b/y.json", ""},
		{"the name of the link decides whether it is content", map[string]string{"a/x.txt": "", "a/y.txt": "-> x.txt"}, nil, "", ""},
		{"a link may not leave the content folder", map[string]string{"a/": "", "a/x.json": "-> /etc/passwd", "a/y.json": "-> ../../up.json", "../up.json": "", "a/z": "-> /"}, nil, "",
			"a/x.json: this link leaves the content folder; a/y.json: this link leaves the content folder"},
		{"a link must lead to a file", map[string]string{"a/": "", "a/x.json": "-> x.json", "a/y.json": "-> gone.json"}, nil, "",
			"a/x.json: this link leads in a circle, or through something that is not a folder; a/y.json: this link leads nowhere"},
		{"a link to a folder is not followed", map[string]string{"a/x.json": "", "a/up": "-> ."}, nil, "a/x.json", "a/up: this link leads to a folder; only links to files are followed"},
		{"a link to a device is a fault", map[string]string{"a/": "", "a/x.json": "-> /dev/zero"}, nil, "", "a/x.json: this link leaves the content folder"},
		{"a file may have any name", map[string]string{"a/-rf.json": "", "a/a;b.json": "", "a/ü😀.json": "", "a/\xff.json": "", "a/new\nline.json": ""}, nil,
			"a/-rf.json a/a;b.json a/new\nline.json a/ü😀.json a/\xff.json", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "content")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			put(t, dir, tt.files)
			paths, problems := list(t, dir, tt.envs...)
			if got := strings.Join(paths, " "); got != tt.paths {
				t.Errorf("paths\n got %q\nwant %q", got, tt.paths)
			}
			if got := strings.Join(problems, "; "); got != tt.problems {
				t.Errorf("problems\n got %s\nwant %s", got, tt.problems)
			}
		})
	}
}

func TestListSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"a/": "", "a/link.json": "-> pipe.json"})
	if err := syscall.Mkfifo(filepath.Join(dir, "a/pipe.json"), 0o644); err != nil {
		t.Skip("no pipes here:", err)
	}
	socket, err := net.Listen("unix", filepath.Join(dir, "a/s"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	_, problems := list(t, dir)
	want := "a/link.json: this link leads to a pipe; a/pipe.json: this is a pipe, not a file; a/s: this is a socket, not a file"
	if got := strings.Join(problems, "; "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestListFolderItself(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"file": ""})
	for name, want := range map[string]string{"missing": "the content folder does not exist", "file": "the content folder is not a folder"} {
		_, problems := list(t, filepath.Join(dir, name))
		if len(problems) != 1 || problems[0] != ".: "+want {
			t.Errorf("%s: %q", name, problems)
		}
	}
}

func TestListUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	dir := t.TempDir()
	put(t, dir, map[string]string{"a/x.json": "{}", "a/shut/y.json": ""})
	for _, name := range []string{"a/x.json", "a/shut"} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "a/shut"), 0o755) })
	tree, err := List(context.Background(), dir, nil)
	if err != nil || len(tree.Problems) != 1 || tree.Problems[0].Message != "this folder cannot be read: permission denied" {
		t.Fatalf("%v %+v", err, tree.Problems)
	}
	wantProblem(t, tree.Files[0], "this file cannot be read: permission denied")
}

func TestListDeepFolders(t *testing.T) {
	dir := t.TempDir()
	path := "a" + strings.Repeat("/d", 400) + "/x.json"
	put(t, dir, map[string]string{path: "{}"})
	paths, problems := list(t, dir)
	if !slices.Equal(paths, []string{path}) || problems != nil {
		t.Errorf("%d paths, problems %q", len(paths), problems)
	}
}

func TestListCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := List(ctx, t.TempDir(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

// wantProblem reads a file that must not be read.
func wantProblem(t *testing.T, f File, message string) {
	t.Helper()
	_, err := f.Read()
	var problem *Problem
	if !errors.As(err, &problem) || problem.Message != message || problem.Path != f.Name {
		t.Errorf("err = %v, want %q", err, message)
	}
}

// only returns the one file of a folder that holds x.json.
func only(t *testing.T, content string) (File, string) {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, map[string]string{"a/x.json": content})
	tree, err := List(context.Background(), dir, nil)
	if err != nil || len(tree.Files) != 1 {
		t.Fatal(err, tree)
	}
	return tree.Files[0], filepath.Join(dir, "a/x.json")
}

func TestRead(t *testing.T) {
	f, _ := only(t, `{"a":1}`)
	data, err := f.Read()
	if err != nil || string(data) != `{"a":1}` {
		t.Errorf("%q %v", data, err)
	}
	empty, _ := only(t, "")
	if data, err := empty.Read(); err != nil || len(data) != 0 {
		t.Errorf("empty: %q %v", data, err)
	}
}

func TestReadVanished(t *testing.T) {
	f, path := only(t, "{}")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	wantProblem(t, f, "this file cannot be read: it vanished; run the build again")
}

func TestReadPipeInItsPlace(t *testing.T) {
	f, path := only(t, "{}")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Skip("no pipes here:", err)
	}
	wantProblem(t, f, changed)
}

func TestReadLinkInItsPlace(t *testing.T) {
	f, path := only(t, "{}")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", path); err != nil {
		t.Fatal(err)
	}
	if data, err := f.Read(); err == nil {
		t.Errorf("read %d bytes from outside", len(data))
	}
}

func TestReadTooLarge(t *testing.T) {
	f, path := only(t, "")
	if err := os.Truncate(path, MaxFileSize+1); err != nil {
		t.Skip("no sparse files here:", err)
	}
	wantProblem(t, f, fmt.Sprintf("this file has %d bytes; a .json file may have %d", MaxFileSize+1, MaxFileSize))
	f.Format = documents.FormatOf("x.ndjson")
	r, err := f.Open()
	if err != nil {
		t.Fatalf("a file of lines of that size: %v", err)
	}
	defer r.Close()
	if !r.InParts() {
		t.Error("it is not read in parts")
	}
}

func TestSkipped(t *testing.T) {
	tests := []struct {
		name, want string
		files      map[string]string
	}{
		{"none", "", map[string]string{"a/x.json": "", "a/y.ndjson": "", "a/Z.JSONL": ""}},
		{"hidden, leftovers and what lies beside environments", "", map[string]string{
			"a/.x.docx": "", "a/_x.docx": "", "a/_drafts/x.docx": "", "a/.git/x": "", "a/x.docx~": "", "a/x.json.bak": "", "a/4913": "", "a/#x.docx#": "", "README.md": "", "a/x.json": ""}},
		{"one", "a: 1 file of a kind no source reads: 1 .docx", map[string]string{"a/x.docx": ""}},
		{"by number, then by name", "a: 4 files of kinds no source reads: 2 .png, 1 .docx, 1 without an extension",
			map[string]string{"a/x.PNG": "", "a/deep/er/y.png": "", "a/x.docx": "", "a/LICENSE": "", "a/x.json": ""}},
		{"each environment", "a: 1 file of a kind no source reads: 1 .docx; b: 1 file of a kind no source reads: 1 .txt", map[string]string{"b/x.txt": "", "a/x.docx": ""}},
		{"links count as what they are called", "a: 2 files of kinds no source reads: 2 .txt", map[string]string{"a/x.txt": "", "a/y.txt": "-> x.txt"}},
		{"endings that say no kind", "a: 4 files of kinds no source reads: 4 without an extension",
			map[string]string{"a/v1.2 of the text": "", "a/x.": "", "a/x." + strings.Repeat("e", 20): "", "a/x.\x1b[31m": ""}},
		{"many kinds", "a: 7 files of kinds no source reads: 1 .a, 1 .b, 1 .c, 1 .d, 1 .e, 2 of 2 more kinds",
			map[string]string{"a/x.a": "", "a/x.b": "", "a/x.c": "", "a/x.d": "", "a/x.e": "", "a/x.f": "", "a/x.g": ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, tt.files)
			tree, err := List(context.Background(), dir, nil)
			if err != nil || len(tree.Problems) > 0 {
				t.Fatal(err, tree.Problems)
			}
			var got []string
			for _, p := range tree.Skipped {
				got = append(got, filepath.Base(p.Path)+": "+p.Message)
			}
			if strings.Join(got, "; ") != tt.want {
				t.Errorf("got  %s\nwant %s", strings.Join(got, "; "), tt.want)
			}
		})
	}
}

// touched is a file that somebody writes to between two looks at it.
type touched struct {
	*os.File
	looks int
}

func (f *touched) Stat() (fs.FileInfo, error) {
	if f.looks++; f.looks == 2 {
		if err := os.Chtimes(f.Name(), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
			return nil, err
		}
	}
	return f.File.Stat()
}

func TestReadTouched(t *testing.T) {
	f, path := only(t, "{}")
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var problem *Problem
	r, err := f.reader(&touched{File: file})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.All(); !errors.As(err, &problem) || problem.Message != changed {
		t.Errorf("err = %v", err)
	}
}

func TestSame(t *testing.T) {
	_, path := only(t, "{}")
	stat := func() os.FileInfo {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	before := stat()
	if !same(before, stat()) {
		t.Error("an untouched file changed")
	}
	if err := os.Chtimes(path, before.ModTime().Add(1), before.ModTime().Add(1)); err != nil {
		t.Fatal(err)
	}
	if same(before, stat()) {
		t.Error("another time is not noticed")
	}
	if err := os.Truncate(path, 1); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, before.ModTime(), before.ModTime()); err != nil {
		t.Fatal(err)
	}
	if same(before, stat()) {
		t.Error("another size is not noticed")
	}
}

// TestReadGrowing reads a file that holds more than its size says, as one does
// that grows meanwhile.
func TestReadGrowing(t *testing.T) {
	f := File{Name: "x", Format: documents.FormatOf("x.json"), dir: "/proc/self", target: "status"}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("no such file here:", err)
	}
	wantProblem(t, f, changed)
}

// TestReadWhileWritten rewrites a file all the time: a read must return one of
// the two whole contents, or refuse.
func TestReadWhileWritten(t *testing.T) {
	long, short := strings.Repeat("a", 1<<20), strings.Repeat("b", 1<<10)
	f, path := only(t, long)
	stop, done := make(chan struct{}), make(chan error)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			if err := os.WriteFile(path, []byte([]string{short, long}[i%2]), 0o644); err != nil {
				done <- err
				return
			}
		}
	}()
	for range 200 {
		data, err := f.Read()
		var problem *Problem
		if err != nil && !errors.As(err, &problem) {
			t.Error(err)
		}
		if strings.Contains(string(data), "ab") || strings.Contains(string(data), "ba") {
			t.Error("two contents in one")
		}
	}
	close(stop)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestShow(t *testing.T) {
	for in, want := range map[string]string{
		"content/ü 東.json": "content/ü 東.json", "a\nb": `"a\nb"`, "\x1b[31m": `"\x1b[31m"`, "a\u202eb": `"a\u202eb"`, "\xff": `"\xff"`, `a"b`: `a"b`,
	} {
		if got := Show(in); got != want {
			t.Errorf("Show(%q) = %s, want %s", in, got, want)
		}
	}
}
