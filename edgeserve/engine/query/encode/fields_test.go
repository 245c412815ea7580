// This file looks for exported fields of the tree that are not written.

package encode

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
)

// derived are the types of package query that are no part of a tree.
var derived = []string{"Error", "Visitor"}

// ofSources are the fields of an aggregation that a source of composite has too.
var ofSources = []string{"Name", "Kind", "Values", "Field", "Missing", "Format", "TimeZone", "ValueType", "Interval", "Options"}

// Each exported field of each struct of package query changes what is written, or makes it an error, in some body of
// the corpus. So a new query or option is forgotten neither here nor by the corpus.
func TestEveryFieldIsWritten(t *testing.T) {
	m := &mutation{left: declaredFields(t), seen: map[string]bool{}}
	for _, raw := range corpus(t) {
		b, err := body.Parse(raw)
		if err != nil {
			continue
		}
		m.body = b
		m.visit("", reflect.ValueOf(b))
	}
	for _, name := range slices.Sorted(maps.Keys(m.left)) {
		if m.seen[name] {
			t.Errorf("another %s changes nothing that is written", name)
		} else {
			t.Errorf("no body of the corpus has a field %s", name)
		}
	}
}

// declaredFields returns the exported fields of the structs of package query, as Type.Field. A field that holds a struct
// gives its fields instead, as Type.Field.Field.
func declaredFields(t *testing.T) map[string]bool {
	types, held, pointed := declaredStructs(t)
	fields := map[string]bool{}
	var add func(path, name string)
	add = func(path, name string) {
		for _, f := range types[name].Fields.List {
			for _, n := range namesOf(f) {
				switch typ := typeName(f.Type); {
				case !ast.IsExported(n), notWritten[name+"."+n] != "", strings.HasPrefix(path+"."+n, "CompositeSource.Agg.") && !slices.Contains(ofSources, n):
				case types[typ] != nil:
					add(path+"."+n, typ)
				default:
					fields[path+"."+n] = true
				}
			}
		}
	}
	for name := range types {
		if !held[name] || pointed[name] {
			add(name, name)
		}
	}
	return fields
}

// declaredStructs returns the exported structs of package query. held are the types of fields, pointed those of which
// fields have pointers or lists.
func declaredStructs(t *testing.T) (types map[string]*ast.StructType, held, pointed map[string]bool) {
	types, held, pointed = map[string]*ast.StructType{}, map[string]bool{}, map[string]bool{}
	visit := func(n ast.Node) bool {
		d, ok := n.(*ast.TypeSpec)
		if !ok || !ast.IsExported(d.Name.Name) || slices.Contains(derived, d.Name.Name) {
			return true
		}
		s, ok := d.Type.(*ast.StructType)
		if !ok {
			return true
		}
		types[d.Name.Name] = s
		for _, f := range s.Fields.List {
			switch typ := f.Type.(type) {
			case *ast.StarExpr:
				pointed[typeName(typ.X)] = true
			case *ast.ArrayType:
				pointed[typeName(typ.Elt)] = true
			default:
				held[typeName(typ)] = true
			}
		}
		return true
	}
	files, err := filepath.Glob("../*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, visit)
	}
	return types, held, pointed
}

// namesOf returns the names of a declaration of fields: of an embedded one, its type.
func namesOf(f *ast.Field) (names []string) {
	if f.Names == nil {
		return []string{typeName(f.Type)}
	}
	for _, n := range f.Names {
		names = append(names, n.Name)
	}
	return names
}

// typeName returns the name of a type of package query, or "".
func typeName(e ast.Expr) string {
	if name, ok := e.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}

// mutation changes the fields of a body one by one.
type mutation struct {
	body *query.Body
	left map[string]bool // the fields of which no change has been written yet
	seen map[string]bool // those that a body has
}

// visit changes the fields below v that are left. path is the path of a field that holds v, or "".
func (m *mutation) visit(path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			m.visit("", v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			m.visit("", v.Index(i))
		}
	case reflect.Struct:
		if v.Type().PkgPath() != reflect.TypeFor[query.Body]().PkgPath() {
			return
		}
		if path == "" {
			path = v.Type().Name()
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				m.field(path+"."+f.Name, v.Field(i))
			}
		}
	}
}

func (m *mutation) field(path string, v reflect.Value) {
	if m.left[path] {
		m.seen[path] = true
		if m.matters(v) {
			delete(m.left, path)
		}
	}
	m.visit(path, v)
}

// matters reports whether each of the other values of a field is written in another way, or cannot be written.
func (m *mutation) matters(v reflect.Value) bool {
	before, err := m.written()
	if err != nil {
		return false
	}
	original := reflect.New(v.Type()).Elem()
	original.Set(v)
	defer v.Set(original)
	for _, other := range others(v) {
		v.Set(other)
		if now, err := m.written(); err == nil && now == before {
			return false
		}
	}
	return true
}

func (m *mutation) written() (string, error) {
	members, err := Body(m.body, nil)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(members)
	return string(text), err
}

// others returns values of the type of v that differ from v.
func others(v reflect.Value) []reflect.Value {
	one := func(value any) []reflect.Value { return []reflect.Value{reflect.ValueOf(value).Convert(v.Type())} }
	switch v.Kind() {
	case reflect.Bool:
		return one(!v.Bool())
	case reflect.String:
		return one(v.String() + "1")
	case reflect.Int, reflect.Int64:
		return one(v.Int() + 1)
	case reflect.Uint8:
		return one(v.Uint() + 1)
	case reflect.Float32, reflect.Float64:
		return one(v.Float() + 1)
	case reflect.Slice:
		return []reflect.Value{reflect.Append(v, reflect.Zero(v.Type().Elem()))}
	case reflect.Pointer:
		if v.IsNil() {
			return []reflect.Value{reflect.New(v.Type().Elem())}
		}
		return []reflect.Value{reflect.Zero(v.Type())}
	case reflect.Interface:
		return []reflect.Value{reflect.ValueOf(&query.MatchNone{Boost: 7})}
	}
	panic("no other value of " + v.Type().String())
}
