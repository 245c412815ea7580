// This file reads bodies into memory, and takes this memory from a budget.

package bodies

import (
	"errors"
	"io"

	"contentedge/edgeserve/serve/clientnet"
)

// Errors of a body that is not read.
var (
	ErrNoMemory = errors.New("no memory is left for the body")
	ErrTooLong  = errors.New("the body is too long")
)

// ReadFile returns size bytes of a file, which read fills in. For a large file, it first takes the memory for a client.
// The caller gives the memory back. After an error nothing is taken.
func (m *Budget) ReadFile(size int64, client clientnet.Client, read func(body []byte) error) ([]byte, error) {
	large := size >= Large
	if large && !m.ResizeFor(client, 0, size) {
		return nil, ErrNoMemory
	}
	body := make([]byte, size)
	if err := read(body); err != nil {
		if large {
			m.ResizeFor(client, size, 0)
		}
		return nil, err
	}
	return body, nil
}

const firstRead = 4 << 10 // the first buffer of a received body, in bytes

// Receive reads a body of at most limit bytes to its end, into memory that grows as it arrives. The
// caller gives back the taken bytes, also after an error.
func (m *Budget) Receive(from io.Reader, limit int) (body []byte, taken int64, err error) {
	for {
		if len(body) == cap(body) {
			size := min(max(2*cap(body), firstRead), limit+1) // one byte more, to notice a longer body
			if !m.Resize(taken, int64(size)) {
				return nil, taken, ErrNoMemory
			}
			taken = int64(size)
			body = append(make([]byte, 0, size), body...)
		}
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case len(body) > limit:
			return nil, taken, ErrTooLong
		case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return body, taken, nil
		case err != nil:
			return nil, taken, err
		}
	}
}
