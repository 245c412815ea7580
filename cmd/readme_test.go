// This file compares the pages with the programs: examples, flags, links, tables.

package cmd

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/openapi/openapitest"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/generator/source/environment"
)

// maxReadme is the largest size of README.md, maxPage that of other pages, in bytes.
const (
	maxReadme = 8 << 10
	maxPage   = 12 << 10
)

// TestReadmeExamples runs the examples of all pages.
func TestReadmeExamples(t *testing.T) {
	t.Parallel()
	bin := binaries(t, "generator", "edgeserve", "preview")
	flags := programFlags(t, bin)
	for name, p := range readPages(t) {
		t.Run(name, func(t *testing.T) {
			e := &examples{t: t, page: p, bin: bin, flags: flags, dir: p.directory(t)}
			for i, b := range p.blocks {
				e.block(i, b)
			}
		})
	}
}

// examples runs a page's examples.
type examples struct {
	t     *testing.T
	page  *page
	bin   map[string]string
	flags map[string]map[string]string
	dir   string
	base  string // of the server; "" before the first request
	// described is the document of OpenAPI for the server's release.
	described *openapitest.Document
}

func (e *examples) block(i int, b block) {
	switch b.lang {
	case "sh":
		for line := range strings.Lines(b.text) {
			e.line(i, strings.TrimSpace(line))
		}
	case "bash":
		if e.page.name != publishPage && e.page.name != inPlacePage && e.page.name != signingPage && e.page.name != watchPage && e.page.name != packagePage && e.page.name != differencesPage { // which have tests of their own
			e.t.Errorf("nothing runs the bash blocks of %s", e.page.name)
		}
	case "nginx", "caddy":
		if e.page.name != proxyPage {
			e.t.Errorf("nothing runs the configurations of %s", e.page.name)
		}
	case "js", "ts", "go":
		if !slices.Contains(programPages, e.page.name) {
			e.t.Errorf("nothing runs the programs of %s", e.page.name)
		}
	case "console":
		e.console(b.text)
	case "json":
		for line := range strings.Lines(b.text) {
			if b.file == "" && !json.Valid([]byte(line)) {
				e.t.Errorf("not JSON: %s", line)
			}
		}
	case "yaml":
		if _, faults := environment.Parse([]byte(b.text)); len(faults) > 0 {
			e.t.Errorf("no settings of an environment: %+v", faults)
		}
	case "md", "conf", "csv":
		if b.file == "" {
			e.t.Errorf("a file has no name: %s", b.text)
		}
	default:
		e.t.Errorf("a code block in %q is of no known kind", b.lang)
	}
}

// programPages are the pages with programs, which tests of their own run.
var programPages = []string{changesPage, typesPage, wasmPage, staticSearchPage, frontendPage}

// proxyPage has configurations of web servers, which TestProxyPage runs.
const proxyPage = "edgeserve/PROXY.md"

// differencesPage asks Elasticsearch too. A test of package differences asks what it asks here.
const differencesPage = "edgeserve/engine/search/DIFFERENCES.md"

const typesPage = "generator/TYPES.md"

// frontendPage is for front-end developers. scripts/frontend test runs its programs.
const frontendPage = "edgeserve/FRONTEND.md"

var (
	curl = regexp.MustCompile(`^curl 'http://127\.0\.0\.1:8080([^']*)'(?: -d '([^']*)')?$`)
	// elsewhere matches arguments of commands that tests cannot run: stores, sites, variables, and
	// placeholders in capitals.
	elsewhere = regexp.MustCompile(`^(s3|https)://|^"\$[a-z]+"$|^[A-Z]+(-[A-Z]+)*$`)
	// printed is a variable with what a script prints.
	printed = regexp.MustCompile(`^[a-z]+=\$\((scripts/.*)\)$`)
)

