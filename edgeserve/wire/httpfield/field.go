// This file holds header fields in the form in which they are sent.

package httpfield

// Field is a header field.
type Field struct{ name, value []byte }

// New returns a field. The name must be in the form of names.go.
func New(name, value string) Field { return Field{[]byte(name), []byte(value)} }

// Name is the field's name.
func (f Field) Name() string { return string(f.name) }

// Value is the field's value.
func (f Field) Value() string { return string(f.value) }

// Set sets the field.
func (f Field) Set(h Header) { h.SetCanonical(f.name, f.value) }

// Apply sets fields.
func Apply(h Header, fields []Field) {
	for _, f := range fields {
		f.Set(h)
	}
}

// Header is what fields are set in: a header of fasthttp, or Lines. A name is in the form of
// names.go.
type Header interface{ SetCanonical(name, value []byte) }

// Lines are field lines as they are sent.
type Lines []byte

// SetCanonical appends a line.
func (l *Lines) SetCanonical(name, value []byte) {
	b := append(append(*l, name...), ": "...)
	*l = append(append(b, value...), "\r\n"...)
}
