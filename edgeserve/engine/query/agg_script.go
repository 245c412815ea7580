// This file parses the small scripts of pipelines: conditions and arithmetic over numbers of a bucket.

package query

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"contentedge/edgeserve/wire/problem"
)

const (
	// maxScript limits the bytes of a script, hence the work for each bucket.
	maxScript = 1024
	// maxScriptDepth limits what parentheses, ! and - nest.
	maxScriptDepth = 32
	// maxScriptNames limits the names of buckets_path, and those of params.
	maxScriptNames = 32
)

// Script computes a number from numbers of a bucket. A condition is 1 or 0.
type Script struct {
	JSON string // as in the body
	Size int    // of its tree, hence its work
	root *term
}

// term is a part of a script: an operator with its operands, a number or a name.
type term struct {
	op    string // "" for a number, "name" for a name
	x, y  *term
	value float64
	name  int  // index of the value
	truth bool // a condition
	whole bool // a number without a fraction in the script or its params
}

// Number runs the script. The values are in the order of the names of buckets_path.
func (s *Script) Number(values []float64) float64 { return s.root.number(values) }

func (t *term) number(values []float64) float64 {
	switch t.op {
	case "":
		return t.value
	case "name":
		return values[t.name]
	case "neg":
		return -t.x.number(values)
	}
	a, b := t.x.number(values), 0.0
	if t.y != nil {
		b = t.y.number(values)
	}
	holds := false
	switch t.op {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/":
		return a / b
	case "!":
		holds = a == 0
	case "&&":
		holds = a != 0 && b != 0
	case "||":
		holds = a != 0 || b != 0
	case ">":
		holds = a > b
	case ">=":
		holds = a >= b
	case "<":
		holds = a < b
	case "<=":
		holds = a <= b
	case "==":
		holds = a == b
	case "!=":
		holds = a != b
	}
	if holds {
		return 1
	}
	return 0
}

const scriptSyntax = "a script here has numbers, %s, + - * /, comparisons, && || ! and parentheses"

// scriptParser parses a script. In expressions names stand alone and conditions are numbers.
type scriptParser struct {
	text       string
	at         int
	depth      int
	size       int
	expression bool
	names      []string
	params     map[string]*term
}

// scriptLevels are the binary operators, from those that bind least.
var scriptLevels = [][]string{{"||"}, {"&&"}, {"==", "!="}, {">=", "<=", ">", "<"}, {"+", "-"}, {"*", "/"}}

func (s *scriptParser) fail(at int, format string, args ...any) error {
	name := "params.NAME"
	if s.expression {
		name = "names"
	}
	return fmt.Errorf("at character %d: "+format+": "+scriptSyntax, append(append([]any{utf8.RuneCountInString(s.text[:at]) + 1}, args...), name)...)
}

func (s *scriptParser) parse() (*term, error) {
	if !s.expression {
		s.word("return")
	}
	t, err := s.binary(0)
	if err != nil {
		return nil, err
	}
	if s.skip(); !s.expression {
		s.operator(";")
	}
	if s.skip(); s.at < len(s.text) {
		return nil, s.fail(s.at, "%q is unexpected", s.next())
	}
	return t, nil
}

// next returns what stands at the position, for messages.
func (s *scriptParser) next() string {
	rest := s.text[s.at:]
	if n := nameLength(rest); n > 0 {
		return clip(rest[:n])
	}
	_, n := utf8.DecodeRuneInString(rest)
	return rest[:n]
}

func (s *scriptParser) skip() {
	for s.at < len(s.text) && strings.IndexByte(" \t\r\n", s.text[s.at]) >= 0 {
		s.at++
	}
}

// operator takes an operator if it follows. "=" after it makes another one.
func (s *scriptParser) operator(op string) bool {
	s.skip()
	rest, ok := strings.CutPrefix(s.text[s.at:], op)
	if !ok || op != ";" && op != "(" && op != ")" && strings.HasPrefix(rest, "=") {
		return false
	}
	s.at += len(op)
	return true
}

// word takes a name if it follows.
func (s *scriptParser) word(name string) bool {
	if s.skip(); s.text[s.at:s.at+nameLength(s.text[s.at:])] != name {
		return false
	}
	s.at += len(name)
	return true
}

func nameLength(s string) int {
	for i := range len(s) {
		c := s[i]
		if !(c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || i > 0 && c >= '0' && c <= '9') {
			return i
		}
	}
	return len(s)
}

func (s *scriptParser) binary(level int) (*term, error) {
	if level == len(scriptLevels) {
		return s.unary()
	}
	x, err := s.binary(level + 1)
	for err == nil {
		s.skip()
		at := s.at
		i := slices.IndexFunc(scriptLevels[level], s.operator)
		if i < 0 {
			break
		}
		var y *term
		if y, err = s.binary(level + 1); err == nil {
			x, err = s.join(at, scriptLevels[level][i], x, y)
		}
	}
	return x, err
}

// join checks the operands of a binary operator.
func (s *scriptParser) join(at int, op string, x, y *term) (*term, error) {
	t := &term{op: op, x: x, y: y}
	s.size++
	switch op {
	case "&&", "||":
		if !s.expression && !(x.truth && y.truth) {
			return nil, s.fail(at, "%s needs a condition on both sides", op)
		}
		t.truth = true
	case "+", "-", "*", "/":
		if !s.expression && (x.truth || y.truth) {
			return nil, s.fail(at, "%s needs a number on both sides", op)
		}
		if t.whole = x.whole && y.whole; t.whole && op == "/" && !s.expression {
			return nil, s.fail(at, "a division of two whole numbers drops the fraction in Elasticsearch; write one like 2.0")
		}
	default:
		if equal := op == "==" || op == "!="; !s.expression && (x.truth != y.truth || x.truth && !equal) {
			return nil, s.fail(at, "%s needs a number on both sides", op)
		}
		t.truth = true
	}
	return t, nil
}

