// Package systemd speaks with the manager that starts a service: it takes listening sockets that the
// manager passed (socket activation), and notifies the manager of the service's state. Both
// protocols are environment variables and descriptors; other managers have them too. Each function
// removes its variables, so that child processes do not inherit them.
package systemd
