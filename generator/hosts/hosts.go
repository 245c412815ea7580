// Package hosts writes configurations of hosts for a release's files: web servers, functions
// of CDNs, static hosts. Each maps a request, as it was sent, to a file by the rules of
// addresstest.Map. A request without a file goes to an edge server, or is answered 404.
//
// A configuration takes its defaults and, for hosts that cannot compute a token, its table
// of filter values from the release's manifest. It stays correct for later releases with the
// same defaults: a value missing from the table has no file.
//
// The files may be of a later release, so hosts do not send release.Header. A request with
// that header goes to the edge server, except for the manifest.
package hosts

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"contentedge/edgeserve/envelope"
	"contentedge/edgeserve/release"
)

// Config is what a configuration is written for.
type Config struct {
	Manifest *release.Manifest
	Edge     string // http or https URL of the edge server, without a path; "": none
	Root     string // the directory that a web server serves: the release's or a public one
	Listen   string // HOST:PORT or :PORT of a web server; "": :8080
}

// File is a file of a configuration.
type File struct {
	Name string
	Body []byte
}

// host is a host that configurations are written for.
type host struct {
	name  string
	write func(s *site) ([]File, error)
}

var all = []host{
	{"caddy", caddy},
	{"cloudflare-pages", cloudflarePages},
	{"cloudflare-worker", worker},
	{"cloudfront", cloudfront},
	{"netlify", netlify},
	{"nginx", nginx},
}

// Names lists the hosts.
func Names() []string {
	names := make([]string, len(all))
	for i, h := range all {
		names[i] = h.name
	}
	return names
}

// Generate writes the configuration of a host. Its error is an invalid Config.
func Generate(name string, c Config) ([]File, error) {
	i := slices.IndexFunc(all, func(h host) bool { return h.name == name })
	if i < 0 {
		return nil, fmt.Errorf("unknown host %q: use one of %s", name, strings.Join(Names(), ", "))
	}
	s, err := newSite(c)
	if err != nil {
		return nil, err
	}
	return all[i].write(s)
}

// site is a valid Config.
type site struct {
	manifest     *release.Manifest
	edge         *url.URL // nil: none
	root         string
	addr, port   string // to listen at; addr "" for all
	noFile, down string // bodies of answers
	route, verb  string
	large        string
}

// The answers of hosts: what the edge server would say, or that it is not there.
var (
	errNoFile = envelope.Error{Status: 404, Code: "no_file", Position: -1,
		Message: "this host has files only, and none for this request; manifest.json names the lists that have files"}
	errDown   = envelope.Error{Status: 503, Code: "edge_unreachable", Message: "the server that answers this request is out of reach; try again", Position: -1}
	errLarge  = envelope.Error{Status: 413, Code: "body_too_large", Message: "the body is larger than this server reads; send a shorter query", Position: -1}
	errRoute  = envelope.Error{Status: 404, Code: "unknown_route", Message: "no such address; paths are case-sensitive and end without a slash", Position: -1}
	errMethod = envelope.Error{Status: 405, Code: "method_not_allowed", Message: "this address does not take that method; see Allow", Position: -1}
)

func newSite(c Config) (*site, error) {
	body := func(e envelope.Error) string { return string(envelope.AppendError(nil, e)) }
	s := &site{manifest: c.Manifest, root: c.Root, noFile: body(errNoFile), down: body(errDown), route: body(errRoute), verb: body(errMethod), large: body(errLarge)}
	var err error
	if s.edge, err = parseEdge(c.Edge); err != nil {
		return nil, fmt.Errorf("edge server %q: %w", c.Edge, err)
	}
	if s.addr, s.port, err = parseListen(cmp.Or(c.Listen, ":8080")); err != nil {
		return nil, fmt.Errorf("address to listen at %q: %w", c.Listen, err)
	}
	if i := strings.IndexFunc(c.Root, notPath); i >= 0 {
		return nil, fmt.Errorf("root directory %q: a configuration cannot name it for its character %q", c.Root, []rune(c.Root[i:])[0])
	}
	return s, nil
}

// notPath finds the characters that end or change a quoted word of some configuration.
func notPath(r rune) bool {
	return r < ' ' || r == 0x7f || r == '\uFFFD' || strings.ContainsRune("\"'`$\\{}*?[]#;", r)
}

// parseEdge reads the URL of the edge server.
func parseEdge(text string) (*url.URL, error) {
	if text == "" {
		return nil, nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("it is no URL: it must be like https://edge.example.org or http://127.0.0.1:8080")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("it must begin with http:// or https://")
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" || u.User != nil || u.Opaque != "":
		return nil, errors.New("it must be a scheme, a host and a port if need be, nothing else")
	case !plainHost(u.Hostname()) || strings.Trim(u.Port(), "0123456789") != "":
		return nil, errors.New("its host must be a name of letters, digits, dots and hyphens, or an IP address")
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil
}

func parseListen(text string) (addr, port string, err error) {
	addr, port, err = net.SplitHostPort(text)
	if err != nil || addr != "" && !plainHost(addr) || port == "" || len(port) > 5 || strings.Trim(port, "0123456789") != "" {
		return "", "", errors.New("it must be HOST:PORT or :PORT")
	}
	return addr, port, nil
}

// plainHost reports whether s is a host's name or an IP address.
func plainHost(s string) bool {
	if net.ParseIP(s) != nil {
		return true
	}
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-") == ""
}

func (s *site) edgePort() string {
	if p := s.edge.Port(); p != "" {
		return p
	}
	if s.edge.Scheme == "https" {
		return "443"
	}
	return "80"
}

// header is a header that files carry.
type header struct{ name, value string }

// fixedHeaders are the same for all files.
func fixedHeaders() (all []header) {
	for _, field := range release.CommonFields() {
		all = append(all, header{field[0], field[1]})
	}
	return all
}

// answerHeaders are those of a host's own answer.
func answerHeaders(c release.Class) []header {
	return append(fixedHeaders(), header{"Cache-Control", release.CacheControl(c)})
}

// jsonHeaders are answerHeaders with the body's type, for hosts without a default type.
func jsonHeaders(c release.Class) []header {
	return append(answerHeaders(c), header{"Content-Type", release.ContentType})
}

// retryAfter comes with temporary errors.
var retryAfter = header{"Retry-After", release.RetryAfter}

// preflightHeaders answer OPTIONS without an edge server. named is a host's variable for the
// requested headers, "" for none.
func preflightHeaders(named string) []header {
	all := answerHeaders(release.ClassError)
	for i := range all {
		if all[i].name == "Vary" {
			all[i].value = release.PreflightVary
		}
	}
	return append(all, header{"Allow", release.AllowRead}, header{"Access-Control-Allow-Methods", release.AllowRead},
		header{allowHeaders, release.AllowHeaders + named}, header{"Access-Control-Max-Age", release.PreflightAge})
}

// allowHeaders lists the headers that a page may send.
const allowHeaders = "Access-Control-Allow-Headers"

// title names the release and the edge server of a configuration.
func (s *site) title() string {
	edge := "none: what has no file is answered 404"
	if s.edge != nil {
		edge = s.edge.String()
	}
	return "contentedge: the files of release " + s.manifest.Build + "; edge server: " + edge
}
