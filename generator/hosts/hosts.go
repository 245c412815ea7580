// Package hosts writes configurations of hosts for a release's files: web servers, functions of
// CDNs, static hosts. Each maps a request, as it was sent, to a file by the rules of
// addresstest.Map. A request without a file goes to an edge server, or is answered 404.
//
// A configuration takes its defaults and, for hosts that cannot compute a token, its table of
// filter values from the release's manifest. It stays correct for later releases with the same
// defaults: a value missing from the table has no file. The files may be of a later release, so
// hosts do not send httpfield.Release. A request with it goes to the edge server, except for the
// manifest.
package hosts

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// Deployment describes the site that a configuration is for.
type Deployment struct {
	Manifest *release.Manifest
	Edge     string  // http or https URL of the edge server, without a path; may be ""
	Root     string  // the directory that a web server serves: the release's or a public one
	Listen   string  // HOST:PORT or :PORT of a web server; "": :80
	Search   *Search // what answers searches; nil: nothing does
}

// File is a file of a configuration.
type File struct {
	Name string
	Body []byte
}

// Host is a web server or a service with its own form of configuration.
type Host struct {
	Name, Title string
	Server      bool // a web server, which has a Root and listens
	Search      bool // it can answer searches by itself
	NoEdge      bool // it never has an edge server
	write       func(s *site) ([]File, error)
}

var all = []Host{
	{Name: "caddy", Title: "Caddy", Server: true, write: caddy},
	{Name: "cloudflare-pages", Title: "Cloudflare Pages", write: cloudflarePages},
	{Name: "cloudflare-worker", Title: "a worker of Cloudflare", Search: true, write: worker},
	{Name: "cloudfront", Title: "functions of CloudFront", write: cloudfront},
	{Name: "netlify", Title: "Netlify", write: netlify},
	{Name: "nginx", Title: "nginx", Server: true, write: nginx},
	{Name: "static", Title: "a CDN that serves only files", Search: true, NoEdge: true, write: static},
}

// All lists the hosts.
func All() []Host { return slices.Clone(all) }

// Names lists the hosts.
func Names() []string {
	names := make([]string, len(all))
	for i, h := range all {
		names[i] = h.Name
	}
	return names
}

// Generate writes the configuration of a host. It fails only for an invalid Deployment.
func Generate(name string, c Deployment) ([]File, error) {
	i := slices.IndexFunc(all, func(h Host) bool { return h.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("unknown host %q: use one of %s", name, strings.Join(Names(), ", "))
	}
	s, err := newSite(c)
	if err != nil {
		return nil, err
	}
	return all[i].write(s)
}

// site is a valid Deployment, with the values for templates.
type site struct {
	manifest   *release.Manifest
	Edge       *url.URL // may be nil
	Root       string
	Addr, Port string // to listen at; Addr "" for all
	responses
	Cache    map[string]string // Cache-Control values
	search   *Search
	programs map[string]string // names of the programs of searches in a browser, by their names in script/search
}

type response struct {
	Status  int
	Headers []header
	Body    string
}

// responses are the edge server's own, or say that it is not there.
type responses struct{ NoFile, Down, Large, Route, Method response }

func ownResponses() responses {
	own := func(code string, more ...header) response {
		p := problem.Of(code)
		return response{p.Status, append(ownHeaders(release.ErrorClass(p.Status)), more...), string(envelope.AppendError(nil, *p))}
	}
	return responses{
		NoFile: own(problem.NoFile),
		Down:   own(problem.EdgeUnreachable, header{httpfield.RetryAfter, release.RetryAfter}),
		Large:  own(problem.BodyTooLarge),
		Route:  own(problem.UnknownRoute),
		Method: own(problem.MethodNotAllowed, header{httpfield.Allow, address.AllowRead}),
	}
}

func newSite(c Deployment) (*site, error) {
	s := &site{manifest: c.Manifest, Root: c.Root, search: c.Search, responses: ownResponses(), Cache: map[string]string{}}
	for name, class := range map[string]release.Class{"item": release.ClassItem, "list": release.ClassList,
		"media": release.ClassMedia, "manifest": release.ClassManifest, "notFound": release.ClassNotFound, "error": release.ClassError} {
		s.Cache[name] = release.CacheControl(class)
	}
	var err error
	if s.Edge, err = parseEdge(c.Edge); err != nil {
		return nil, fmt.Errorf("edge server %q: %w", c.Edge, err)
	}
	if s.Addr, s.Port, err = parseListen(cmp.Or(c.Listen, defaultListen)); err != nil {
		return nil, fmt.Errorf("address to listen at %q: %w", c.Listen, err)
	}
	if s.listensAtEdge() {
		return nil, fmt.Errorf("address to listen at %q: the edge server has that port of this machine; name another with --listen", cmp.Or(c.Listen, defaultListen))
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

// defaultListen is a web server's port, which differs from the edge server's ports.
const defaultListen = ":80"

func parseListen(text string) (addr, port string, err error) {
	addr, port, err = net.SplitHostPort(text)
	if err != nil || addr != "" && !plainHost(addr) || port == "" || len(port) > 5 || strings.Trim(port, "0123456789") != "" {
		return "", "", errors.New("it must be HOST:PORT or :PORT")
	}
	return addr, port, nil
}

func plainHost(s string) bool {
	if net.ParseIP(s) != nil {
		return true
	}
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-") == ""
}

// listensAtEdge reports whether the web server would listen where the edge server does: at the same
// port, and the edge's host is this machine or the host to listen at.
func (s *site) listensAtEdge() bool {
	if s.Edge == nil || s.EdgePort() != s.Port {
		return false
	}
	host := s.Edge.Hostname()
	ip := net.ParseIP(host)
	return host == s.Addr || strings.EqualFold(host, "localhost") || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// EdgePort is the port of the edge server.
func (s *site) EdgePort() string {
	return cmp.Or(s.Edge.Port(), map[string]string{"http": "80", "https": "443"}[s.Edge.Scheme])
}

type header struct{ Name, Value string }

// headersOf are the header fields, in a host's form.
func headersOf(fields []httpfield.Field) (all []header) {
	for _, f := range fields {
		all = append(all, header{f.Name(), f.Value()})
	}
	return all
}

// fixedHeaders are the same for all files.
func fixedHeaders() []header { return headersWith(release.Vary) }

// headersWith are the header fields of all responses with a value of Vary, but Cache-Control.
func headersWith(vary string) []header {
	policy := release.Standard()
	fields := append(policy.Fields(release.ClassError, vary), release.OriginFields(release.AnyOrigin)...)
	return slices.DeleteFunc(headersOf(fields), func(h header) bool { return h.Name == httpfield.CacheControl })
}

// ownHeaders are the header fields of a host's own response.
func ownHeaders(c release.Class) []header {
	return append(fixedHeaders(), header{httpfield.CacheControl, release.CacheControl(c)})
}

// preflight is the response to OPTIONS without an edge server. named is a host's variable
// for the requested headers, "" for none.
func preflight(named string) response {
	all := append(headersWith(release.PreflightVary(release.Vary)), header{httpfield.CacheControl, release.CacheControl(release.ClassError)},
		header{httpfield.Allow, address.AllowRead})
	return response{204, append(all, headersOf(release.PreflightFields(address.AllowRead, release.AllowHeaders+named))...), ""}
}

// Title names the release and the edge server of a configuration.
func (s *site) Title() string {
	edge := "none: requests without a file get 404"
	if s.Edge != nil {
		edge = s.Edge.String()
	}
	return "contentedge: the files of release " + s.manifest.Build + "; edge server: " + edge
}
