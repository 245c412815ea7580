// These tests hold the patterns of values against decoding, and servers against values
// that would be words of a configuration.

package hosts

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/address/addresstest"
	"contentedge/edgeserve/wire/release"
)

// hostile are values that some configuration's language gives a meaning.
var hostile = []string{
	"import", "default", "include", "volatile", "hostnames", "~.*", "~", "{$HOME}", "{env.HOME}", "{{placeholder}}", "$request_uri", "${1}", "$1", `\`, `\1`, `\x41`, `"; }`, `'`, "`", "`;`",
	"# comment", "a;b", "}", "{", "(?i)x", "[a-z]", "a|b", ".*", "^", "$", "*", "</script>", "*/", "//", "<!--", "\u2028", "%", "%25", "%41", "+", " ", "&", "=", "?", "..", "\u00a0", "𝄞",
}

func TestSpellings(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 3000 {
		text := hostile[rng.IntN(len(hostile))] + hostile[rng.IntN(len(hostile))]
		pattern := regexp.MustCompile(`^` + spellings(text) + `$`)
		if s := spell(rng, text, true); !pattern.MatchString(s) {
			t.Fatalf("%q spelled %q is not matched by %s", text, s, pattern)
		}
		other := spoil(rng, spell(rng, hostile[rng.IntN(len(hostile))], true))
		decoded, err := url.QueryUnescape(other)
		if strings.ContainsAny(other, "&;") {
			continue // ends a value or is refused
		}
		if got := pattern.MatchString(other); got != (err == nil && decoded == text) {
			t.Fatalf("%q: %q is matched: %t", text, other, got)
		}
	}
}

// lookUp returns a table's value for a source.
func (t table) lookUp(source string) string {
	for _, r := range t.Rows {
		if p := regexp.MustCompile(r.Pattern); source != "" && p.MatchString(source) {
			return p.ReplaceAllString(source, strings.ReplaceAll(r.Value, first, "${1}"))
		}
	}
	return t.Other
}

func TestNamedTables(t *testing.T) {
	long := strings.Repeat("a", release.MaxRequestHeaders)
	for asked, want := range map[string]string{
		"": "", "content-type": ", content-type", "x-a,X-B": ", x-a,X-B", "x-a ,\tx-b": ", x-a ,\tx-b", "!#$%&'*+-.^_`|~": ", !#$%&'*+-.^_`|~", long: ", " + long,
		"x a": "", "x-a,": "", ",x-a": "", "x-a,,x-b": "", "x:a": "", `"x"`: "", "{x}": "", "x;": "", "é": "", "x\n": "", long + "a": "",
	} {
		text := asked
		for _, table := range askedHeaderTables("asked") {
			text = table.lookUp(text)
		}
		if text != want {
			t.Errorf("%q is %q, want %q", asked, text, want)
		}
	}
}

func FuzzSpellings(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, url.QueryEscape(s))
	}
	f.Fuzz(func(t *testing.T, text, query string) {
		if _, ok := address.Token(text); !ok {
			return
		}
		p := spellings(text)
		if strings.Trim(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%()[]?:|\\") != "" {
			t.Fatalf("the pattern %q holds other signs than its own", p)
		}
		target := "/cda/rest/v1/demo/contents?searchByName=" + query
		file, ok := addresstest.Map("GET", target, address.Standard)
		want, _ := address.List{Name: text, Sort: "CreatedAt", Page: 1, Size: 10}.File("demo")
		if ok && !strings.Contains(query, "&") && regexp.MustCompile(`^`+p+`$`).MatchString(query) != (file == want) {
			t.Fatalf("%q is not %q as %s has it", query, text, p)
		}
	})
}

// ascending is a world in which lists are ascending by default and come in all orders.
func ascending() *world {
	w := &world{env: "demo", defaults: address.Defaults{Sort: "Name", Asc: true, Size: 10}, files: map[string]bool{"/cda/rest/v1/demo/contents/a.json": true, "/manifest.json": true}}
	for _, l := range []address.List{{}, {}, {}, {Template: "Page"}, {Status: "In Review"}, {Name: "Ä", CreatedBy: "{$HOME}"}} {
		for i := range 8 {
			l.Sort, l.Asc, l.Size, l.Page = [2]string{"Name", "TemplateID"}[i&1], i&2 > 0, [2]int{10, 50}[i>>2], 1
			file, _ := l.File("demo")
			w.lists = append(w.lists, l)
			w.files["/"+file] = true
		}
	}
	return w
}

// TestDefaultsOfData sends random requests where the default order is by a path of Data, so that
// lists without a sort have no files. The path has all that configurations quote.
func TestDefaultsOfData(t *testing.T) {
	w := ascending()
	w.defaults.Sort = "Data.a\"b;}'$x`\\"
	toEveryHost(t, w, 300)
}

// TestAscendingDefaults sends random requests in that world to every host.
func TestAscendingDefaults(t *testing.T) { toEveryHost(t, ascending(), 1500) }

