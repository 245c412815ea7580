// This file bounds documents. A reader finds nothing in a document of several megabytes: it describes the interface without
// the content then, and a document of one environment has the rest.

package openapi

import "contentedge/edgeserve/wire/release"

const (
	maxListed     = 1000    // environments that a document names
	maxTyped      = 500     // templates that a document describes
	maxTypedBytes = 8 << 20 // of their schemas
)

// The approximate lengths of parts of a document, in bytes.
const (
	sharedBytes      = 500 << 10 // without environments and templates
	environmentBytes = 16        // in addition to the id
	templateBytes    = 640       // in addition to the name, which is there four times
	pathBytes        = 60        // in addition to the key, which is there twice
	kindBytes        = 90        // of a value
	indentBytes      = 30        // for each level of a path
	targetBytes      = 40        // in addition to the name, which is there twice
)

// Size returns the approximate length of the document in bytes.
func (d *Document) Size() int {
	size := sharedBytes
	if n := len(d.environments); n <= maxListed {
		for i := range d.environments {
			size += environmentBytes + len(d.environments[i].ID)
		}
	}
	if d.typed() > 0 {
		size += d.typedBytes()
	}
	return size
}

// typed returns the number of templates that the document describes: all of them, or none if they are too many.
func (d *Document) typed() (n int) {
	for i := range d.environments {
		n += len(d.environments[i].Templates)
	}
	if n > maxTyped || d.typedBytes() > maxTypedBytes {
		return 0
	}
	return n
}

// typedBytes returns the approximate length of the schemas of all templates.
func (d *Document) typedBytes() (size int) {
	for i := range d.environments {
		e := &d.environments[i]
		for j := range e.Templates {
			t := &e.Templates[j]
			size += templateBytes + 4*(len(e.ID)+len(t.Name))
			for k := range t.Paths {
				size += sizeOf(&t.Paths[k])
			}
		}
	}
	return size
}

// sizeOf returns the approximate length of the schema of a path.
func sizeOf(p *release.Path) int {
	levels := len(p.Keys)
	kinds := len(p.Kinds)
	for _, elements := range p.Elements {
		kinds += len(elements)
	}
	size := pathBytes + indentBytes*levels + 2*len(p.Keys[levels-1]) + kinds*(kindBytes+indentBytes*levels)
	for _, name := range p.Targets {
		size += targetBytes + 2*len(name)
	}
	return size
}
