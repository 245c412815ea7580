// These tests fix the format: one small file byte by byte, and its Dump. A change of either
// is a change of the format.

package snapshot

import (
	"bytes"
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

// small has two items, a text field and a numeric field with sub-fields.
func small() *twin {
	ids, n, words := newTwinField("ContentID", Text), newTwinField("n", Long), newTwinField("t", Text)
	tw := &twin{
		meta:      Meta{Env: "demo", Sort: "CreatedAt", Analysis: 1, Items: 2},
		ids:       []string{"b", "a"},
		rank:      []int{1, 0},
		fragments: []string{`{"ContentID":"b","t":"to be, to be, to be"}`, `{"ContentID":"a","n":-7,"t":"be"}`},
		fields:    []*twinField{ids, n, words},
	}
	put(ids.strings, "b", 0)
	put(ids.strings, "a", 1)
	put(n.ints, -7, 1)
	put(n.strings, "-7", 1)
	n.subs[SubLong], n.subs[SubDouble] = newTwinNumbers(), newTwinNumbers()
	put(n.subs[SubLong].ints, -7, 1)
	put(n.subs[SubDouble].floats, -7, 1)
	n.sort = n.column()
	put(words.strings, "to be, to be, to be", 0)
	put(words.strings, "be", 1)
	words.where["to be, to be, to be"] = StringValue{Doc: 0, Offset: 22}
	words.terms["be"] = map[DocID][]uint32{0: {1, 3, 5}, 1: {0}}
	words.terms["to"] = map[DocID][]uint32{0: {0, 2, 4}}
	words.norms = map[DocID]byte{0: 6, 1: 1}
	for i := range words.factor {
		words.factor[i] = 1
	}
	return tw
}

// smallBytes is the file of small. Comments begin with #.
const smallBytes = `
# Header.
63 64 67 65 73 6e 61 70  # magic "cdgesnap"
02 00 00 00  04 03 02 01 # version, byte-order mark

# Meta of the file.
04 64 65 6d 6f                 # environment "demo"
09 43 72 65 61 74 65 64 41 74  # order "CreatedAt",
00 01 02                       # descending; analysis version 1; 2 items
00 00 00 00 00 00              # padding to 8

# Fragments of the file: two objects and a comma between them.
7b 22 43 6f 6e 74 65 6e 74 49 44 22 3a 22 62 22 2c           # {"ContentID":"b",
22 74 22 3a 22 74 6f 20 62 65 2c 20 74 6f 20 62 65           # "t":"to be, to be
2c 20 74 6f 20 62 65 22 7d 2c                                # , to be"},
7b 22 43 6f 6e 74 65 6e 74 49 44 22 3a 22 61 22 2c           # {"ContentID":"a",
22 6e 22 3a 2d 37 2c 22 74 22 3a 22 62 65 22 7d              # "n":-7,"t":"be"}
00 00 00

# Starts of the file: 3 integers of 7 bits, 0, 44 and 78.
03 00 00 00 00 00 00 07
00 96 13  00 00 00 00 00 00 00 00  00 00 00 00 00

# Terms of ContentID: no bytes. Their index: no term, no prefix, three empty arrays.
00  00
00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00
00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00
00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00
00 00 00 00 00 00

# Postings and positions of ContentID: no bytes. Norms: none is 0; sparse; no document.
00 00 00 00 00 00 00 00  01
00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00
00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00
00 00 00 00 00 00 00

# Value index of ContentID.
02  00                                           # 2 values, no prefix
00 00 00 00 00 00 00 61                          # head "a" of the one block
01 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00 # its offset, 0, in no bits
00 00 00 00 00 00

# Values of ContentID: each shares nothing; "a", "b".
00 01 61  00 01 62  00 00

# Column starts of ContentID: every value has one document.
00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00

# Column documents of ContentID: a bit each, 1 and 0.
02 00 00 00 00 00 00 01  01  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00

# Column least of ContentID: none is 2; dense; a bit each, 1 and 0.
02 00 00 00 00 00 00 00  00
02 00 00 00 00 00 00 01  01  00 00 00 00 00 00 00 00
00 00 00 00 00 00

# Value index of n.
01  02 2d 37                                     # 1 value, whose prefix is "-7"
00 00 00 00 00 00 00 00                          # nothing behind it
01 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00 # offset
00 00 00 00

# Values of n: "-7".
00 02 2d 37  00 00 00 00

# Numbers of n: integers from -7 on; one difference, 0, in no bits.
00  f9 ff ff ff ff ff ff ff
01 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00
00 00 00 00 00 00 00

# Column starts of n.
00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00

# Column documents of n: document 1.
01 00 00 00 00 00 00 01  01  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00

# Column least of n: none is 1; dense; document 0 has none, 1 has 0.
01 00 00 00 00 00 00 00  00
02 00 00 00 00 00 00 01  01  00 00 00 00 00 00 00 00
00 00 00 00 00 00

# Terms of t.
00 02 62 65  04 04 02        # "be": in 2 documents, 4 bytes of postings, 2 of positions
00 02 74 6f  01 03 00 02 02  # "to": in document 0 alone, thrice, at 0 and 2 behind that and 2 again

# Term index of t.
02  00                                           # 2 terms, no prefix
00 00 00 00 00 00 65 62                          # head "be"
01 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00 # offset in terms,
01 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00 # in postings,
01 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00 # in positions
00 00 00 00 00 00

# Postings of t: "be" scores at most 192/255; document 0 thrice; the next one once.
c0  00 03  03  00 00 00 00

# Positions of t: gaps 1, 2, 2 and 0 in 2 bits each.
02 29  00 00 00 00 00 00

# Norms of t: none is 0; dense; a byte each, 6 and 1.
00 00 00 00 00 00 00 00  00
02 00 00 00 00 00 00 08  06 01  00 00 00 00 00 00 00 00
00 00 00 00 00

# Value index of t.
02  00                                           # 2 values, no prefix
00 00 00 00 00 00 65 62                          # head "be"
01 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00 # offset
00 00 00 00 00 00

# Values of t: "be"; then what fragment 0 holds behind byte 22.
00 02 62 65  01 00 16  00

# Column starts of t.
00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00

# Column documents of t: 1 and 0.
02 00 00 00 00 00 00 01  01  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00

# Column least of t: none is 2; dense; 1 and 0.
02 00 00 00 00 00 00 00  00
02 00 00 00 00 00 00 01  01  00 00 00 00 00 00 00 00
00 00 00 00 00 00

# Fields of the file.
03                                       # 3 fields
09 43 6f 6e 74 65 6e 74 49 44  00 00 00  # "ContentID": text, no tokens;
01 02 02 02                              # single; 2 values, 2 pairs, 2 documents;
01  00 00 00 00  00                      # keyword is the path's own, no other sub-field, nor REST order
01 6e  02 00 00                          # "n": long;
01 01 01 01                              # single; 1 value, 1 pair, 1 document;
08                                       # keyword has values of its own, and the path's column,
01 01 00 00                              # long and double the path's both, boolean and date none,
01                                       # REST order the path's column
01 74  00 02 07                          # "t": text, 2 documents with 7 tokens;
01 02 02 02                              # single; 2 values, 2 pairs, 2 documents;
01  00 00 00 00  00                      # as ContentID
00 00

# Table of contents: kind, field, offset, length, checksum, zero.
10 00 00 00  00 00 00 00  90 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  00 00 00 00  00 00 00 00 # terms of ContentID
11 00 00 00  00 00 00 00  90 00 00 00 00 00 00 00  32 00 00 00 00 00 00 00  9e ca 47 15  00 00 00 00 # term index of ContentID
12 00 00 00  00 00 00 00  c8 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  00 00 00 00  00 00 00 00 # postings of ContentID
13 00 00 00  00 00 00 00  c8 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  00 00 00 00  00 00 00 00 # positions of ContentID
14 00 00 00  00 00 00 00  c8 00 00 00 00 00 00 00  29 00 00 00 00 00 00 00  92 2f 4c f5  00 00 00 00 # norms of ContentID
15 00 00 00  00 00 00 00  f8 00 00 00 00 00 00 00  1a 00 00 00 00 00 00 00  b3 74 6b 46  00 00 00 00 # value index of ContentID
16 00 00 00  00 00 00 00  18 01 00 00 00 00 00 00  06 00 00 00 00 00 00 00  45 3b e0 34  00 00 00 00 # values of ContentID
20 00 00 00  00 00 00 00  20 01 00 00 00 00 00 00  10 00 00 00 00 00 00 00  ea 9a 70 42  00 00 00 00 # column starts of ContentID
21 00 00 00  00 00 00 00  30 01 00 00 00 00 00 00  11 00 00 00 00 00 00 00  a2 ce 60 58  00 00 00 00 # column documents of ContentID
22 00 00 00  00 00 00 00  48 01 00 00 00 00 00 00  1a 00 00 00 00 00 00 00  b3 87 f9 8f  00 00 00 00 # column least of ContentID
15 00 00 00  01 00 00 00  68 01 00 00 00 00 00 00  1c 00 00 00 00 00 00 00  69 02 33 32  00 00 00 00 # value index of n
16 00 00 00  01 00 00 00  88 01 00 00 00 00 00 00  04 00 00 00 00 00 00 00  26 63 e5 d8  00 00 00 00 # values of n
17 00 00 00  01 00 00 00  90 01 00 00 00 00 00 00  19 00 00 00 00 00 00 00  71 51 0a 11  00 00 00 00 # numbers of n
20 00 00 00  01 00 00 00  b0 01 00 00 00 00 00 00  10 00 00 00 00 00 00 00  ea 9a 70 42  00 00 00 00 # column starts of n
21 00 00 00  01 00 00 00  c0 01 00 00 00 00 00 00  11 00 00 00 00 00 00 00  c1 ff 5c 93  00 00 00 00 # column documents of n
22 00 00 00  01 00 00 00  d8 01 00 00 00 00 00 00  1a 00 00 00 00 00 00 00  ee f6 12 c9  00 00 00 00 # column least of n
10 00 00 00  02 00 00 00  f8 01 00 00 00 00 00 00  10 00 00 00 00 00 00 00  2b 90 d0 28  00 00 00 00 # terms of t
11 00 00 00  02 00 00 00  08 02 00 00 00 00 00 00  3a 00 00 00 00 00 00 00  04 18 24 6f  00 00 00 00 # term index of t
12 00 00 00  02 00 00 00  48 02 00 00 00 00 00 00  04 00 00 00 00 00 00 00  f2 94 a6 de  00 00 00 00 # postings of t
13 00 00 00  02 00 00 00  50 02 00 00 00 00 00 00  02 00 00 00 00 00 00 00  e2 1a 25 05  00 00 00 00 # positions of t
14 00 00 00  02 00 00 00  58 02 00 00 00 00 00 00  1b 00 00 00 00 00 00 00  4c d4 1e e8  00 00 00 00 # norms of t
15 00 00 00  02 00 00 00  78 02 00 00 00 00 00 00  1a 00 00 00 00 00 00 00  a6 c3 79 93  00 00 00 00 # value index of t
16 00 00 00  02 00 00 00  98 02 00 00 00 00 00 00  07 00 00 00 00 00 00 00  51 02 b0 73  00 00 00 00 # values of t
20 00 00 00  02 00 00 00  a0 02 00 00 00 00 00 00  10 00 00 00 00 00 00 00  ea 9a 70 42  00 00 00 00 # column starts of t
21 00 00 00  02 00 00 00  b0 02 00 00 00 00 00 00  11 00 00 00 00 00 00 00  a2 ce 60 58  00 00 00 00 # column documents of t
22 00 00 00  02 00 00 00  c8 02 00 00 00 00 00 00  1a 00 00 00 00 00 00 00  b3 87 f9 8f  00 00 00 00 # column least of t
01 00 00 00  ff ff ff ff  10 00 00 00 00 00 00 00  12 00 00 00 00 00 00 00  1c 0f 35 e3  00 00 00 00 # meta of the file
02 00 00 00  ff ff ff ff  28 00 00 00 00 00 00 00  4d 00 00 00 00 00 00 00  59 2b 9e d2  00 00 00 00 # fragments of the file
03 00 00 00  ff ff ff ff  78 00 00 00 00 00 00 00  13 00 00 00 00 00 00 00  1c 8c fb 61  00 00 00 00 # starts of the file
04 00 00 00  ff ff ff ff  e8 02 00 00 00 00 00 00  36 00 00 00 00 00 00 00  89 c0 36 40  00 00 00 00 # fields of the file

# Footer.
20 03 00 00 00 00 00 00  # the table is at 800
1e 00 00 00              # 30 entries
8d 24 72 bd              # checksum of the table
00 07 00 00 00 00 00 00  # 1792 bytes
2a 7d c5 f8              # checksum of the header and the footer so far
65 67 64 65              # magic
`

func parseHex(t *testing.T, text string) (b []byte) {
	t.Helper()
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		for _, h := range strings.Fields(line) {
			v, err := strconv.ParseUint(h, 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			b = append(b, byte(v))
		}
	}
	return b
}

// TestSnapshot compares a small snapshot with smallBytes, which lists its bytes with comments.
// The package comment is the specification.
func TestSnapshot(t *testing.T) {
	want := parseHex(t, smallBytes)
	got := small().write(t)
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("byte %d is %02x, want %02x; around it % x", i, got[i], want[i], got[max(0, i-8):min(len(got), i+8)])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
}

func TestDump(t *testing.T) {
	var got bytes.Buffer
	if err := small().open(t).Dump(&got); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/small.dump", got.Bytes())
}

// TestDumpSubFields checks the number of documents of a sub-field that only some of them
// have.
func TestDumpSubFields(t *testing.T) {
	tw := small()
	f := newTwinField("x.y", Text)
	texts(f, "4", "x")
	f.subs[SubLong], f.subs[SubDouble] = shared[int64](4), shared[float64](4)
	tw.fields = append(tw.fields, f)
	var got bytes.Buffer
	if err := tw.open(t).Dump(&got); err != nil {
		t.Fatal(err)
	}
	want := "\ntext              2          2          2          0          0  x.y        keyword, long (1), double (1)\n"
	if !strings.HasSuffix(got.String(), want) {
		t.Errorf("got\n%s\nwant at its end%s", got.String(), want)
	}
}

// golden compares with a file, or rewrites it with -update.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs:\n%s\nwant:\n%s", path, got, want)
	}
}
