// Package layout defines how the items of an environment are stored in an index of OpenSearch or Elasticsearch: the
// names of indices, the types of fields, and the document of an item.
//
// A document has the bytes of its item, with one member more before the last brace:
//
//	{"ContentID":"a","Data":{"n":"5"},"_sub":{"rank·":7,"Data.n.long·":["5"]}}
//
// That member has the item's place in default order, and values for sub-fields. Item cuts it off again.
//
// A field of an index holds either values or objects. In a release a path may be a value in one item and an object in
// another. Such paths are below another name (Aside). An item that does not fit keeps its bytes in a member that the
// index does not look at, after members that fit:
//
//	{"ContentID":"a","Data":{"n·":"5"},"_item":{"ContentID":"a","Data":{"n":"5"}},"_sub":{"rank·":7,"item·":35}}
package layout

import (
	"fmt"
	"hash/crc32"
	"strings"
)

// Format is the version of the layout. It changes with the names, the types or the documents of an index. An
// index of another format is not searched.
const Format = 2

// IndexName is the name of the index of an environment in a release: ENV-BUILD.
func IndexName(env, build string) string { return Alias(env) + "-" + build }

// Searched is the alias by which edges search an index. An index gets it once it is complete, and loses it with its
// end. So no search finds a part of the items while an index that was removed is made again under the same name.
func Searched(index string) string { return index + "-complete" }

// Alias is the name by which people reach the current index of an environment. The edge searches indices by Searched.
// It is the environment's id in lower case. Ids that differ only by case get a checksum each.
func Alias(env string) string {
	name := strings.ToLower(env)
	if name != env {
		name += fmt.Sprintf("-%08x", crc32.ChecksumIEEE([]byte(env)))
	}
	return name
}

// Meta is the _meta of an index: which release it holds, whether the whole release, and what its keywords lack.
type Meta struct {
	Format      int    `json:"format"`
	Environment string `json:"environment"`
	Build       string `json:"build"`    // of the release
	Snapshot    string `json:"snapshot"` // the SHA-256 of the environment's snapshot, in hexadecimal digits
	Items       int    `json:"items"`
	Shards      int    `json:"shards"`
	Complete    bool   `json:"complete"` // all items are in it, and were compared with the snapshot
	Checksum    string `json:"checksum"` // the SHA-256 of the Definition with a Meta of only Long, and one shard, in hexadecimal digits
	// Long are the paths of text with values that are longer than MaxKeyword, in byte order, or AnyPath.
	Long []string `json:"long,omitempty"`
	// Ties are the paths of text with different values that have one Start, or AnyPath. Others are in the exact order.
	Ties []string `json:"ties,omitempty"`
}
