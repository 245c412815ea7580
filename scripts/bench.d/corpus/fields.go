// This file assigns a type to every path, like a dynamic mapping, and splits items into
// typed values for engines that do not read JSON.

package corpus

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/engine/analysis"
)

// Field is a path and its type: text, date, number or boolean. Text is searched by word
// and as a whole value.
type Field struct{ Path, Type string }

// Fields is the mapping of a corpus, by path.
type Fields []Field

// Detect types every path by its first value.
func Detect(items [][]byte) Fields {
	types := map[string]string{}
	for _, item := range items {
		Leaves(item, func(l Leaf) {
			if types[l.Path] == "" {
				types[l.Path] = typeOf(l)
			}
		})
	}
	fields := make(Fields, 0, len(types))
	for path, typ := range types {
		fields = append(fields, Field{path, typ})
	}
	slices.SortFunc(fields, func(a, b Field) int { return cmp.Compare(a.Path, b.Path) })
	return fields
}

func typeOf(l Leaf) string {
	switch {
	case l.Kind == Number:
		return "number"
	case l.Kind == Boolean:
		return "boolean"
	case len(l.Raw) <= 64 && analysis.IsDate(l.Text()):
		return "date"
	}
	return "text"
}

// Index returns the number of a path, or -1.
func (fs Fields) Index(path string) int {
	return slices.IndexFunc(fs, func(f Field) bool { return f.Path == path })
}

// Texts returns the paths of type text.
func (fs Fields) Texts() []string {
	var paths []string
	for _, f := range fs {
		if f.Type == "text" {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// Cutter splits items into values.
type Cutter struct {
	fields Fields
	number map[string]int
}

// NewCutter returns a cutter for the fields.
func NewCutter(fs Fields) *Cutter {
	c := &Cutter{fields: fs, number: map[string]int{}}
	for i, f := range fs {
		c.number[f.Path] = i
	}
	return c
}

// Cut calls visit for every value that fits its field's type. Texts are decoded, dates
// are Unix milliseconds in decimal, numbers unchanged, and booleans true or false.
func (c *Cutter) Cut(item []byte, visit func(field int, text string)) {
	Leaves(item, func(l Leaf) {
		field := c.number[l.Path]
		text := l.Text()
		switch c.fields[field].Type {
		case "date":
			ms, ok := analysis.ParseDate(text, false, nil)
			if !ok {
				return
			}
			text = strconv.FormatInt(ms, 10)
		case "number":
			if _, err := strconv.ParseFloat(text, 64); err != nil {
				return
			}
		case "boolean":
			if text != "true" && text != "false" {
				return
			}
		}
		visit(field, text)
	})
}

// WriteTo writes one line per field: path, tab, type.
func (fs Fields) WriteTo(w io.Writer) (n int64, err error) {
	for _, f := range fs {
		k, err := fmt.Fprintf(w, "%s\t%s\n", f.Path, f.Type)
		n += int64(k)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// ReadFields reads the format of WriteTo.
func ReadFields(path string) (Fields, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var fs Fields
	for line := range strings.Lines(string(b)) {
		name, typ, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			return nil, fmt.Errorf("%s: line %q has no type", path, line)
		}
		fs = append(fs, Field{name, typ})
	}
	return fs, nil
}

// WriteCut writes the number of items, then per item its JSON, the number of values,
// and for each value the field number and text. Integers have 32 bits, big-endian;
// texts are preceded by their length.
func WriteCut(w io.Writer, fs Fields, items [][]byte) error {
	out := bufio.NewWriterSize(w, 1<<20)
	c := NewCutter(fs)
	out.Write(binary.BigEndian.AppendUint32(nil, uint32(len(items))))
	var values []byte
	for _, item := range items {
		count := 0
		values = values[:0]
		c.Cut(item, func(field int, text string) {
			count++
			values = binary.BigEndian.AppendUint32(values, uint32(field))
			values = binary.BigEndian.AppendUint32(values, uint32(len(text)))
			values = append(values, text...)
		})
		out.Write(binary.BigEndian.AppendUint32(nil, uint32(len(item))))
		out.Write(item)
		out.Write(binary.BigEndian.AppendUint32(nil, uint32(count)))
		out.Write(values)
	}
	return out.Flush()
}
