// Package script parses and runs the small scripts of pipeline aggregations: conditions and arithmetic over the
// numbers of a bucket. It knows the operators that Painless and Lucene's expressions have in common.
package script

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"contentedge/edgeserve/engine/query/strictjson"
)

const (
	// MaxNames limits the names of buckets_path, and the names of params.
	MaxNames = 32

	// maxLength limits the bytes of a script, hence the work for each bucket.
	maxLength = 1024
	// maxDepth limits how deep parentheses, ! and - are nested.
	maxDepth = 32
)

// Source is the text of a script with the meaning of its names.
type Source struct {
	Text       string
	Expression bool // the script is a Lucene expression: names are written without params, and conditions are numbers
	Condition  bool // the script must be a condition; in an expression a number is one, too
	Names      []string
	Params     map[string]Constant
}

// Constant is a number that a script reads by a name. A script may not divide two whole numbers.
type Constant struct {
	Value float64
	Whole bool // written without a fraction
}

// Script computes a number from numbers of a bucket. A condition gives 1 or 0.
type Script struct {
	JSON string // the script as the body has it; Parse leaves it empty
	Size int    // the number of operators, hence the work of a run
	root *term
}

// term is a part of a script: an operator with its operands, a number or a name.
type term struct {
	op    string // "" for a number, "name" for a name
	x, y  *term
	value float64
	name  int  // the index of its value
	truth bool // a condition
	whole bool // a number without a fraction in the script or its params
}

// Number runs the script. The values are in the order of Source.Names.
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

// parser is a cursor over the text of a script.
type parser struct {
	source Source
	at     int
	depth  int
	size   int
}

// Parse parses a script. A syntax error says at which character of the text it is.
func Parse(source Source) (*Script, error) {
	if len(source.Text) > maxLength {
		return nil, errors.New("it is longer than " + strconv.Itoa(maxLength) + " bytes")
	}
	s := parser{source: source}
	root, err := s.parse()
	if err != nil {
		return nil, err
	}
	if !source.Expression && root.truth != source.Condition {
		if source.Condition {
			return nil, errors.New("it must be a condition like params.n > 5")
		}
		return nil, errors.New("it must be a number like params.a / params.b")
	}
	return &Script{Size: s.size, root: root}, nil
}

// scriptLevels are the binary operators by precedence, the lowest first.
var scriptLevels = [][]string{{"||"}, {"&&"}, {"==", "!="}, {">=", "<=", ">", "<"}, {"+", "-"}, {"*", "/"}}

func (s *parser) fail(at int, format string, args ...any) error {
	name := "params.NAME"
	if s.source.Expression {
		name = "names"
	}
	return fmt.Errorf("at character %d: "+format+": "+scriptSyntax, append(append([]any{utf8.RuneCountInString(s.source.Text[:at]) + 1}, args...), name)...)
}

func (s *parser) parse() (*term, error) {
	if !s.source.Expression {
		s.word("return")
	}
	t, err := s.binary(0)
	if err != nil {
		return nil, err
	}
	if s.skip(); !s.source.Expression {
		s.operator(";")
	}
	if s.skip(); s.at < len(s.source.Text) {
		return nil, s.fail(s.at, "%q is unexpected", s.next())
	}
	return t, nil
}

// next returns the name or the character at the position, for messages.
func (s *parser) next() string {
	rest := s.source.Text[s.at:]
	if n := nameLength(rest); n > 0 {
		return strictjson.Clip(rest[:n])
	}
	_, n := utf8.DecodeRuneInString(rest)
	return rest[:n]
}

func (s *parser) skip() {
	for s.at < len(s.source.Text) && strings.IndexByte(" \t\r\n", s.source.Text[s.at]) >= 0 {
		s.at++
	}
}

// operator takes an operator if it follows. "<" does not take the first byte of "<=".
func (s *parser) operator(op string) bool {
	s.skip()
	rest, ok := strings.CutPrefix(s.source.Text[s.at:], op)
	if !ok || op != ";" && op != "(" && op != ")" && strings.HasPrefix(rest, "=") {
		return false
	}
	s.at += len(op)
	return true
}

