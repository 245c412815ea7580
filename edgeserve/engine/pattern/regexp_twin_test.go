// This file compares random regular expressions with a slow matcher that follows the
// definition of each operator.

package pattern

import (
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// twin is a random expression, independent of the parser.
type twin struct {
	op       string // text class any empty nothing string range | & ~ , {
	text     string
	kids     []*twin
	min, max int
}

func drawTwin(r *rand.Rand, depth int) *twin {
	if depth == 0 || r.Intn(4) == 0 {
		return drawLeaf(r)
	}
	kid := func() *twin { return drawTwin(r, depth-1) }
	switch r.Intn(8) {
	case 0, 1:
		return &twin{op: "|", kids: []*twin{kid(), kid()}}
	case 2:
		return &twin{op: "&", kids: []*twin{kid(), kid()}}
	case 3:
		return &twin{op: "~", kids: []*twin{kid()}}
	case 4, 5:
		return &twin{op: ",", kids: []*twin{kid(), kid(), kid()}}
	}
	low := r.Intn(3)
	return &twin{op: "{", kids: []*twin{kid()}, min: low, max: low + r.Intn(3) - 1}
}

func drawLeaf(r *rand.Rand) *twin {
	ops := []string{"text", "text", "text", "class", "class", "any", "empty", "nothing", "string", "range"}
	n := &twin{op: ops[r.Intn(len(ops))], text: string("abé"[r.Intn(2)])}
	if n.op == "range" {
		n.min, n.max = r.Intn(12), r.Intn(130)
	}
	if r.Intn(3) == 0 {
		n.text = "é"
	}
	return n
}

// String prints the twin in Lucene's syntax with every operand in parentheses.
func (n *twin) String() string {
	var kids []string
	for _, k := range n.kids {
		kids = append(kids, "("+k.String()+")")
	}
	switch n.op {
	case "text":
		return n.text
	case "class":
		return "[^" + n.text + "]"
	case "any":
		return "."
	case "empty":
		return "()"
	case "nothing":
		return "#"
	case "string":
		return "@"
	case "range":
		return "<" + strconv.Itoa(n.min) + "-" + strconv.Itoa(n.max) + ">"
	case "~":
		return "~" + kids[0]
	case ",":
		return strings.Join(kids, "")
	case "{":
		return kids[0] + n.quantifier()
	}
	return strings.Join(kids, n.op)
}

func (n *twin) quantifier() string {
	if n.max < n.min {
		return "{" + strconv.Itoa(n.min) + ",}"
	}
	return "{" + strconv.Itoa(n.min) + "," + strconv.Itoa(n.max) + "}"
}

// match follows the definitions and tries every split of the text.
func (n *twin) match(s []rune) bool {
	switch n.op {
	case "text":
		return string(s) == n.text
	case "class":
		return len(s) == 1 && string(s) != n.text
	case "any":
		return len(s) == 1
	case "empty":
		return len(s) == 0
	case "nothing":
		return false
	case "string":
		return true
	case "range":
		return n.inRange(string(s))
	case "|":
		return n.kids[0].match(s) || n.kids[1].match(s)
	case "&":
		return n.kids[0].match(s) && n.kids[1].match(s)
	case "~":
		return !n.kids[0].match(s)
	case ",":
		return matchAll(n.kids, s)
	}
	return n.times(s, n.min, n.max)
}

func (n *twin) inRange(s string) bool {
	v, err := strconv.Atoi(s)
	if err != nil {
		return false
	}
	width := len(strconv.Itoa(n.min))
	if width == len(strconv.Itoa(n.max)) && len(s) != width {
		return false
	}
	return v >= min(n.min, n.max) && v <= max(n.min, n.max)
}

func matchAll(kids []*twin, s []rune) bool {
	if len(kids) == 0 {
		return len(s) == 0
	}
	for i := 0; i <= len(s); i++ {
		if kids[0].match(s[:i]) && matchAll(kids[1:], s[i:]) {
			return true
		}
	}
	return false
}

// times matches low to high repetitions, without limit if high < low.
func (n *twin) times(s []rune, low, high int) bool {
	endless := high < low
	if low == 0 && len(s) == 0 {
		return true
	}
	if low == 0 && high == 0 {
		return false
	}
	first := 0
	if low == 0 {
		first = 1 // beyond the minimum an empty repetition adds nothing
	}
	for i := first; i <= len(s); i++ {
		next := max(low-1, 0)
		most := high - 1
		if endless {
			most = next - 1
		}
		if n.kids[0].match(s[:i]) && n.times(s[i:], next, most) {
			return true
		}
	}
	return false
}

func TestRegexpAgreesWithDefinition(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	letters := []string{"a", "b", "é", "0", "1", "7"}
	matches, refused := 0, 0
	for range 2_000 {
		n := drawTwin(r, 3)
		re, _, err := CompileRegexp(n.String())
		if err != nil {
			refused++
			continue
		}
		for range 12 {
			term := randomText(r, letters, 5)
			got := re.Match([]byte(term))
			if want := n.match([]rune(term)); got != want {
				t.Fatalf("%s matches %q: %v, want %v", n, term, got, want)
			}
			if got && !strings.HasPrefix(term, string(re.Prefix())) {
				t.Fatalf("%s matches %q without its prefix %q", n, term, re.Prefix())
			}
			if got {
				checkLiterals(t, re, term)
				matches++
			}
		}
	}
	if matches < 3_000 || refused > 10 {
		t.Errorf("%d matches, %d refused: the draw proves little", matches, refused)
	}
}

func checkLiterals(t *testing.T, re *Regexp, term string) {
	t.Helper()
	folded := strings.Map(FoldRune, term)
	for _, lit := range re.Literals() {
		if !strings.Contains(folded, string(lit)) {
			t.Fatalf("a match %q lacks the literal %q", term, lit)
		}
	}
}

// TestRegexpRowsAndTable checks that both forms of transitions agree.
func TestRegexpRowsAndTable(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range 300 {
		n := drawTwin(r, 3)
		table, _, err := CompileRegexp(n.String())
		if err != nil || table.start == dead {
			continue
		}
		rows := *table
		rows.table, rows.rows = nil, rowsOf(table)
		for range 10 {
			term := []byte(randomText(r, []string{"a", "b", "é", "1"}, 6))
			ok1, dead1 := table.Walk().Test(term, 0)
			ok2, dead2 := rows.Walk().Test(term, 0)
			if ok1 != ok2 || dead1 != dead2 {
				t.Fatalf("%s on %q: table %v %d, rows %v %d", n, term, ok1, dead1, ok2, dead2)
			}
		}
	}
}

// TestRegexpWalk walks sorted terms, some of which are not valid UTF-8.
func TestRegexpWalk(t *testing.T) {
	r := rand.New(rand.NewSource(8))
	letters := []string{"a", "b", "é", "1", "\xc3", "\xa9"}
	matches, dead := 0, 0
	for range 300 {
		n := drawTwin(r, 3)
		re, _, err := CompileRegexp(n.String())
		if err != nil {
			continue
		}
		var terms []string
		for range 60 {
			terms = append(terms, randomText(r, letters, 6))
		}
		slices.Sort(terms)
		w, last := re.Walk(), ""
		for _, term := range terms {
			same := 0
			for same < len(term) && same < len(last) && term[same] == last[same] {
				same++
			}
			ok, lost := w.Test([]byte(term), same)
			wantOK, wantLost := re.Walk().Test([]byte(term), 0)
			if last = term; ok != wantOK || lost != wantLost {
				t.Fatalf("%s on %q: %t %d, alone %t %d", n, term, ok, lost, wantOK, wantLost)
			}
			if ok {
				matches++
			} else if lost > 0 {
				dead++
			}
		}
	}
	if matches < 500 || dead < 500 {
		t.Errorf("%d matches, %d lost early: the draw proves little", matches, dead)
	}
}

func rowsOf(r *Regexp) [][]edge {
	rows := make([][]edge, len(r.accept))
	for i, to := range r.table {
		s, class := i/r.alphabet.size(), uint16(i%r.alphabet.size())
		if to != dead {
			rows[s] = appendEdge(rows[s], edge{class, class, int32(to)})
		}
	}
	return rows
}