func (s *scriptParser) unary() (*term, error) {
	if s.depth++; s.depth > maxScriptDepth {
		return nil, s.fail(s.at, "it is nested deeper than %d levels", maxScriptDepth)
	}
	defer func() { s.depth-- }()
	s.size++
	s.skip()
	at := s.at
	switch {
	case s.operator("("):
		t, err := s.binary(0)
		if err == nil && !s.operator(")") {
			return nil, s.fail(s.at, "a parenthesis from character %d on is not closed", utf8.RuneCountInString(s.text[:at])+1)
		}
		return t, err
	case s.operator("!"):
		x, err := s.unary()
		if err == nil && !s.expression && !x.truth {
			return nil, s.fail(at, "! needs a condition")
		}
		return &term{op: "!", x: x, truth: true}, err
	case s.operator("-"):
		if strings.HasPrefix(s.text[s.at:], "-") {
			return nil, s.fail(at, "-- is no operator")
		}
		x, err := s.unary()
		if err == nil && !s.expression && x.truth {
			return nil, s.fail(at, "- needs a number")
		}
		return &term{op: "neg", x: x, whole: err == nil && x.whole}, err
	case at == len(s.text):
		return nil, s.fail(at, "it ends too early")
	case s.text[at] >= '0' && s.text[at] <= '9' || s.text[at] == '.':
		return s.constant()
	}
	return s.variable()
}

func (s *scriptParser) constant() (*term, error) {
	at := s.at
	digits := func() {
		for s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '9' {
			s.at++
		}
	}
	if digits(); s.at < len(s.text) && s.text[s.at] == '.' {
		s.at++
		digits()
	}
	if s.at < len(s.text) && s.text[s.at]|0x20 == 'e' {
		if s.at++; s.at < len(s.text) && (s.text[s.at] == '-' || s.text[s.at] == '+') {
			s.at++
		}
		digits()
	}
	text := s.text[at:s.at]
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || s.at < len(s.text) && nameLength(s.text[s.at:]) > 0 {
		return nil, s.fail(at, "%q is no number", clip(text+s.text[s.at:s.at+nameLength(s.text[s.at:])]))
	}
	return &term{value: f, whole: !strings.ContainsAny(text, ".eE")}, nil
}

// variable parses params.NAME or params['NAME'], in expressions NAME.
func (s *scriptParser) variable() (*term, error) {
	at := s.at
	if !s.expression {
		if !s.word("params") {
			return nil, s.fail(at, "%q is unexpected", s.next())
		}
		if quoted := s.text[s.at:]; strings.HasPrefix(quoted, "['") || strings.HasPrefix(quoted, `["`) {
			if name, _, ok := strings.Cut(quoted[2:], quoted[1:2]+"]"); ok {
				s.at += len(name) + 4
				return s.named(at, name)
			}
		}
		if !s.operator(".") {
			return nil, s.fail(s.at, "params needs a name")
		}
	}
	s.skip()
	n := nameLength(s.text[s.at:])
	if n == 0 {
		return nil, s.fail(s.at, "a name is missing")
	}
	s.at += n
	return s.named(at, s.text[s.at-n:s.at])
}

func (s *scriptParser) named(at int, name string) (*term, error) {
	if i := slices.Index(s.names, name); i >= 0 {
		return &term{op: "name", name: i}, nil
	}
	if t := s.params[name]; t != nil {
		return t, nil
	}
	return nil, s.fail(at, "%q is neither in buckets_path nor in the script's params", clip(name))
}

// script parses the script of a pipeline of the given names: a string, or an object with source.
func (p *bodyParser) script(v *value, names []string, condition bool) *Script {
	s := scriptParser{names: names, params: map[string]*term{}}
	source := v
	if v.kind == kindObject {
		if source = v.member("source"); source == nil {
			p.require(v, "source")
			return nil
		}
	}
	if v.kind == kindObject {
		for i := range v.items {
			switch m := &v.items[i]; m.name {
			case "source":
			case "lang":
				s.expression = p.either(m, p.text(m), "expression", "painless")
			case "params":
				p.scriptParams(&s, m)
			default:
				p.fail(m, problem.UnknownOption, "unknown option %q of a script; known options: source, lang, params", clip(m.name))
			}
		}
	}
	if s.text = p.text(source); p.err != nil {
		return nil
	}
	var root *term
	err := errors.New("it is longer than " + strconv.Itoa(maxScript) + " bytes")
	if len(s.text) <= maxScript {
		root, err = s.parse()
	}
	if err == nil && !s.expression && root.truth != condition {
		err = errors.New("it must be " + map[bool]string{true: "a condition like params.n > 5", false: "a number like params.a / params.b"}[condition])
	}
	if err != nil {
		p.fail(source, problem.BadAggregation, "%s: %v", p.path(source), err)
		return nil
	}
	return &Script{JSON: string(appendValue(nil, v)), Size: s.size, root: root}
}

func (p *bodyParser) scriptParams(s *scriptParser, v *value) {
	if v.kind != kindObject {
		p.wrongValue(v, "an object of numbers")
		return
	}
	if p.tooMany(v, "params", len(v.items), maxScriptNames) {
		return
	}
	for i := range v.items {
		m := &v.items[i]
		f := m.number()
		if m.kind != kindNumber || math.IsNaN(f) {
			p.wrongValue(m, "a number")
			return
		}
		s.params[m.name] = &term{value: f, whole: !strings.ContainsAny(m.text, ".eE")}
	}
}
