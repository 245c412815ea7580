package ship

import (
	"reflect"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/store/storetest"
)

// TestShip publishes releases one after the other, and shows what each publication sends.
func TestShip(t *testing.T) {
	w := newWorld(t)
	first, second := build(t, 0), build(t, 3)
	var dry *Report
	t.Run("a dry run sends nothing, and says what would be sent", func(t *testing.T) {
		var err error
		dry, err = Publish(t.Context(), PublishConfig{Store: w.s, Public: first, DryRun: true})
		if err != nil || dry.Sent != dry.Files-1 || len(w.requests("PUT")) > 0 {
			t.Fatalf("%+v, %v", dry, err)
		}
	})
	t.Run("the first release is sent whole, then the pointer, then its copy", func(t *testing.T) {
		r := w.publish(first)
		puts := w.requests("PUT")
		if r.Sequence != 1 || !r.Changed || r.Copied+r.Kept != 0 || len(puts) != r.Files+2 || !reflect.DeepEqual(r, dry) {
			t.Errorf("%+v, %d puts", r, len(puts))
		}
		checkOrder(t, puts)
	})
	t.Run("the next release copies in the store what did not change", func(t *testing.T) {
		r := w.publish(second)
		if r.Sequence != 2 || r.Copied < 30 || r.Sent == 0 || r.Sent+r.Copied != r.Files-1 {
			t.Errorf("%+v", r)
		}
		copies := 0
		for _, put := range w.requests("PUT") {
			if strings.Contains(put, " /"+storetest.Bucket+"/live/releases/") {
				copies++
			}
		}
		if copies != r.Copied {
			t.Errorf("%d copies, reported %d", copies, r.Copied)
		}
	})
	t.Run("the current release is not sent again", func(t *testing.T) {
		r := w.publish(second)
		if puts := w.requests("PUT"); r.Changed || r.Kept != r.Files-1 || r.Sequence != 2 || len(puts) != 0 {
			t.Errorf("%+v, %v", r, puts)
		}
	})
	t.Run("a release that is in the store becomes current without being sent", func(t *testing.T) {
		if r := w.publish(first); r.Sequence != 3 || r.Sent+r.Copied != 0 {
			t.Errorf("%+v", r)
		}
	})
}
