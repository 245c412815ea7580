// This file has the socket option of FreeBSD by which processes share an address.

package netlimit

import "golang.org/x/sys/unix"

// reusePort spreads connections; SO_REUSEPORT of FreeBSD would give all to one listener.
const reusePort = unix.SO_REUSEPORT_LB