func toEveryHost(t *testing.T, w *world, requests int) {
	t.Helper()
	root := w.lay(t)
	for _, h := range servers {
		t.Run(h.name, func(t *testing.T) { randomPass(t, w, h.serve(t, w.manifest(), root, standIn(t)).ask, requests) })
	}
	t.Run("cloudfront", func(t *testing.T) {
		randomPass(t, w, serveCloudFront(t, w.manifest(), root, standIn(t), "2.0").ask, requests)
	})
	t.Run("worker", func(t *testing.T) {
		randomPass(t, w, urlParsed(startNode(t, "worker-node.mjs", root, generateWorker(t, w.manifest(), standIn(t))).ask), requests)
	})
}

// TestStaleTable serves a tree with the configuration of an earlier release, which had
// half of the values: what the table lacks goes to the edge server.
func TestStaleTable(t *testing.T) {
	w := readWorld(t)
	root, earlier := w.lay(t), *w
	earlier.lists = w.lists[:len(w.lists)/2]
	for _, h := range servers {
		t.Run(h.name, func(t *testing.T) {
			c := randomPass(t, w, h.serve(t, earlier.manifest(), root, standIn(t)).ask, 1500)
			if c.missed == 0 || c.also+c.refused > 0 {
				t.Errorf("%v: some requests should have missed", c)
			}
		})
	}
}

// TestHostileValues builds configurations of values that are words of theirs.
func TestHostileValues(t *testing.T) {
	w := &world{env: "demo", defaults: address.Standard, files: map[string]bool{"/cda/rest/v1/demo/contents/a.json": true, "/manifest.json": true}}
	for _, v := range hostile {
		l := address.List{CreatedBy: v, Sort: "CreatedAt", Page: 1, Size: 10}
		if file, ok := l.File("demo"); ok {
			w.lists = append(w.lists, l)
			w.files["/"+file] = true
		}
	}
	if len(w.lists) != len(hostile) {
		t.Fatalf("%d of %d values have files", len(w.lists), len(hostile))
	}
	root := w.lay(t)
	for _, h := range servers {
		t.Run(h.name, func(t *testing.T) {
			c := h.serve(t, w.manifest(), root, standIn(t))
			for _, l := range w.lists {
				file, _ := l.File("demo")
				r := c.ask(t, "GET", "/cda/rest/v1/demo/contents?searchByCreatedBy="+url.QueryEscape(l.CreatedBy))
				if r.body != body("/"+file) {
					t.Errorf("%q: %d %s", l.CreatedBy, r.status, r.body)
				}
			}
		})
	}
}

func TestConfigRefused(t *testing.T) {
	good := Deployment{Manifest: &release.Manifest{Build: "0011223344556677", Defaults: release.Defaults{Sort: "CreatedAt", PageSize: 10}}, Root: "/srv/public", Edge: "https://edge.example.org:8443/"}
	search := &Search{Wasm: []byte("module"), Script: []byte("program")}
	for _, h := range All() {
		c := good
		if h.NoEdge {
			c.Edge, c.Search = "", search
		}
		if files, err := Generate(h.Name, c); err != nil || len(files) == 0 {
			t.Errorf("%s: %v", h.Name, err)
		}
	}
	tests := []struct {
		name, host string
		change     func(c *Deployment)
		want       string
	}{
		{"host", "apache", func(*Deployment) {}, "unknown host"},
		{"scheme", "nginx", func(c *Deployment) { c.Edge = "ftp://x" }, "must begin with http"},
		{"path", "nginx", func(c *Deployment) { c.Edge = "http://x/y" }, "nothing else"},
		{"query", "nginx", func(c *Deployment) { c.Edge = "http://x?y" }, "nothing else"},
		{"user", "nginx", func(c *Deployment) { c.Edge = "http://a:b@x" }, "nothing else"},
		{"no host", "nginx", func(c *Deployment) { c.Edge = "http://" }, "its host"},
		{"host that is code", "nginx", func(c *Deployment) { c.Edge = "http://a;b{" }, "edge server"},
		{"host that is a variable", "caddy", func(c *Deployment) { c.Edge = "http://$x" }, "its host"},
		{"root that is code", "nginx", func(c *Deployment) { c.Root = `/srv/"; }` }, "root directory"},
		{"root with a line", "caddy", func(c *Deployment) { c.Root = "/srv/\nimport x" }, "root directory"},
		{"root of an environment", "caddy", func(c *Deployment) { c.Root = "/srv/{$HOME}" }, "root directory"},
		{"port", "nginx", func(c *Deployment) { c.Listen = ":80;" }, "HOST:PORT"},
		{"no port", "nginx", func(c *Deployment) { c.Listen = "localhost" }, "address to listen at"},
		{"a function too long", "cloudfront", func(c *Deployment) { c.Edge = "http://" + strings.Repeat("a", 9000) }, "use a shorter URL"},
		{"static files without searches", "static", func(c *Deployment) { c.Edge = "" }, "use --search"},
		{"searches beside an edge server", "cloudflare-worker", func(c *Deployment) { c.Search = search }, "leave out --edge or --search"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := good
			tt.change(&c)
			if _, err := Generate(tt.host, c); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestNumbersOver(t *testing.T) {
	for _, limit := range []int{1, 9, 10, 199, 909, 999, 1000} {
		over := regexp.MustCompile("^(?:" + numbersOver(limit) + ")$")
		for n := range 12_000 {
			if over.MatchString(fmt.Sprint(n)) != (n > limit) {
				t.Fatalf("%d over %d: %t", n, limit, n <= limit)
			}
		}
	}
}
