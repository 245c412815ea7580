package exitcode

import (
	"errors"
	"fmt"
	"testing"
)

func TestOf(t *testing.T) {
	usage, refusal := NewUsage("two of --a"), NewRefusal("an item without id", "the content is wrong")
	for _, tt := range []struct {
		err     error
		code    int
		refused string
	}{
		{nil, OK, ""},
		{errors.New("the disk is full"), Machine, ""},
		{usage, Usage, ""},
		{fmt.Errorf("build: %w", usage), Usage, ""},
		{refusal, Content, "the content is wrong"},
		{fmt.Errorf("build: %w", errors.Join(errors.New("the disk is full"), refusal)), Content, "the content is wrong"},
		{fmt.Errorf("%w: %w", refusal, usage), Usage, "the content is wrong"},
	} {
		if code, refused := Of(tt.err), Refused(tt.err); code != tt.code || refused != tt.refused {
			t.Errorf("%v: %d %q, want %d %q", tt.err, code, refused, tt.code, tt.refused)
		}
	}
}
