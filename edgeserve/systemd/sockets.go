// This file takes passed sockets: LISTEN_FDS descriptors from 3 on, with the names of LISTEN_FDNAMES.

package systemd

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	firstFD = 3 // after standard input, output and error

	// maxSockets bounds the descriptors that are looked at: a server has two listeners.
	maxSockets = 64

	listenPID, listenFDs, listenNames = "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"
)

// ErrForeignPID is the error for sockets that were passed to another process: LISTEN_PID is not
// this process. A shell between manager and server causes it, and so does an inherited environment.
var ErrForeignPID = errors.New(listenPID + " is another process: its sockets are not used (start the server directly, or with exec)")

// Sockets returns the listening sockets that were passed to this process, by name. Each must have one of the names, and
// no two the same name. An only socket may have any name or none: it then is names[0]. Without LISTEN_FDS there are
// none.
func Sockets(names ...string) (map[string]net.Listener, error) {
	env := map[string]string{}
	for _, v := range []string{listenPID, listenFDs, listenNames} {
		env[v] = os.Getenv(v)
		_ = os.Unsetenv(v) // it fails for malformed names only
	}
	return sockets(env, os.Getpid(), firstFD, names)
}

func sockets(env map[string]string, pid, first int, names []string) (map[string]net.Listener, error) {
	if env[listenFDs] == "" {
		return nil, nil
	}
	n, err := strconv.Atoi(env[listenFDs])
	if err != nil || n < 0 || n > maxSockets {
		return nil, fmt.Errorf("%s=%q is not a number of sockets from 0 to %d", listenFDs, env[listenFDs], maxSockets)
	}
	if n == 0 {
		return nil, nil
	}
	if owner, err := strconv.Atoi(env[listenPID]); err != nil {
		return nil, fmt.Errorf("%s=%d without a process id: %s=%q", listenFDs, n, listenPID, env[listenPID])
	} else if owner != pid {
		return nil, ErrForeignPID
	}
	given, err := namesOf(n, env[listenNames], names)
	found := map[string]net.Listener{}
	for i := range given {
		ln, e := listener(first+i, given[i])
		if err = errors.Join(err, e); ln != nil {
			found[given[i]] = ln
		}
	}
	if err != nil {
		for _, ln := range found {
			_ = ln.Close() // its error adds nothing to err
		}
		return nil, err
	}
	return found, nil
}

// namesOf returns the names of n sockets, each one of known.
func namesOf(n int, text string, known []string) ([]string, error) {
	given := strings.Split(text, ":")
	want := strings.Join(known, " or ")
	switch {
	case text == "" && n == 1, n == 1 && len(given) == 1 && !slices.Contains(known, given[0]):
		return known[:1], nil // systemd's default is the name of the socket unit
	case text == "":
		return nil, fmt.Errorf("%s=%d without %s: name each socket %s (FileDescriptorName= of the socket unit)", listenFDs, n, listenNames, want)
	case len(given) != n:
		return nil, fmt.Errorf("%s=%d, but %s=%q has %d names", listenFDs, n, listenNames, text, len(given))
	}
	for i, name := range given {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("%s=%q: a socket is named %q, not %s (FileDescriptorName= of the socket unit)", listenNames, text, name, want)
		}
		if slices.Contains(given[:i], name) {
			return nil, fmt.Errorf("%s=%q: two sockets are named %s; the server takes one (for IPv4 and IPv6 let it listen at [::])", listenNames, text, name)
		}
	}
	return given, nil
}

// listener takes over a descriptor, which must be a listening stream socket.
func listener(fd int, name string) (net.Listener, error) {
	fail := func(why string) (net.Listener, error) {
		return nil, fmt.Errorf("the passed socket %s, descriptor %d, %s", name, fd, why)
	}
	kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	switch {
	case errors.Is(err, unix.EBADF):
		return fail("is not open")
	case err != nil:
		return fail("is not a socket")
	case kind != unix.SOCK_STREAM:
		return fail("is not a stream socket (use ListenStream=)")
	}
	if accepts, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ACCEPTCONN); err != nil || accepts == 0 {
		return fail("does not listen (use Accept=no)")
	}
	unix.CloseOnExec(fd)
	file := os.NewFile(uintptr(fd), name)
	ln, err := net.FileListener(file) // a copy
	if err := errors.Join(err, file.Close()); err != nil {
		return fail(err.Error())
	}
	return ln, nil
}