// word takes a name if exactly this name follows.
func (s *parser) word(name string) bool {
	if s.skip(); s.source.Text[s.at:s.at+nameLength(s.source.Text[s.at:])] != name {
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

func (s *parser) binary(level int) (*term, error) {
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
func (s *parser) join(at int, op string, x, y *term) (*term, error) {
	t := &term{op: op, x: x, y: y}
	s.size++
	switch op {
	case "&&", "||":
		if !s.source.Expression && !(x.truth && y.truth) {
			return nil, s.fail(at, "%s needs a condition on both sides", op)
		}
		t.truth = true
	case "+", "-", "*", "/":
		if !s.source.Expression && (x.truth || y.truth) {
			return nil, s.fail(at, "%s needs a number on both sides", op)
		}
		if t.whole = x.whole && y.whole; t.whole && op == "/" && !s.source.Expression {
			return nil, s.fail(at, "a division of two whole numbers drops the fraction in Elasticsearch; write one like 2.0")
		}
	default:
		if equal := op == "==" || op == "!="; !s.source.Expression && (x.truth != y.truth || x.truth && !equal) {
			return nil, s.fail(at, "%s needs a number on both sides", op)
		}
		t.truth = true
	}
	return t, nil
}

func (s *parser) unary() (*term, error) {
	if s.depth++; s.depth > maxDepth {
		return nil, s.fail(s.at, "it is nested deeper than %d levels", maxDepth)
	}
	defer func() { s.depth-- }()
	s.size++
	s.skip()
	at := s.at
	switch {
	case s.operator("("):
		t, err := s.binary(0)
		if err == nil && !s.operator(")") {
			return nil, s.fail(s.at, "a parenthesis from character %d on is not closed", utf8.RuneCountInString(s.source.Text[:at])+1)
		}
		return t, err
	case s.operator("!"):
		x, err := s.unary()
		if err == nil && !s.source.Expression && !x.truth {
			return nil, s.fail(at, "! needs a condition")
		}
		return &term{op: "!", x: x, truth: true}, err
	case s.operator("-"):
		if strings.HasPrefix(s.source.Text[s.at:], "-") {
			return nil, s.fail(at, "-- is not an operator")
		}
		x, err := s.unary()
		if err == nil && !s.source.Expression && x.truth {
			return nil, s.fail(at, "- needs a number")
		}
		return &term{op: "neg", x: x, whole: err == nil && x.whole}, err
	case at == len(s.source.Text):
		return nil, s.fail(at, "it ends too early")
	case s.source.Text[at] >= '0' && s.source.Text[at] <= '9' || s.source.Text[at] == '.':
		return s.constant()
	}
	return s.variable()
}

func (s *parser) constant() (*term, error) {
	at := s.at
	digits := func() {
		for s.at < len(s.source.Text) && s.source.Text[s.at] >= '0' && s.source.Text[s.at] <= '9' {
			s.at++
		}
	}
	if digits(); s.at < len(s.source.Text) && s.source.Text[s.at] == '.' {
		s.at++
		digits()
	}
	if s.at < len(s.source.Text) && s.source.Text[s.at]|0x20 == 'e' {
		if s.at++; s.at < len(s.source.Text) && (s.source.Text[s.at] == '-' || s.source.Text[s.at] == '+') {
			s.at++
		}
		digits()
	}
	text := s.source.Text[at:s.at]
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || s.at < len(s.source.Text) && nameLength(s.source.Text[s.at:]) > 0 {
		return nil, s.fail(at, "%q is not a number", strictjson.Clip(text+s.source.Text[s.at:s.at+nameLength(s.source.Text[s.at:])]))
	}
	return &term{value: f, whole: !strings.ContainsAny(text, ".eE")}, nil
}

// variable parses params.NAME or params['NAME'], in expressions NAME.
func (s *parser) variable() (*term, error) {
	at := s.at
	if !s.source.Expression {
		if !s.word("params") {
			return nil, s.fail(at, "%q is unexpected", s.next())
		}
		if quoted := s.source.Text[s.at:]; strings.HasPrefix(quoted, "['") || strings.HasPrefix(quoted, `["`) {
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
	n := nameLength(s.source.Text[s.at:])
	if n == 0 {
		return nil, s.fail(s.at, "a name is missing")
	}
	s.at += n
	return s.named(at, s.source.Text[s.at-n:s.at])
}

func (s *parser) named(at int, name string) (*term, error) {
	if i := slices.Index(s.source.Names, name); i >= 0 {
		return &term{op: "name", name: i}, nil
	}
	if c, ok := s.source.Params[name]; ok {
		return &term{value: c.Value, whole: c.Whole}, nil
	}
	return nil, s.fail(at, "%q is neither in buckets_path nor in the script's params", strictjson.Clip(name))
}
