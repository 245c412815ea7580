// This file has the names of an item's top-level fields.

package address

import (
	"slices"
	"strings"
)

// The fields of an item.
const (
	FieldStatus       = "Status"
	FieldCreatedBy    = "CreatedBy"
	FieldCreatedAt    = "CreatedAt"
	FieldData         = "Data"
	FieldPublishedBy  = "PublishedBy"
	FieldUpdatedAt    = "UpdatedAt"
	FieldName         = "Name"
	FieldPublishedAt  = "PublishedAt"
	FieldUpdatedBy    = "UpdatedBy"
	FieldTemplateName = "TemplateName"
	FieldTemplateID   = "TemplateID"
	FieldContentID    = "ContentID"

	// DataPrefix begins the paths of values in Data.
	DataPrefix = FieldData + "."
)

// Fields are the fields in the order of delivery.
var Fields = [...]string{
	FieldStatus, FieldCreatedBy, FieldCreatedAt, FieldData, FieldPublishedBy, FieldUpdatedAt,
	FieldName, FieldPublishedAt, FieldUpdatedBy, FieldTemplateName, FieldTemplateID, FieldContentID,
}

// FilterFields are the fields that Filters compare, in the order of Filters.
var FilterFields = [len(Filters)]string{FieldName, FieldTemplateName, FieldStatus, FieldCreatedBy}

// scalarFields are the fields with one value, in the order of delivery.
var scalarFields = func() (names [len(Fields) - 1]string) {
	copy(names[:], slices.DeleteFunc(slices.Clone(Fields[:]), func(name string) bool { return name == FieldData }))
	return names
}()

var fileFields = func() (names [len(scalarFields)]string) {
	for i, name := range scalarFields {
		names[i] = strings.ToLower(name)
	}
	return names
}()

// ScalarFields returns the eleven top-level fields with one value.
func ScalarFields() []string { return slices.Clone(scalarFields[:]) }

// IsScalar reports whether name is one of ScalarFields.
func IsScalar(name string) bool { return slices.Contains(scalarFields[:], name) }

// IsDate reports whether name is a field with a timestamp.
func IsDate(name string) bool {
	return name == FieldCreatedAt || name == FieldUpdatedAt || name == FieldPublishedAt
}
