// This file holds a host's answers against the right ones: the vectors written by hand,
// and random requests that addresstest.Map decides.

package hosts

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/address/addresstest"
)

// reply is what a host answered.
type reply struct {
	status  int
	header  func(name string) string
	body    string
	length  string // Content-Length, for HEAD
	asked   string // what the edge was asked, "" if it was not
	refused bool   // the host would not take the request
}

// ask sends a request to a host.
type ask func(t *testing.T, method, target string) reply

// tally counts answers by class.
type tally struct{ exact, also, missed, refused, wrong int }

func (c tally) String() string {
	return fmt.Sprintf("%d exact, %d also, %d edge instead of file, %d refused, %d WRONG", c.exact, c.also, c.missed, c.refused, c.wrong)
}

// judge classes an answer to a request that file (or the edge, for "") has to answer.
// Also is a file that may stand in for the edge.
func (c *tally) judge(t *testing.T, w *world, alone bool, method, target, file, also string, r reply) {
	t.Helper()
	isFile := func(name string) bool {
		if r.status != 200 || r.asked != "" {
			return false
		}
		return r.body == body(name) || method == "HEAD" && r.length == fmt.Sprint(len(body(name)))
	}
	switch edge := w.isEdge(method, target, alone, r); {
	case file != "" && isFile(file), file == "" && edge:
		c.exact++
	case file == "" && also != "" && isFile(also):
		c.also++
	case file != "" && edge:
		c.missed++
	case r.refused || file == "" && r.status == 400:
		c.refused++
	default:
		c.wrong++
		t.Errorf("%s %s\n  got %d, edge asked %q, body %.200s\n want file %q", method, target, r.status, r.asked, r.body, file)
	}
}

// isEdge reports whether the edge was asked for what was sent, or by the name of the file
// that stands for it, or where there is none, whether the host says so.
func (w *world) isEdge(method, target string, alone bool, r reply) bool {
	path, _, _ := strings.Cut(target, "?")
	route, known := address.ParsePath(path)
	own := r.asked == "" && strings.HasPrefix(r.body, fmt.Sprintf(`{"status":%d,"error":{"code":`, r.status))
	switch {
	case r.asked == method+" "+target:
		return true
	case r.asked != "":
		return w.isPathForm(method, target, r.asked)
	case method == "OPTIONS":
		return r.status == 204
	case method == "HEAD":
		return r.status == 404 && r.body == "" && (alone || !known)
	case method != "GET":
		return r.status == 405 && own && route.Kind != address.Search
	}
	return r.status == 404 && own && (alone || !known)
}

// isPathForm reports whether the edge was asked for the file that a request stands for.
func (w *world) isPathForm(method, target, asked string) bool {
	verb, file, _ := strings.Cut(asked, " ")
	want, ok := addresstest.Map(method, target, w.defaults)
	return ok && verb == method && file == "/"+want
}

// vectorsPass sends all vectors. How many may be answered otherwise than exactly is
// the host's known limit; none may be wrong.
func vectorsPass(t *testing.T, w *world, host ask, alone bool, want tally) {
	t.Helper()
	var c tally
	for _, v := range w.vectors {
		file := v.File
		if v.Expect == "edge" {
			file = ""
		}
		r := host(t, v.Method, v.Target)
		if v.Method == "HEAD" && r.status == 200 && r.length == "" { // it need not say
			r.length = fmt.Sprint(len(host(t, "GET", v.Target).body))
		}
		c.judge(t, w, alone, v.Method, v.Target, file, v.Also, r)
	}
	t.Logf("%d vectors: %v", len(w.vectors), c)
	want.exact += moreVectors
	if c != want {
		t.Errorf("%v, want %v", c, want)
	}
}

