// This file is the health command: a container's health check without a shell or another program.

package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"contentedge/cmd/cli"
	"contentedge/edgeserve"
	"contentedge/edgeserve/listenaddr"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
)

const (
	// healthTimeout is below the 30 s that container engines give a check.
	healthTimeout = 3 * time.Second

	maxProbe = 4 << 10 // bytes of a probe's response that are printed
)

// health are the settings of the health command.
type health struct {
	addr, admin, cert string
	live              bool
	timeout           time.Duration
}

func healthCommand(out io.Writer) *cli.Command {
	h := &health{addr: edgeserve.Defaults().Addr, timeout: healthTimeout}
	c := &cli.Command{
		Name: "health", Args: "[URL]", Summary: "ask whether a server is ready",
		Long: "Asks a server's probe " + address.Ready.Path() + " and prints its response. It is for health checks of containers, which have no shell.\n\n" +
			"URL is the address of a server or of a probe. Without it, the settings of the server count: --admin, else --addr.",
		Examples: []cli.Example{
			{Line: "edgeserve health", Text: "the server with the same variables on this machine"},
			{Line: "edgeserve health http://127.0.0.1:9090"},
		},
		Exits: []cli.Exit{
			{Status: "0", Text: "the server is ready"},
			{Status: "1", Text: "it is not, or cannot be reached"},
			{Status: "3", Text: "wrong settings"},
		},
	}
	g := c.Group("Server")
	g.String(&h.addr, "addr", "HOST:PORT", "where the server listens")
	g.String(&h.admin, "admin", "HOST:PORT", "where it serves probes")
	g.String(&h.cert, "tls-cert", "FILE", "its certificate: --addr is asked by HTTPS, and for any certificate")
	g = c.Group("Probe")
	g.Bool(&h.live, "live", "ask "+address.Live.Path()+": whether the process lives").CommandLineOnly()
	g.Duration(&h.timeout, "within", "time for the response").CommandLineOnly()
	c.Check = func() error {
		if h.timeout <= 0 {
			return fmt.Errorf("--within %s: must be above 0", h.timeout)
		}
		return nil
	}
	c.Run = func(ctx context.Context, args []string) error {
		probe, err := h.url(args)
		if err != nil {
			return err
		}
		transport := &http.Transport{DisableKeepAlives: true}
		if len(args) == 0 {
			// A certificate names hosts of clients, not the address of this machine that is asked.
			transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
		}
		return h.ask(ctx, transport, probe, out)
	}
	return c
}

// url returns the address of the probe.
func (h *health) url(args []string) (string, error) {
	path := address.Ready.Path()
	if h.live {
		path = address.Live.Path()
	}
	if len(args) > 0 {
		u, err := url.Parse(args[0])
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return "", &cli.UsageError{Message: fmt.Sprintf("%q is not an address of a server", args[0]), Hint: "for example http://127.0.0.1:8080"}
		}
		if u.Path == "" || u.Path == "/" {
			u.Path = path
		}
		return u.String(), nil
	}
	scheme, listen := "http", h.addr
	switch {
	case h.admin != "":
		listen = h.admin
	case h.cert != "":
		scheme = "https"
	}
	if err := listenaddr.Check(listen); err != nil { // as the server checks it
		return "", &cli.UsageError{Message: err.Error(), Hint: "for example 127.0.0.1:8080"}
	}
	host, service, _ := net.SplitHostPort(listen)
	port, err := net.LookupPort("tcp", service) // a URL has no names of services
	if err != nil {
		return "", err
	}
	// Not localhost: an image may have no file that says what it is.
	if ip := net.ParseIP(host); host == "" || ip.Equal(net.IPv4zero) {
		host = "127.0.0.1"
	} else if ip.Equal(net.IPv6unspecified) {
		host = "::1"
	}
	probe := url.URL{Scheme: scheme, Host: net.JoinHostPort(host, strconv.Itoa(port)), Path: path} // it escapes the zone of an address
	return probe.String(), nil
}

// ask requests the probe, without a proxy: it is about this address.
func (h *health) ask(ctx context.Context, transport *http.Transport, probe string, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, h.timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, probe, nil)
	if err != nil {
		return err
	}
	r.Header.Set(httpfield.UserAgent, httpfield.OurAgent)
	response, err := transport.RoundTrip(r)
	if err != nil {
		return fmt.Errorf("%s: %w", probe, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxProbe))
	if err != nil {
		return fmt.Errorf("%s: %w", probe, err)
	}
	text := strings.TrimSpace(string(body))
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %q", probe, response.Status, text)
	}
	_, err = fmt.Fprintln(out, text)
	return err
}
