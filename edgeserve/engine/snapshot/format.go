// Package snapshot defines the file that an edge server searches. The file holds all
// rendered items of one environment and the indexes for lists and search bodies. The Writer
// takes complete, sorted input. The Reader maps the file and reads it in place. Both are in
// this package so that the format has one definition.
//
// # The file
//
//	+--------------------------------------------+
//	| header: magic, version, byte-order mark    |  16 bytes
//	+--------------------------------------------+
//	| sections, each padded with zeros to 8      |
//	+--------------------------------------------+
//	| table of contents: 32 bytes a section      |
//	+--------------------------------------------+
//	| footer: where the table is, checksums      |  32 bytes
//	+--------------------------------------------+
//
// Integers are little-endian. <uv> is an unsigned varint. <str> is a length <uv> and as
// many bytes. Every section begins at a multiple of 8. A section's checksum is a CRC-32C
// and includes its padding, so exactly one checksum covers each byte of the file. Documents
// are numbered from 0 in the environment's default order.
//
// A table entry is kind <u32>, field <u32>, offset <u64>, length without padding <u64>,
// checksum <u32>, zero <u32>. Entries ascend by (field, kind). Sections of the whole file
// have the field NoField. Readers skip unknown kinds.
//
// The footer is the table's offset <u64>, its number of entries <u32>, its checksum <u32>,
// the file's length <u64>, a checksum <u32>, magic <u32>. The checksum covers the header
// and the footer's first 24 bytes.
//
// golden_test.go lists a small file byte by byte.
//
// # Arrays
//
// A packed array is a <u64>, the integers, and 8 bytes of zero. The <u64> holds the count,
// and in its top byte the width. Each integer has width bits, low bits first. Widths are 0
// to 56, or 64.
//
// A document map assigns integers to documents. It is the integer that means "none" <u64>,
// a form <byte>, and packed arrays. Form 0 is dense: one array, an integer for each
// document. Form 1 is sparse: the documents with an integer, ascending, then their
// integers.
//
// # Sections of the whole file
//
// Meta: environment <str>, default sort <str>, ascending <byte>, analysis version <uv>,
// items <uv>.
//
// Fragments: the JSON of the items in document order, joined by commas. Any run of
// documents is a contiguous slice that a list envelope embeds unchanged.
//
// Starts: a packed array of items+1 offsets. Fragment d ends one byte before fragment d+1
// starts.
//
// Fields: the number of fields <uv>, then one entry per field, in byte order of the paths.
// An entry is path <str>, type <byte>, documents with a token <uv>, tokens <uv>, a column
// description, and the other sets of doc values. An entry's position is the field number of
// the field's sections. A column description is flags <byte> (1: no document has two
// values), distinct values <uv>, pairs <uv>, documents <uv>.
//
// A field has up to seven sets of doc values. Set 0 belongs to the path itself and follows its type. Sets 1 to 5 are
// the sub-fields keyword, long, double, boolean and date. Each holds the values that parse as its type. Set 6 is the
// order of REST lists: a column without values. The manifest's format determines the order.
//
// Sets 1 to 6 follow the column description of set 0. Each begins with a byte. The byte is
// 0 for an empty set; for set 6, 0 means the order of set 0. Otherwise it is 1 + 7v + c.
// Here v is the set that holds the values, and c the set that holds the column. Each is the
// set itself, or an earlier one with equal values or an equal column. v is 0 for set 6. v
// and c are 0 for the keyword of a text field. For double, v may hold integers up to 2^53.
// If the set has a column of its own, its description follows the byte.
//
// Item sums, only in search-only snapshots: the CRC-32C <u32> of each item.
//
// Left out, which may be absent: the paths that have no field though items may have them. The
// number of excludes <uv>, their paths <str>, the number of includes <uv>, their paths <str>, as
// package leftout defines them. No field has a path that they leave out.
//
// # Search-only snapshots
//
// A search-only snapshot has format version 3. It has no Fragments and no Starts, but item sums: its reader fetches the
// items of a response as files. Values of strings keep the beginning of each value that is a pointer: x is odd, the
// length of the beginning <uv> and its bytes follow, without the bytes that are shared, then fragment and offset. The
// beginning tells the value from all others, so a lookup needs at most the item of one value. WriteSearchOnly makes
// such a snapshot; Open and OpenBytes refuse it.
//
// # Sections of a field
//
// Terms (text): the terms in byte order, in blocks of 16 entries. An entry is the number of bytes shared with the
// previous entry <uv>, the remaining bytes <str>, and x <uv>. If x is odd, only document x>>1 has the term. The
// frequency <uv> and as many position gaps <uv> follow. If x is even, x>>1 documents have the term. The lengths of its
// postings <uv> and of its positions <uv> follow. Both start where the postings and positions of the previous term end.
//
// Term index: the number of terms <uv>, the prefix of all terms <str>, a head <u64> per
// block, then three packed arrays. A head is the 8 bytes after the prefix in the block's
// first term, as a big-endian number. The arrays hold, for each block, its offset in Terms,
// in Postings and in Positions.
//
// Postings: a list begins with the greatest impact of its tail <byte>. With 128 documents or more, the offset of the
// tail's positions <uv>, the skip entries and the full blocks follow. A full block is 128 document deltas and 128
// frequencies less one, as packed bits. Its skip entry is last document <u32>, offset <u32>, offset of positions <u32>,
// greatest impact <byte>, delta width <byte>, frequency width <byte>, zero <byte>. The tail holds the remaining
// documents. Each is its delta doubled plus one <uv> if the frequency is 1, otherwise its delta doubled <uv> and the
// frequency <uv>. An impact is tf/(tf+f) in 255ths, rounded up, where f is the length factor of the document.
//
// Positions: for each block of a list, the gaps between positions, starting from 0 in each
// document. The gaps are in groups of 128: width <byte>, bits.
//
// Norms: a document map of encoded lengths. 0 means no token.
//
// Values of strings (keyword): an index like the term index (number, prefix, heads, offsets) and blocks of 16 entries.
// An entry begins with x <uv>. It shares exactly x>>1 bytes with the previous value. If x is even, the remaining bytes
// <str> follow. If x is odd, the value is the JSON string in fragment <uv> at offset <uv>, counted to the byte after
// its opening quote.
//
// Values of numbers: for integers, 0 <byte>, the least <u64>, and a packed array of the differences from the least. For
// fractions, 1 <byte>, zero <u64>, and a packed array of 64-bit patterns which are in the order of the numbers: the
// sign bit is flipped, or all bits of a negative number.
//
// A column: the first pair of each value, the document of each pair, and two document maps.
// The first pairs are a packed array of distinct+1, empty if every value has one document.
// Within a value the documents are in order of ContentID. The maps give the least value of
// each document, and the greatest if a document has several.
//
// Grams (text): an index of the folded three-rune sequences in the strings of short-valued
// fields. It has two packed arrays: the sequences (21 bits a rune), ascending, and one more
// offset than sequences. Then, for each sequence, the values that contain it, as gaps <uv>.
//
// # Validation
//
// The Writer rejects unsorted input. Open checks header, footer, table and the shape of
// every array. That work depends on the number of fields, not of items. Verify compares
// every checksum. Check proves the rest: every list ascends and stays below the number of
// items, and every value is where its entry says.
//
// # Limits
//
// Items, and distinct values of a path: below 2^32-1. A snapshot: below 2^40 bytes. A term:
// at most 255 UTF-16 units.
//
// # Versions
//
//	1  the first.
//	2  every path has sub-fields, and its type follows from all its values.
//	3  search-only; all other snapshots keep version 2.
package snapshot

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
)

