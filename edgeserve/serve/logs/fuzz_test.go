package logs

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
)

// FuzzPrintable: the output is printable ASCII on one line, and uncut output decodes to
// the input, so two requests never look equal.
func FuzzPrintable(f *testing.F) {
	for _, s := range []string{"", "/a?b=c", "\r\n", "\x1b[2J", `\x0a`, "\\", "\u202e", "\xff", strings.Repeat("\n", 2000)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out := Printable(in)
		for i := range len(out) {
			if out[i] < 0x20 || out[i] > 0x7e {
				t.Fatalf("%q has byte %#x", out, out[i])
			}
		}
		if len(out) > 4*maxPrinted+3 {
			t.Fatalf("%d bytes of %d", len(out), len(in))
		}
		if len(in) > maxPrinted {
			return
		}
		if back, err := strconv.Unquote(`"` + strings.ReplaceAll(out, `"`, `\"`) + `"`); err != nil || !bytes.Equal([]byte(back), in) {
			t.Fatalf("%q became %q, which reads as %q, %v", in, out, back, err)
		}
	})
}