// randomPass sends random requests. The seed is fixed, so that a failure repeats.
func randomPass(t *testing.T, w *world, host ask, n int) tally {
	t.Helper()
	if testing.Short() {
		n /= 5
	}
	var c tally
	rng := rand.New(rand.NewPCG(5, 8))
	files := 0
	for range n {
		target := w.randomTarget(rng)
		want := ""
		if file, ok := addresstest.Map("GET", target, w.defaults); ok && w.files["/"+file] {
			want = "/" + file
			files++
		}
		c.judge(t, w, false, "GET", target, want, "", host(t, "GET", target))
	}
	t.Logf("%d random requests, %d of them for files: %v", n, files, c)
	if files < n/8 || c.wrong > 0 {
		t.Errorf("%d of %d requests are for files, %d answers wrong", files, n, c.wrong)
	}
	return c
}

// randomTarget is a list of the tree, asked for in one of many spellings, some of
// which are no longer that list.
func (w *world) randomTarget(rng *rand.Rand) string {
	l := w.lists[rng.IntN(len(w.lists))]
	values := []string{l.Name, l.Template, l.Status, l.CreatedBy, "", "", "", ""}
	if rng.IntN(8) == 0 {
		values[rng.IntN(4)] = w.lists[rng.IntN(len(w.lists))].Name
	}
	if rng.IntN(2) == 0 {
		values[4] = fmt.Sprint(1 + rng.IntN(3))
	}
	if l.Size != w.defaults.Size || rng.IntN(5) == 0 {
		values[5] = fmt.Sprint(l.Size)
	}
	if l.Sort != w.defaults.Sort || l.Asc != w.defaults.Asc || rng.IntN(5) == 0 {
		values[6], values[7] = l.Sort, fmt.Sprint(l.Asc)
	}
	var pairs []string
	for i, v := range values {
		if v != "" {
			pairs = append(pairs, address.ParameterNames()[i]+"="+spell(rng, v, i < 4))
		}
	}
	for path, v := range l.Data.All() {
		pairs = append(pairs, strings.ReplaceAll(path, " ", "+")+"="+spell(rng, v, true))
	}
	for range rng.IntN(3) {
		pairs = append(pairs, oddities[rng.IntN(len(oddities))])
	}
	rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	return "/cda/rest/v1/" + w.env + "/contents?" + spoil(rng, strings.Join(pairs, "&"))
}

// oddities are pairs that mean nothing, or too much.
var oddities = []string{"utm_source=x", "utm=%20y", "", "PAGE=2", "page[]=3", "x=page=4", "=5", "__proto__=1", "page", "pageSize=", "status=", "sort=Name", "sortAsc=true",
	"select=Name", "select", "Data.slug=x", "Data.slug=", "Data.=", "Data", "data.slug=x", "page=2", "utm%5f=1", "x=%zz", "x=%ff", "x=%0d%0aSet-Cookie:a", "page=0", "sort=name", "pagex=1&xpage=2", "x=${ce_page}{http.request.host}$1", "sortAsc=1", "sortAsc=TRUE", "sortAsc=False"}

// spell writes a text as clients do: some bytes escaped, some not, in either case.
func spell(rng *rand.Rand, text string, escapes bool) string {
	if !escapes || rng.IntN(3) == 0 {
		return url.QueryEscape(text)
	}
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c == ' ' && rng.IntN(2) == 0:
			b.WriteByte('+')
		case c > ' ' && c < 0x7f && !strings.ContainsRune("&+%#;", rune(c)) && rng.IntN(3) > 0:
			b.WriteByte(c)
		case rng.IntN(2) == 0:
			fmt.Fprintf(&b, "%%%02x", c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// spoil sometimes changes a byte or two into any that a request line can hold.
func spoil(rng *rand.Rand, query string) string {
	b := []byte(query)
	for rng.IntN(4) == 0 && len(b) > 0 {
		i := rng.IntN(len(b))
		switch c := byte(0x21 + rng.IntN(0x5e)); rng.IntN(3) {
		case 0:
			b[i] = c
		case 1:
			b = append(b[:i], b[i+1:]...)
		default:
			b = append(b[:i], append([]byte{c}, b[i:]...)...)
		}
	}
	return strings.ReplaceAll(string(b), "#", "")
}
