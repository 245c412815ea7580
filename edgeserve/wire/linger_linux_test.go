package wire

import (
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// refused has the engine refuse a request of which it reads no more than the start, and end
// the connection.
func refused(s still) (*conn, *net.TCPConn) {
	s.t.Helper()
	c, client := s.connect()
	s.send(c, client, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n")
	engine := s.borrowed()
	if _, err := engine.Read(make([]byte, 3)); err != nil {
		s.t.Fatal(err)
	}
	if _, err := io.WriteString(engine, "no"); err != nil {
		s.t.Fatal(err)
	}
	if err := engine.Close(); err != nil {
		s.t.Fatal(err)
	}
	return c, client
}

// A client that sends a long body before it reads gets the refusal, not a reset.
func TestRefusalArrives(t *testing.T) {
	s := newStill(t, config())
	c, client := refused(s)
	sent := make(chan error, 1)
	go func() {
		_, err := client.Write(make([]byte, 1<<20))
		sent <- err
	}()
	for done := false; !done; s.look() {
		select {
		case err := <-sent:
			if done = true; err != nil {
				t.Fatal(err)
			}
		default:
		}
	}
	if b, err := io.ReadAll(client); string(b) != "no" || err != nil {
		t.Errorf("the client gets %q, %v", b, err)
	}
	client.Close()
	s.until("it is closed", func() bool { return c.place == closed })
	if n := s.lingering.Load(); n != 0 || s.open.Load() != 1 {
		t.Errorf("%d linger, %d are open", n, s.open.Load())
	}
}

// Neither who sends nor who does nothing keeps a connection.
func TestLingeringEnds(t *testing.T) {
	s := newStill(t, config())
	c, _ := refused(s)
	near(t, "lingering", c.readBy, time.Now().Add(-time.Second), lingerTime)
	s.sweep(time.Now().Add(lingerTime - time.Second))
	if c.place != lingering {
		t.Errorf("it ends before its time: place %d", c.place)
	}
	s.sweep(time.Now().Add(lingerTime + time.Second))
	if c.place != closed {
		t.Errorf("it outlasts its time: place %d", c.place)
	}

	c, client := refused(s)
	go func() {
		_, _ = io.Copy(client, io.LimitReader(zeros{}, 4*lingerBytes))
	}()
	s.until("it is closed", func() bool { return c.place == closed })
	if c.spare < -len(s.b.in) {
		t.Errorf("%d bytes more were discarded than may be", -c.spare)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// No more than so many linger at once.
func TestFewLinger(t *testing.T) {
	s := newStill(t, config())
	s.lingering.Store(maxLingering)
	c, _ := refused(s)
	if c.place != closed || s.lingering.Load() != maxLingering {
		t.Errorf("place %d, %d linger", c.place, s.lingering.Load())
	}
}

// What is no HTTP, or takes too long, is told so however much of it comes.
func TestOwnRefusalsArrive(t *testing.T) {
	for first, why := range map[string]error{"\x16\x03\x01": errAlien, "GET / HT": os.ErrDeadlineExceeded} {
		t.Run(why.Error(), func(t *testing.T) {
			s := newStill(t, config())
			c, client := s.connect()
			s.send(c, client, first)
			if why != errAlien {
				s.sweep(time.Now().Add(2 * hour))
			}
			if _, err := io.WriteString(client, strings.Repeat("x", 100_000)); err != nil {
				t.Fatal(err)
			}
			heard := ""
			end := make(chan error, 1)
			go func() {
				b, err := io.ReadAll(client)
				heard = string(b)
				end <- err
			}()
			for done := false; !done; s.look() {
				select {
				case err := <-end:
					if done = true; err != nil || heard != why.Error() {
						t.Errorf("the client gets %q, %v", heard, err)
					}
				default:
				}
			}
			client.Close()
			s.until("it is closed", func() bool { return c.place == closed })
		})
	}
}