const (
	// Version is the format version of snapshots with items.
	Version = 2
	// VersionSearchOnly is the format version of search-only snapshots.
	VersionSearchOnly = 3
)

// DocID is a document's number: the position of the item in the default order.
type DocID = uint32

const (
	magic         = "cdgesnap"
	footerMagic   = 0x65646765
	byteOrderMark = 0x01020304
	headerLen     = 16
	entryLen      = 32
	footerLen     = 32
	align         = 8
)

// NoField is the field number of sections that belong to the whole file.
const NoField = 1<<32 - 1

type kind uint32

const (
	kindMeta kind = 1 + iota
	kindFragments
	kindStarts
	kindFields
	kindLeftOut
	kindItemSums
)

const (
	kindTerms kind = 16 + iota
	kindTermIndex
	kindPostings
	kindPositions
	kindNorms
	kindValueIndex
	kindValues
	kindNumbers
	kindGrams
)

// The first of consecutive kinds. A column has starts, documents, least and greatest. A
// sub-field has its numbers, then its column.
const (
	kindColumn kind = 32
	kindSort   kind = 36
	kindSubs   kind = 40 // five kinds per sub-field
)

var kindNames = map[kind]string{
	kindMeta: "meta", kindFragments: "fragments", kindStarts: "starts", kindFields: "fields", kindLeftOut: "left out", kindItemSums: "item sums",
	kindTerms: "terms", kindTermIndex: "term index", kindPostings: "postings", kindPositions: "positions",
	kindNorms: "norms", kindValueIndex: "value index", kindValues: "values", kindNumbers: "numbers", kindGrams: "grams",
	kindColumn: "column starts", kindColumn + 1: "column documents", kindColumn + 2: "column least", kindColumn + 3: "column greatest",
	kindSort: "sort starts", kindSort + 1: "sort documents", kindSort + 2: "sort least", kindSort + 3: "sort greatest",
}

