// Package corpus provides the benchmarks' items: read from a file, synthetic, or
// multiplied. It also splits items into fields, for engines that do not read JSON.
// Every run gets the same items.
package corpus

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// maxLine limits an item, in bytes; real items are far smaller.
const maxLine = 64 << 20

// Read returns the items of an NDJSON file in compact form and file order. It
// decompresses .gz files.
func Read(path string) ([][]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	items, err := parse(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return items, nil
}

func parse(in io.Reader) ([][]byte, error) {
	var items [][]byte
	var item bytes.Buffer
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 1<<20), maxLine)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		item.Reset()
		if err := json.Compact(&item, lines.Bytes()); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		items = append(items, bytes.Clone(item.Bytes()))
	}
	return items, lines.Err()
}

// Sort sorts items into the default order: CreatedAt descending, then ContentID. It
// compares timestamps as text, because a corpus has one format.
func Sort(items [][]byte) {
	type keyed struct {
		created, id string
		item        []byte
	}
	all := make([]keyed, len(items))
	for i, item := range items {
		all[i] = keyed{Member(item, "CreatedAt"), Member(item, "ContentID"), item}
	}
	slices.SortStableFunc(all, func(a, b keyed) int {
		return cmp.Or(cmp.Compare(b.created, a.created), cmp.Compare(a.id, b.id))
	})
	for i := range all {
		items[i] = all[i].item
	}
}

// Member returns the first value at a path, decoded, or "".
func Member(item []byte, path string) string {
	var text string
	found := false
	Leaves(item, func(l Leaf) {
		if !found && l.Path == path {
			text, found = l.Text(), true
		}
	})
	return text
}

// Write writes items as NDJSON.
func Write(w io.Writer, items [][]byte) error {
	out := bufio.NewWriterSize(w, 1<<20)
	for _, item := range items {
		out.Write(item)
		out.WriteByte('\n')
	}
	return out.Flush()
}

// WriteFile is Write to a new file.
func WriteFile(path string, items [][]byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := Write(f, items); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// Bytes is the size of the items without line ends.
func Bytes(items [][]byte) int64 {
	var n int64
	for _, item := range items {
		n += int64(len(item))
	}
	return n
}
