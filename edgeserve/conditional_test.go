package edgeserve

import "testing"

func TestMatchesTag(t *testing.T) {
	const tag = `"abc"`
	for _, c := range []struct {
		value string
		want  bool
	}{
		{`"abc"`, true}, {`W/"abc"`, true}, {`"x", "abc"`, true}, {`"x",W/"abc" , "y"`, true}, {`*`, true}, {` * `, true}, {`,, "abc"`, true}, {`"x,y", "abc"`, true},
		{``, false}, {`abc`, false}, {`"abc`, false}, {`"ABC"`, false}, {`"ab"`, false}, {`"abc`, false}, {`w/"abc"`, false}, {`"x" junk "abc"`, false}, {`"*"`, false}, {`W/`, false},
	} {
		if got := matchesTag([]byte(c.value), tag); got != c.want {
			t.Errorf("matchesTag(%q) = %v", c.value, got)
		}
	}
}