func init() {
	for s := SubKeyword; s < SubCount; s++ {
		for i, part := range []string{"numbers", "starts", "documents", "least", "greatest"} {
			kindNames[subKind(s)+kind(i)] = s.String() + " " + part
		}
	}
	delete(kindNames, subKind(SubKeyword)) // keyword has strings
}

// Type is the type of a path: text, unless all values are dates, integers, numbers or booleans.
type Type byte

const (
	Text Type = iota // analyzed text; .keyword has the whole values
	Date             // milliseconds since 1970
	Long
	Float
	Boolean
)

var typeNames = [...]string{"text", "date", "long", "float", "boolean"}

// String returns the name of the type.
func (t Type) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return "unknown"
}

// FindType finds a type by its name.
func FindType(name string) (Type, bool) {
	i := slices.Index(typeNames[:], name)
	return Type(max(i, 0)), i >= 0
}

var crcTable = crc32.MakeTable(crc32.Castagnoli)

// Sub is a sub-field: the values of a path whose text, whatever its JSON type, parses as one type.
type Sub byte

// The sub-fields of a path in the order of their sets.
const (
	SubKeyword Sub = iota // the whole text of every value
	SubLong               // integers; fractions are truncated
	SubDouble             // 64-bit numbers
	SubBoolean            // true and false
	SubDate               // milliseconds since 1970
	SubCount              // number of sub-fields
)

var subNames = [SubCount]string{"keyword", "long", "double", "boolean", "date"}

// String returns the suffix of the path: "keyword", "long", …
func (s Sub) String() string { return subNames[s] }

// FindSub finds a sub-field by its name.
func FindSub(name string) (Sub, bool) {
	i := slices.Index(subNames[:], name)
	return Sub(max(i, 0)), i >= 0
}

const (
	setPath  = 0
	setRest  = 1 + int(SubCount)
	setCount = setRest + 1
)

// subKind returns the section of a sub-field's numbers. The sections of its column follow.
func subKind(s Sub) kind { return kindSubs + 5*kind(s) }

// setKinds returns the sections of a set's numbers and of its column.
func setKinds(set int) (numbers, column kind) {
	switch set {
	case setPath:
		return kindNumbers, kindColumn
	case setRest:
		return 0, kindSort
	}
	k := subKind(Sub(set - 1))
	return k, k + 1
}

func header(version uint32) []byte {
	h := binary.LittleEndian.AppendUint32([]byte(magic), version)
	return binary.LittleEndian.AppendUint32(h, byteOrderMark)
}

func frameSum(version uint32, foot []byte) uint32 {
	return crc32.Update(crc32.Checksum(header(version), crcTable), crcTable, foot[:24])
}
