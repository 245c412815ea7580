// This file measures builds of Markdown files beside Hugo's of the same files.

package releasebench

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Markdown compares a build of Markdown files, without precompressed files, with a build of Hugo with one
// template for pages and one for lists. It also measures a build after one file changed.
func Markdown(args []string, out io.Writer) error {
	var in input
	fs := flag.NewFlagSet("bench markdown", flag.ContinueOnError)
	files := fs.Int("files", 10_000, "`number` of files")
	in.register(fs)
	if err := in.parse(fs, args); err != nil {
		return err
	}
	if in.smoke {
		*files = 200
	}
	dir, err := os.MkdirTemp("", "bench-markdown-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	content := filepath.Join(dir, "content")
	bytes, err := writeMarkdown(filepath.Join(content, Env), *files)
	if err != nil {
		return err
	}
	hugo, err := newHugo(dir, filepath.Join(content, Env))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d Markdown files, %.1f MB\n\n", *files, float64(bytes)/1e6)
	fmt.Fprint(out, "| | seconds | CPU seconds | peak memory, MiB |\n| --- | ---: | ---: | ---: |\n")
	public := ""
	var builds, hugos []usage
	for run := range in.runs {
		// Directories of their own: ext4 searches long for inodes in place of those deleted a moment before.
		public = filepath.Join(dir, fmt.Sprintf("public-%d", run))
		b, err := in.generate(content, public, "--compress", "none")
		if err != nil {
			return err
		}
		builds = append(builds, b)
		if hugo == "" {
			continue
		}
		h, err := measured(hugo, "--source", filepath.Join(dir, "hugo"), "--destination", fmt.Sprintf("public-%d", run), "--ignoreCache", "--quiet")
		if err != nil {
			return err
		}
		hugos = append(hugos, h)
	}
	build := medianOf(builds)
	line(out, "generator build", build)
	if hugo != "" {
		line(out, "hugo", medianOf(hugos))
		fmt.Fprintf(out, "| ratio | %.2f | %.2f | |\n", ratio(build.wall, medianOf(hugos).wall), ratio(build.cpu, medianOf(hugos).cpu))
	}
	again, err := in.editMarkdown(content, public)
	if err != nil {
		return err
	}
	line(out, "generator build, one file changed", again)
	fmt.Fprintf(out, "| ratio to a full build | %.2f | %.2f | |\n", ratio(again.wall, build.wall), ratio(again.cpu, build.cpu))
	return nil
}

// editMarkdown measures builds after a file changed, on top of the release before.
func (in *input) editMarkdown(content, public string) (usage, error) {
	var all []usage
	for round := range in.runs + 1 {
		text := page(rand.New(rand.NewPCG(99, uint64(round))), 50)
		if err := os.WriteFile(filepath.Join(content, Env, "section-0", "page-50.md"), text, 0o644); err != nil {
			return usage{}, err
		}
		u, err := in.generate(content, public, "--compress", "none")
		if err != nil {
			return usage{}, err
		}
		if round > 0 { // only now must a build remove an older release
			all = append(all, u)
		}
	}
	return medianOf(all), nil
}

// writeMarkdown writes files of about 2 KB, as those of documentation are, in folders of 100.
func writeMarkdown(dir string, files int) (bytes int, err error) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range files {
		path := filepath.Join(dir, fmt.Sprintf("section-%d", i/100), fmt.Sprintf("page-%d.md", i))
		if i%100 == 0 {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return bytes, err
			}
		}
		text := page(r, i)
		bytes += len(text)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return bytes, err
		}
	}
	return bytes, nil
}

// syllables make words.
var syllables = strings.Fields("ba co di fu ga he in jo ka le mi no or pa qu re so ta un ve wi xe yo za")

type writer struct {
	strings.Builder
	r *rand.Rand
}

func (w *writer) word() string {
	word := ""
	// Squares make some words frequent, as they are in texts.
	for n := 1 + w.r.IntN(3); n >= 0; n-- {
		i := w.r.IntN(len(syllables))
		word += syllables[i*w.r.IntN(len(syllables))/len(syllables)]
	}
	return word
}

func (w *writer) words(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = w.word()
		switch w.r.IntN(40) {
		case 0:
			list[i] = "*" + list[i] + "*"
		case 1:
			list[i] = "`" + list[i] + "`"
		case 2:
			list[i] = fmt.Sprintf("[%s](https://example.com/%s)", list[i], list[i])
		}
	}
	return strings.Join(list, " ") + "."
}

// page is a file with front matter, headings, paragraphs, lists, code, and sometimes a table.
func page(r *rand.Rand, i int) []byte {
	w := &writer{r: r}
	fmt.Fprintf(w, "---\ntitle: \"%s %d\"\ndate: 2024-%02d-%02dT%02d:00:00Z\n", w.word(), i, 1+i%12, 1+i%28, i%24)
	fmt.Fprintf(w, "tags: [%s, %s]\nauthor: %s\nweight: %d\ndescription: >-\n  %s\n---\n\n", w.word(), w.word(), w.word(), i%100, strings.NewReplacer("*", "", "`", "").Replace(w.words(12)))
	for range 4 {
		fmt.Fprintf(w, "## %s %s\n\n%s\n\n%s\n\n", w.word(), w.word(), w.words(45), w.words(30))
		switch r.IntN(4) {
		case 0:
			for range 4 {
				fmt.Fprintf(w, "- %s\n", w.words(6))
			}
		case 1:
			fmt.Fprintf(w, "```go\nfunc %s() {\n\treturn %s\n}\n```\n", w.word(), w.word())
		case 2:
			fmt.Fprintf(w, "| %s | %s |\n|---|---|\n", w.word(), w.word())
			for range 4 {
				fmt.Fprintf(w, "| %s | %s |\n", w.word(), w.word())
			}
		}
		w.WriteString("\n")
	}
	return []byte(w.String())
}

// newHugo makes a site of Hugo, and returns the program; "" without it. Code is not highlighted, as ours is
// not.
func newHugo(dir, content string) (program string, err error) {
	program, err = exec.LookPath("hugo")
	if errors.Is(err, exec.ErrNotFound) {
		fmt.Fprintln(os.Stderr, "bench: without Hugo, which is not installed (Debian: apt-get install hugo)")
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for name, text := range map[string]string{
		"config.toml":                  "baseURL = 'https://example.com/'\ntitle = 'Bench'\ndisableKinds = ['taxonomy', 'term', 'RSS', 'sitemap', 'robotsTXT', '404']\n[markup.highlight]\ncodeFences = false\n",
		"layouts/_default/single.html": "<!DOCTYPE html><html><head><title>{{ .Title }}</title></head><body><h1>{{ .Title }}</h1>{{ .Content }}</body></html>\n",
		"layouts/_default/list.html":   "<!DOCTYPE html><html><head><title>{{ .Title }}</title></head><body><ul>{{ range .Pages }}<li><a href=\"{{ .RelPermalink }}\">{{ .Title }}</a></li>{{ end }}</ul></body></html>\n",
	} {
		path := filepath.Join(dir, "hugo", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	return program, os.CopyFS(filepath.Join(dir, "hugo", "content"), os.DirFS(content))
}