// line checks a line of an sh block, and runs a command that terminates.
func (e *examples) line(i int, line string) {
	line, _, _ = strings.Cut(line, " #")
	line = strings.TrimSpace(line)
	if script := printed.FindStringSubmatch(line); script != nil {
		line = script[1]
	}
	words := strings.Fields(line)
	m := curl.FindStringSubmatch(line)
	switch {
	case m != nil:
		e.request(m[1], m[2], e.page.blocks[i+1:])
	case strings.HasPrefix(line, "scripts/"):
		if st, err := os.Stat(filepath.Join("..", words[0])); err != nil || st.Mode()&0o111 == 0 {
			e.t.Errorf("%s is not there to be run: %v", words[0], err)
		}
	case strings.HasPrefix(line, "go run ./cmd/"):
		name, args := strings.TrimPrefix(words[2], "./cmd/"), words[3:]
		e.known(name, args, line)
		if name == "generator" && !slices.ContainsFunc(args, elsewhere.MatchString) {
			if out, err := e.command(name, args).CombinedOutput(); err != nil {
				e.t.Errorf("%s: %v\n%s", line, err, out)
			}
		}
	default:
		e.t.Errorf("%q is no command that a test knows", line)
	}
}

// known checks that a command has the flags in a line.
func (e *examples) known(name string, args []string, line string) {
	if e.bin[name] == "" {
		e.t.Errorf("%s: there is no program %s", line, name)
		return
	}
	if name == "generator" {
		name = "generator " + args[0]
	}
	for _, a := range args {
		flag, _, _ := strings.Cut(strings.TrimPrefix(a, "--"), "=")
		if _, ok := e.flags[name][flag]; strings.HasPrefix(a, "--") && !ok {
			e.t.Errorf("%s: %s has no flag %s", line, name, a)
		}
	}
}

func (e *examples) command(name string, args []string) *exec.Cmd {
	c := exec.Command(e.bin[name], args...)
	c.Dir = e.dir
	return c
}

// console runs a block's commands and compares their output.
func (e *examples) console(text string) {
	var got strings.Builder
	for line := range strings.Lines(text) {
		command, ok := strings.CutPrefix(line, "$ go run ./cmd/")
		if !ok {
			continue
		}
		words := strings.Fields(command)
		out, _ := e.command(words[0], words[1:]).CombinedOutput()
		got.WriteString(line + string(out))
	}
	if got.String() != text {
		e.t.Errorf("got\n%s\nwant\n%s", got.String(), text)
	}
}

// request sends a request to a server with the page's content, and compares the
// response with the next block.
func (e *examples) request(target, body string, next []block) {
	if len(next) == 0 || next[0].lang != "json" {
		e.t.Errorf("%s: no response is shown", target)
		return
	}
	if e.base == "" {
		public := filepath.Join(e.dir, "served")
		buildSite(e.t, e.bin["generator"], filepath.Join(e.dir, "content"), public)
		e.base = serve(e.t, e.bin["edgeserve"], public)
		e.described = describe(e.t, e.bin["generator"], public)
	}
	var r *http.Response
	var err error
	if body == "" {
		r, err = http.Get(e.base + target)
	} else {
		r, err = http.Post(e.base+target, "application/json", strings.NewReader(body))
	}
	if err != nil {
		e.t.Fatal(err)
	}
	got, err := io.ReadAll(r.Body)
	r.Body.Close()
	if want := strings.TrimSuffix(next[0].text, "\n"); err != nil || string(got) != want {
		e.t.Errorf("%s %s\n got %s\nwant %s", target, body, got, want)
	}
	for _, fault := range checkExchange(e.described, r, target, body, got) {
		e.t.Errorf("%s %s: the document of OpenAPI says otherwise: %s", target, body, fault)
	}
}

// ourCommand is a command in a help.
var ourCommand = regexp.MustCompile(`(?m)^  ([a-z][a-z-]*)(?:  .*)?$`)

