// This file writes included items: the items that a response's items refer to.

package envelope

// Included are items by their ids, in the order in which they are written.
type Included struct {
	IDs       []string
	Fragments [][]byte
	bytes     int // of both
}

const (
	includedOpen  = `,"` + IncludedMember + `":{`
	includedFixed = len(includedOpen) + len("}")
	includedEach  = len(`"":`)
)

// Add adds an item.
func (n *Included) Add(id string, fragment []byte) {
	n.IDs, n.Fragments = append(n.IDs, id), append(n.Fragments, fragment)
	n.bytes += len(id) + len(fragment)
}

// Bytes is the length of the ids and items.
func (n *Included) Bytes() int { return n.bytes }

// Size is the length of Append's text.
func (n *Included) Size() int { return IncludedSize(len(n.IDs), n.bytes) }

// IncludedSize is the length of the text of n items; bytes is the length of their ids and fragments.
func IncludedSize(n, bytes int) int { return includedFixed + n*includedEach + max(n-1, 0) + bytes }

// Append writes the member, after the items of a response. Ids need no escapes.
func (n *Included) Append(dst []byte) []byte {
	dst = append(dst, includedOpen...)
	for i, id := range n.IDs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), id...), `":`...)
		dst = append(dst, n.Fragments[i]...)
	}
	return append(dst, '}')
}

// AppendItemWith writes the body of one item with the items that it includes.
func AppendItemWith(dst, fragment []byte, n *Included) []byte {
	return AppendClose(n.Append(append(AppendItemOpen(dst), fragment...)))
}
