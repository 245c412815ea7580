// These tests index with little memory, down to a run for each document: however often a run is sealed, and however many
// cores work, the bytes are those of a run that holds everything.

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

	"contentedge/generator/index"
	"contentedge/generator/spill"
)

// documents makes up documents: those of random items, with some values long, some
// repeated in one document, some equal in REST order and not as text, and enough short
// names for a gram index.
func documents(r *rand.Rand, n int) index.Docs {
	var docs index.Docs
	for i, text := range newWriter(r).items(n) {
		more := fmt.Sprintf(`,"Extra":{"name":"n%d é","same":["x","\u0078",%d,%d.0],"long":%q,"mixed":%s}}`,
			r.IntN(n), i%7, i%7, strings.Repeat(pick(r, vocabulary)+" ", r.IntN(300)), pick(r, []string{"1", "1.0", "true", `"true"`, `"1"`, "null"}))
		docs = append(docs, []byte(strings.TrimSuffix(text, "}")+more))
	}
	return docs
}

func snapshotOf(t *testing.T, docs index.Docs, memory int64) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := index.Write(&b, index.Config{Env: "e", Sort: "CreatedAt", Memory: memory, Fields: docs.Fields()}, docs); err != nil {
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

// lost are documents of which one cannot be read.
type lost struct {
	index.Docs
	doc int
}

var errLost = errors.New("lost")

func (l lost) Append(dst []byte, doc int) ([]byte, error) {
	if doc == l.doc {
		return dst, errLost
	}
	return l.Docs.Append(dst, doc)
}

func TestLostDocumentIsAnError(t *testing.T) {
	docs := documents(rand.New(rand.NewPCG(1, 9)), 200)
	for _, doc := range []int{0, 77, 199} {
		if err := index.Write(io.Discard, index.Config{Env: "e", Fields: docs.Fields()}, lost{docs, doc}); !errors.Is(err, errLost) {
			t.Errorf("document %d: %v", doc, err)
		}
	}
}

// A temporary file that fails, at once or later, is an error and no panic.
func TestFailingTemporaryFile(t *testing.T) {
	docs := documents(rand.New(rand.NewPCG(2, 9)), 200)
	none := func() (*spill.File, error) { return nil, os.ErrPermission }
	if err := index.Write(io.Discard, index.Config{Temp: none, Fields: docs.Fields()}, docs); !errors.Is(err, os.ErrPermission) {
		t.Errorf("no file: %v", err)
	}
	closed := func() (*spill.File, error) {
		f, err := spill.Create(t.TempDir(), "x")
		if err == nil {
			err = f.Close()
		}
		return f, err
	}
	if err := index.Write(io.Discard, index.Config{Temp: closed, Fields: docs.Fields()}, docs); !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed file: %v", err)
	}
}
