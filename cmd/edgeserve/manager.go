// This file takes what a service manager gives: sockets, and a socket for notices.

package main

import (
	"errors"

	"contentedge/edgeserve"
	"contentedge/edgeserve/systemd"
)

// The names of passed sockets: FileDescriptorName= of a socket unit.
const (
	httpSocket  = "http"
	adminSocket = "admin"
)

// meetManager takes the passed sockets, which replace --addr and --admin. A manager that cannot be
// notified does not keep the server from serving.
func meetManager(c *edgeserve.ServerConfig) error {
	passed, err := systemd.Sockets(httpSocket, adminSocket)
	switch {
	case errors.Is(err, systemd.ErrForeignPID):
		c.Logger.Warn("sockets were passed, but not to this process", "error", err)
	case err != nil:
		return err
	}
	if ln := passed[httpSocket]; ln != nil {
		c.Socket = ln
	}
	if ln := passed[adminSocket]; ln != nil {
		c.AdminSocket = ln
	}
	if c.Manager, err = systemd.NewNotifier(); err != nil {
		c.Logger.Warn("the service manager is not notified", "error", err)
	}
	return nil
}
