// This file compares builds of Markdown files with Hugo's builds of the same files.

package releasebench

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// The numbers of files: without a flag, with --full and with --smoke.
const (
	someFiles  = 5_000
	manyFiles  = 50_000
	smokeFiles = 200
)

// markdownBench is the benchmark of Markdown files.
type markdownBench struct {
	input
	hugo    string // the program; "" without it
	dir     string // of everything that it writes
	content string
	out     io.Writer
}

// Markdown compares a build of Markdown files, without precompressed files, with a build of Hugo with one
// template for pages and one for lists. It also measures a build after one file changed.
func Markdown(args []string, out io.Writer) error {
	bench := markdownBench{out: out}
	fs := flag.NewFlagSet("bench markdown", flag.ContinueOnError)
	files := fs.Int("files", someFiles, "`number` of files")
	full := fs.Bool("full", false, fmt.Sprintf("measure %d files", manyFiles))
	fs.StringVar(&bench.hugo, "hugo", "", "Hugo's `program`")
	bench.register(fs)
	if err := bench.parse(fs, args); err != nil {
		return err
	}
	switch {
	case bench.smoke:
		*files = smokeFiles
	case *full:
		*files = manyFiles
	}
	dir, err := os.MkdirTemp("", "bench-markdown-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bench.dir, bench.content = dir, filepath.Join(dir, "content")
	return bench.run(*files)
}

// run measures both programs and prints a table.
func (m *markdownBench) run(files int) error {
	bytes, err := writeMarkdown(filepath.Join(m.content, Env), files)
	if err != nil {
		return err
	}
	if err := m.makeSite(); err != nil {
		return err
	}
	build, hugo, public, err := m.compare()
	if err != nil {
		return err
	}
	fmt.Fprintf(m.out, "%d Markdown files, %.1f MB\n\n", files, float64(bytes)/1e6)
	fmt.Fprint(m.out, "| | seconds | CPU seconds | in user mode | peak memory, MiB |\n| --- | ---: | ---: | ---: | ---: |\n")
	m.line("generator build", build)
	if m.hugo != "" {
		m.line("hugo", hugo)
		m.ratios("ratio to Hugo", build, hugo)
	}
	again, err := m.editMarkdown(public)
	if err != nil {
		return err
	}
	m.line("generator build, one file changed", again)
	m.ratios("ratio to a full build", again, build)
	return nil
}

// line prints what a program used.
func (m *markdownBench) line(name string, u usage) {
	fmt.Fprintf(m.out, "| %s | %.2f | %.2f | %.2f | %.0f |\n", name, u.wall.Seconds(), u.cpu.Seconds(), u.user.Seconds(), float64(u.peak)/1024)
}

// ratios prints what a program used in comparison with another.
func (m *markdownBench) ratios(name string, one, other usage) {
	fmt.Fprintf(m.out, "| %s | %.2f | %.2f | %.2f | %.2f |\n", name, ratio(one.wall, other.wall), ratio(one.cpu, other.cpu), ratio(one.user, other.user), float64(one.peak)/float64(other.peak))
}

// compare runs both programs in turn, and returns what each used, and the last release.
func (m *markdownBench) compare() (build, hugo usage, public string, err error) {
	var builds, hugos []usage
	for run := range m.runs {
		// Directories of their own: ext4 searches long for inodes in place of those deleted a moment before.
		public = filepath.Join(m.dir, fmt.Sprintf("public-%d", run))
		b, err := m.generate(m.content, public, "--compress", "none")
		if err != nil {
			return build, hugo, "", err
		}
		builds = append(builds, b)
		if m.hugo == "" {
			continue
		}
		h, err := measured(m.hugo, "--source", filepath.Join(m.dir, "hugo"), "--destination", fmt.Sprintf("public-%d", run), "--ignoreCache", "--quiet")
		if err != nil {
			return build, hugo, "", err
		}
		hugos = append(hugos, h)
	}
	if m.hugo != "" {
		hugo = medianOf(hugos)
	}
	return medianOf(builds), hugo, public, nil
}

// editMarkdown measures builds after a file changed, on top of the previous release.
func (m *markdownBench) editMarkdown(public string) (usage, error) {
	var all []usage
	for round := range m.runs + 1 {
		text := page(rand.New(rand.NewPCG(99, uint64(round))), 50)
		if err := os.WriteFile(filepath.Join(m.content, Env, "section-0", "page-50.md"), text, 0o644); err != nil {
			return usage{}, err
		}
		u, err := m.generate(m.content, public, "--compress", "none")
		if err != nil {
			return usage{}, err
		}
		if round > 0 { // only now must a build remove an older release
			all = append(all, u)
		}
	}
	return medianOf(all), nil
}

// writeMarkdown writes files of about 2 KB, as documentation has, in folders of 100.
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

// makeSite makes a site of Hugo with the same files, if there is Hugo. Code is not highlighted, as ours is not.
func (m *markdownBench) makeSite() error {
	if m.hugo == "" {
		return nil
	}
	site := filepath.Join(m.dir, "hugo")
	for name, text := range map[string]string{
		"hugo.toml":                    "baseURL = 'https://example.com/'\ntitle = 'Bench'\ndisableKinds = ['taxonomy', 'term', 'RSS', 'sitemap', 'robotsTXT', '404']\n[markup.highlight]\ncodeFences = false\n",
		"layouts/_default/single.html": "<!DOCTYPE html><html><head><title>{{ .Title }}</title></head><body><h1>{{ .Title }}</h1>{{ .Content }}</body></html>\n",
		"layouts/_default/list.html":   "<!DOCTYPE html><html><head><title>{{ .Title }}</title></head><body><ul>{{ range .Pages }}<li><a href=\"{{ .RelPermalink }}\">{{ .Title }}</a></li>{{ end }}</ul></body></html>\n",
	} {
		path := filepath.Join(site, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return os.CopyFS(filepath.Join(site, "content"), os.DirFS(filepath.Join(m.content, Env)))
}
