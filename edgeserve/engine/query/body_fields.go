// This file parses the members of a body that add values of fields to hits.

package query

// FieldFormat is an entry of fields or docvalue_fields: a name or a pattern of stars. Format is ""
// for that of the field's type.
type FieldFormat struct{ Field, Format string }
