// This file makes kinds of findings of texts that other packages write.

package items

import (
	"sync"

	"contentedge/generator/source/documents"
	"contentedge/generator/source/record"
)

// maxKinds bounds the kinds that are kept: findings have few texts.
const maxKinds = 1000

// kindsByText are the kinds for texts, one for each text.
type kindsByText struct {
	mu    sync.Mutex
	kinds map[string]*documents.Kind
}

func (k *kindsByText) of(text string, create func() *documents.Kind) *documents.Kind {
	k.mu.Lock()
	defer k.mu.Unlock()
	kind := k.kinds[text]
	if kind == nil {
		if k.kinds == nil || len(k.kinds) >= maxKinds {
			k.kinds = map[string]*documents.Kind{}
		}
		kind = create()
		k.kinds[text] = kind
	}
	return kind
}

var warningKinds kindsByText

// warningKind is the kind of the warnings of a format that have one hint. The message of each is its value.
func warningKind(f record.Fault) *documents.Kind {
	return warningKinds.of(f.Hint, func() *documents.Kind {
		return &documents.Kind{One: "%v", Many: "%d values are not read as they may be meant", Hint: f.Hint}
	})
}
