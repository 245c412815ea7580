package answer_test

import (
	"context"
	"testing"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/wire/address"
)

// ending is a limit that fails once it has ended.
type ending struct{ err error }

func (e *ending) Err() error { return e.err }

// Copying items is work of a search: it ends with the search's time, whole or filtered.
func TestWritingEndsInTime(t *testing.T) {
	for _, sent := range []string{`{}`, `{"_source":["Name"]}`} {
		limit := &ending{}
		work := scorer.NewWorkLimit(limit)
		c, err := site(t).Find(address.Route{Kind: address.Search, Env: "shop"}, "")
		if err != nil {
			t.Fatal(err)
		}
		a, err := c.Evaluate(answer.Budget{Work: work}, []byte(sent))
		if err != nil {
			t.Fatal(err)
		}
		limit.err = context.DeadlineExceeded
		work.Add(scorer.LookEvery)
		if _, err := a.Write(nil); err != scorer.ErrTimeout {
			t.Errorf("%s: %v after its time", sent, err)
		}
	}
}

// A search that was allowed no slot in time is an overload, as one without memory is: neither is to blame.
func TestOverload(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		code string
	}{
		{"no time", context.DeadlineExceeded, "timeout"},
		{"no slot", scorer.ErrNoSlot, "overloaded"},
	} {
		content, err := site(t).Find(address.Route{Kind: address.Search, Env: "shop"}, "")
		if err != nil {
			t.Fatal(err)
		}
		_, err = content.Evaluate(answer.Budget{Work: scorer.NewWorkLimit(&ending{c.err})}, []byte(`{}`))
		if p, cause := content.Problem(err); p.Code != c.code || p.Status != 503 || cause != nil {
			t.Errorf("%s: %+v, %v", c.name, p, cause)
		}
	}
}
