package bodies

import (
	"io"
	"net/netip"
	"strings"
	"testing"
	"testing/iotest"

	"contentedge/edgeserve/serve/clientnet"
)

// A body is received however it is cut, and no longer than the limit.
func TestReceive(t *testing.T) {
	const free = 20000
	m := NewBudget(free)
	for _, c := range []struct {
		sent, limit int
		want        error
	}{
		{0, 10000, nil}, {10000, 10000, nil}, {10001, 10000, ErrTooLong}, {1, 1, nil}, {7000, 7000, nil}, {30000, 40000, ErrNoMemory},
	} {
		sent := strings.Repeat("b", c.sent)
		for name, from := range map[string]io.Reader{"at once": strings.NewReader(sent), "byte by byte": iotest.OneByteReader(strings.NewReader(sent))} {
			body, taken, err := m.Receive(from, c.limit)
			if err != c.want || err == nil && string(body) != sent || taken < int64(len(body)) {
				t.Errorf("%d of %d %s: %d bytes, %d taken, %v", c.sent, c.limit, name, len(body), taken, err)
			}
			m.Resize(taken, 0)
		}
	}
	if _, taken, err := m.Receive(iotest.ErrReader(io.ErrUnexpectedEOF), 10); err != io.ErrUnexpectedEOF || !m.Resize(taken, 0) {
		t.Errorf("a reader that fails: %v", err)
	}
	if m.Left() != free {
		t.Errorf("%d bytes are free", m.Left())
	}
}

// A large file takes memory, also while nobody else has any left. A short one takes none. After an
// error none is taken.
func TestReadFile(t *testing.T) {
	const free = 3 * Large
	m, client := NewBudget(free), clientnet.Of(netip.MustParseAddr("192.0.2.1"))
	for _, c := range []struct {
		name         string
		length, size int
		err          error
		left         int64
	}{
		{"short", Large - 1, Large - 1, nil, free},
		{"large", Large, Large, nil, free - Large},
		{"large that ends early", Large - 1, Large, io.ErrUnexpectedEOF, free},
		{"too large", 4 * Large, 4 * Large, ErrNoMemory, free},
	} {
		body, err := m.ReadFile(int64(c.size), client, func(p []byte) error {
			_, err := io.ReadFull(strings.NewReader(strings.Repeat("b", c.length)), p)
			return err
		})
		if err != c.err || err == nil && len(body) != c.size || m.Left() != c.left {
			t.Errorf("%s: %d bytes, %v, %d are free", c.name, len(body), err, m.Left())
		}
		if c.left < free {
			m.ResizeFor(client, Large, 0)
		}
	}
}
