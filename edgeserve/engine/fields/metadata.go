// This file knows the fields that Elasticsearch gives every document.

package fields

import (
	"slices"

	"contentedge/edgeserve/engine/snapshot"
)

const (
	// IDName is the name of a document's id.
	IDName = "_id"
	// versionName and sourceName are fields that no query can search.
	versionName, sourceName = "_version", "_source"
	// namesName is the field of the names of fields.
	namesName = "_field_names"
)

// MetadataNames are the metadata fields with values.
var MetadataNames = []string{IDName, snapshot.IndexField, snapshot.NumberField, snapshot.TypeField}

// withoutValues are the metadata fields whose values cannot be sorted, aggregated or shown.
var withoutValues = []string{versionName, sourceName, namesName, "_ignored", "_routing"}

// metadata resolves a metadata field with values. Other names with an underscore may be paths of items.
func (r Resolver) metadata(name string) (t Target, ok bool) {
	f := r.Reader.Metadata(name)
	if name == IDName {
		f = r.Reader.Field(snapshot.IDField)
	}
	switch {
	case f == nil:
		return t, false
	case f.Type == snapshot.Text:
		t, ok = OfSub(f, snapshot.SubKeyword)
	default:
		t, ok = OfPath(f), true
	}
	t.Metadata = true
	return t, ok
}

// AllMetadata returns the names of all metadata fields.
func AllMetadata() []string { return slices.Concat(MetadataNames, withoutValues) }

// IsMetadata reports whether a name belongs to a metadata field with values.
func IsMetadata(name string) bool { return slices.Contains(MetadataNames, name) }

// Valueless reports whether a name belongs to a metadata field without values, such as _source.
func Valueless(name string) bool { return slices.Contains(withoutValues, name) }

// Unsearchable reports whether queries of a field are refused: exists queries if exists is set, otherwise
// queries for values.
func Unsearchable(name string, exists bool) bool {
	return name == sourceName || name == versionName && !exists || name == namesName && exists
}
