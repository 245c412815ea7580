package model_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/leftout"
	"contentedge/generator/model"
	"contentedge/generator/source"
)

// Content with too many paths is refused while it is read, with the path that most are below; paths that searches
// do not see do not count.
func TestTooManyPaths(t *testing.T) {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, `{"ContentID":"i%d","Name":"a","TemplateName":"T","Status":"Published","CreatedAt":"2024-01-01T00:00:00.000Z","Data":{"title":"a","prices":{"p%d":{"amount":%d}}}}`+"\n", i, i, i)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "shop"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "shop", "items.ndjson"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	load := func(most int, exclude ...string) error {
		tree, err := source.NewFolder(dir).List(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		rules, err := leftout.New(exclude, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		site, found, err := model.Load(context.Background(), tree, model.Options{MaxPaths: most, LeftOut: map[string]model.LeftOut{"shop": {Rules: rules}}})
		if err == nil && site == nil {
			t.Fatal(found)
		}
		return err
	}
	for _, most := range []int{10, 299} { // while reading, and of all surveys together
		err := load(most)
		var many *model.TooManyPaths
		if !errors.As(err, &many) || many.Parent != "Data.prices" || many.Max != most || many.Below < 2 {
			t.Errorf("at most %d: %v", most, err)
		}
	}
	if err := load(400); err != nil {
		t.Error(err)
	}
	if err := load(10, "Data.prices"); err != nil {
		t.Error("left out:", err)
	}
}