// commandsOf returns the words of all commands of a program that run, by their helps.
func commandsOf(help func(args ...string) string, path ...string) (found [][]string) {
	text := help(path...)
	if strings.Contains(text, "[flags]\n") && len(path) > 0 {
		found = append(found, path)
	}
	if strings.Contains(text, " COMMAND\n") {
		for _, m := range ourCommand.FindAllStringSubmatch(text, -1) {
			found = append(found, commandsOf(help, append(slices.Clone(path), m[1])...)...)
		}
	}
	return found
}

var ourFlag = regexp.MustCompile(`(?m)^  --([a-z-]+)`)

// programFlags are the flags of every command.
func programFlags(t *testing.T, bin map[string]string) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	add := func(command, flag, value string) {
		if all[command] == nil {
			all[command] = map[string]string{}
		}
		all[command][flag] = value
	}
	help := func(name string, args ...string) string {
		text, _ := exec.Command(bin[name], append(args, "--help")...).CombinedOutput()
		return string(text)
	}
	ofGenerator := func(args ...string) string { return help("generator", args...) }
	for _, words := range commandsOf(ofGenerator) {
		for _, m := range ourFlag.FindAllStringSubmatch(ofGenerator(words...), -1) {
			if m[1] != "config" && m[1] != "print-config" && m[1] != "help" {
				add("generator "+words[0], m[1], "")
			}
		}
	}
	for _, m := range ourFlag.FindAllStringSubmatch(help("preview"), -1) {
		add("preview", m[1], "")
	}
	for _, m := range ourFlag.FindAllStringSubmatch(help("edgeserve")+help("edgeserve", "health"), -1) {
		add("edgeserve", m[1], "")
	}
	for _, c := range append([]string{"edgeserve", "preview"}, "generator build") {
		if len(all[c]) < 5 {
			t.Fatalf("%s has %d flags", c, len(all[c]))
		}
	}
	return all
}

var (
	anyFlag   = regexp.MustCompile(`(?:^|[^\w-])--([a-z][a-z-]*)`)
	benchFlag = regexp.MustCompile(`\.\w+\((?:&[\w.]+, )?"([a-z][a-z-]*)", `)
)

// packagePage says how to install. scripts/package test runs its commands.
const packagePage = "scripts/package.d/README.md"

// wasmPage says how JavaScript uses the module. TestModulePage of cmd/wasm/module runs its example.
const wasmPage = "cmd/wasm/README.md"

// staticSearchPage says how browsers and workers search. TestStaticSearchPage… of cmd/generator run its examples.
const staticSearchPage = "generator/STATIC-SEARCH.md"

// foreignFlags are flags of package managers, of Docker and of git, which packagePage names, of curl and of Deno.
var foreignFlags = []string{"all", "allow-read", "allow-unsigned-rpm", "allow-untrusted", "cap-drop", "ignore-missing", "now", "read-only", "retry", "retry-all-errors", "retry-delay", "security-opt", "short", "tags"}

// TestReadmeNamesFlags checks that every flag that some page names is one of ours.
func TestReadmeNamesFlags(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"help": true, "install": true, "no-encrypt": true} // no-encrypt is a flag of Strapi
	for _, flag := range foreignFlags {
		known[flag] = true
	}
	for _, own := range programFlags(t, binaries(t, "generator", "edgeserve", "preview")) {
		for flag := range own {
			known[flag] = true
		}
	}
	for _, scripts := range []string{"../scripts/bench.d", "../scripts/package.d", "../scripts/test.d"} {
		goFiles(t, scripts, func(text string) {
			for _, m := range benchFlag.FindAllStringSubmatch(text, -1) {
				known[m[1]] = true
			}
		})
	}
	for name, p := range readPages(t) {
		for _, m := range anyFlag.FindAllStringSubmatch(p.text, -1) {
			if !known[m[1]] {
				t.Errorf("%s: nothing has a flag --%s", name, m[1])
			}
		}
	}
}

