// This file sends states to the manager: datagrams to NOTIFY_SOCKET, as sd_notify(3) describes.

package systemd

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	notifySocket, watchdogPID, watchdogUsec = "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"

	// notifyTimeout is for a manager that does not read: a notice must never hold up the server.
	notifyTimeout = time.Second
)

// Notifier notifies the manager. Its methods may be called on nil, which notifies nothing.
type Notifier struct {
	conn *net.UnixConn
	// Watchdog is how often Alive must be called; 0 means never.
	Watchdog time.Duration
}

// NewNotifier connects to the socket of NOTIFY_SOCKET; nil without one.
func NewNotifier() (*Notifier, error) {
	path := os.Getenv(notifySocket)
	every := watchdog(os.Getenv(watchdogPID), os.Getenv(watchdogUsec), os.Getpid())
	for _, v := range []string{notifySocket, watchdogPID, watchdogUsec} {
		_ = os.Unsetenv(v) // it fails for malformed names only
	}
	switch {
	case path == "":
		return nil, nil
	case !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "@"):
		return nil, fmt.Errorf("%s=%q is neither a path nor an abstract name (@NAME)", notifySocket, path)
	}
	// Package net takes a leading @ for the abstract namespace.
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", notifySocket, err)
	}
	return &Notifier{conn: conn, Watchdog: every}, nil
}

// watchdog is half the time after which the manager kills this process; 0 means that it never does.
func watchdog(owner, usec string, pid int) time.Duration {
	if owner != "" && owner != strconv.Itoa(pid) {
		return 0
	}
	n, err := strconv.ParseInt(usec, 10, 64)
	if err != nil || n <= 0 || n > int64(time.Duration(1<<63-1)/time.Microsecond) {
		return 0
	}
	return time.Duration(n) * time.Microsecond / 2
}

// Ready says that the service has started, or has reloaded.
func (n *Notifier) Ready(status string) error { return n.send("READY=1\nSTATUS=" + oneLine(status)) }

// Status sets the text that the manager shows.
func (n *Notifier) Status(text string) error { return n.send("STATUS=" + oneLine(text)) }

// Reloading says that a reload has begun. Ready ends it.
func (n *Notifier) Reloading() error {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return os.NewSyscallError("clock_gettime", err)
	}
	return n.send("RELOADING=1\nMONOTONIC_USEC=" + strconv.FormatInt(now.Nano()/1000, 10))
}

// Stopping says that the service ends.
func (n *Notifier) Stopping(status string) error {
	return n.send("STOPPING=1\nSTATUS=" + oneLine(status))
}

// Alive resets the manager's watchdog.
func (n *Notifier) Alive() error { return n.send("WATCHDOG=1") }

func (n *Notifier) send(state string) error {
	if n == nil {
		return nil
	}
	if err := n.conn.SetWriteDeadline(time.Now().Add(notifyTimeout)); err != nil {
		return err
	}
	_, err := n.conn.Write([]byte(state))
	return err
}

// oneLine keeps a text from adding assignments of its own.
func oneLine(text string) string { return strings.ReplaceAll(text, "\n", " ") }

// Close ends the connection.
func (n *Notifier) Close() error {
	if n == nil {
		return nil
	}
	return n.conn.Close()
}
