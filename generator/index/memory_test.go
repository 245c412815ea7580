// These tests index with little memory, down to a run per document. The snapshot's bytes
// must not depend on the number of runs or cores.

package index_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/searchtest"
	"contentedge/generator/index"
	"contentedge/generator/index/indextest"
	"contentedge/generator/spill"
)

// documents generates random items. Some values are long, some repeat in one document, some
// are equal in REST order but not as text. Enough short names exist for a gram index.
func documents(r *rand.Rand, n int) indextest.Docs {
	var docs indextest.Docs
	for i, text := range searchtest.Items(r, n) {
		more := fmt.Sprintf(`,"Extra":{"name":"n%d é","same":["x","\u0078",%d,%d.0],"long":%q,"mixed":%s}}`,
			r.IntN(n), i%7, i%7, strings.Repeat(pick(r, long)+" ", r.IntN(300)), pick(r, []string{"1", "1.0", "true", `"true"`, `"1"`, "null"}))
		docs = append(docs, []byte(strings.TrimSuffix(text, "}")+more))
	}
	return docs
}

// long holds words for long values.
var long = []string{"fox", "quick", "Σίσυφος", "東京タワー", "👩‍👩‍👧", "node.js", "O'Reilly", "cafe\u0301", `q"uote`}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func snapshotOf(t *testing.T, docs indextest.Docs, memory int64) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := index.Write(&b, index.Environment{Env: "e", Sort: "CreatedAt", Memory: memory, Fields: docs.Fields()}, docs); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestBytesDoNotDependOnMemory(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for seed := range uint64(3) {
		docs := documents(rand.New(rand.NewPCG(seed, 9)), 300)
		runtime.GOMAXPROCS(1)
		want := snapshotOf(t, docs, 0)
		for _, procs := range []int{1, 2, 5} {
			runtime.GOMAXPROCS(procs)
			for _, memory := range []int64{1, 100 << 10, 1 << 20} {
				if got := snapshotOf(t, docs, memory); !bytes.Equal(got, want) {
					t.Errorf("seed %d: %d cores and %d bytes make other bytes", seed, procs, memory)
				}
			}
		}
	}
}

// unreadable is a Source with one unreadable document.
type unreadable struct {
	indextest.Docs
	doc int
}

var errLost = errors.New("lost")

func (l unreadable) Append(dst []byte, doc int) ([]byte, error) {
	if doc == l.doc {
		return dst, errLost
	}
	return l.Docs.Append(dst, doc)
}

func TestLostDocumentIsAnError(t *testing.T) {
	docs := documents(rand.New(rand.NewPCG(1, 9)), 200)
	for _, doc := range []int{0, 77, 199} {
		if err := index.Write(io.Discard, index.Environment{Env: "e", Fields: docs.Fields()}, unreadable{docs, doc}); !errors.Is(err, errLost) {
			t.Errorf("document %d: %v", doc, err)
		}
	}
}

// TestFailingTemporaryFile checks that a failing temporary file gives an error, not a
// panic.
func TestFailingTemporaryFile(t *testing.T) {
	docs := documents(rand.New(rand.NewPCG(2, 9)), 200)
	none := func() (*spill.File, error) { return nil, os.ErrPermission }
	if err := index.Write(io.Discard, index.Environment{Temp: none, Fields: docs.Fields()}, docs); !errors.Is(err, os.ErrPermission) {
		t.Errorf("no file: %v", err)
	}
	closed := func() (*spill.File, error) {
		f, err := spill.Create(t.TempDir(), "x")
		if err == nil {
			err = f.Close()
		}
		return f, err
	}
	if err := index.Write(io.Discard, index.Environment{Temp: closed, Fields: docs.Fields()}, docs); !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed file: %v", err)
	}
}