// TestReadmeLinks follows the links between pages, and expects that they lead from README.md to each page.
func TestReadmeLinks(t *testing.T) {
	pages := readPages(t)
	links := map[string][]string{} // from page to page
	for name, p := range pages {
		for _, target := range p.links() {
			if strings.Contains(target, "://") {
				continue
			}
			file, anchor, hasAnchor := strings.Cut(target, "#")
			to := name
			if file != "" {
				to = path.Join(path.Dir(name), file)
			}
			if !exists(filepath.Join("..", to)) {
				t.Errorf("%s: %s leads nowhere", name, target)
				continue
			}
			links[name] = append(links[name], to)
			if hasAnchor && (pages[to] == nil || !slices.Contains(pages[to].anchors(), anchor)) {
				t.Errorf("%s: %s has no heading %s", name, to, anchor)
			}
		}
	}
	reached, next := map[string]bool{}, []string{"README.md"}
	for len(next) > 0 {
		name := next[0]
		if next = next[1:]; !reached[name] {
			reached[name] = true
			next = append(next, links[name]...)
		}
	}
	for name := range pages {
		if !reached[name] {
			t.Errorf("no link leads from README.md to %s", name)
		}
	}
}

// TestReadmeSize keeps the first page short, and every page readable at one go.
func TestReadmeSize(t *testing.T) {
	for name, p := range readPages(t) {
		limit := maxPage
		if name == "README.md" {
			limit = maxReadme
		}
		if n := len(p.text); n > limit {
			t.Errorf("%s has %d bytes, more than %d: move a part to a page of its own", name, n, limit)
		}
	}
}

// TestReadmeMetrics compares the metrics of the pages with those that the programs write.
func TestReadmeMetrics(t *testing.T) {
	text := pageOf(t, "edgeserve/OBSERVE.md").section(t, "## Metrics") + pageOf(t, watchPage).section(t, "## Metrics")
	named := regexp.MustCompile(`contentedge_[a-z_]*[a-z]`).FindAllString(text, -1)
	written := literals(t, `contentedge_[a-z_]+`)
	for _, name := range written {
		if !slices.Contains(named, name) {
			t.Errorf("%s is on no page", name)
		}
	}
	for _, name := range named {
		if !slices.Contains(written, name) {
			t.Errorf("nothing writes %s", name)
		}
	}
}

// TestReadmeErrors checks that the page names no error code that nothing sends.
func TestReadmeErrors(t *testing.T) {
	sent := literals(t, `[a-z_]+`)
	for _, row := range rows(pageOf(t, "edgeserve/README.md").section(t, "## Errors")) {
		for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row[1], -1) {
			if !slices.Contains(sent, m[1]) {
				t.Errorf("nothing sends %s", m[1])
			}
		}
	}
}

// TestReadmeQueryLanguage expects a row for each query and each aggregation.
func TestReadmeQueryLanguage(t *testing.T) {
	hasRow := func(p *page, text, name string) {
		t.Helper()
		if !slices.ContainsFunc(rows(text), func(row []string) bool { return strings.Contains(row[0], "`"+name+"`") }) {
			t.Errorf("%s has no row in %s", name, p.name)
		}
	}
	queries, aggregations := pageOf(t, "edgeserve/engine/search/QUERIES.md"), pageOf(t, "edgeserve/engine/search/AGGREGATIONS.md")
	for _, name := range body.Types() {
		hasRow(queries, queries.section(t, "## Queries"), name)
	}
	for _, kind := range query.AggKinds() {
		hasRow(aggregations, aggregations.text, string(kind))
	}
}

// TestReadmeDependencies compares the table of dependencies with go.mod.
func TestReadmeDependencies(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	table := pageOf(t, ".github/DEPENDENCIES.md").text
	for line := range strings.Lines(string(mod)) {
		module := strings.Fields(line)
		if !strings.HasPrefix(line, "\t") || strings.Contains(line, "// indirect") {
			continue
		}
		if name := strings.TrimPrefix(module[0], "github.com/"); !strings.Contains(table, "`"+name+"`") {
			t.Errorf("%s has no row in .github/DEPENDENCIES.md", name)
		}
	}
}
