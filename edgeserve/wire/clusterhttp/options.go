// This file checks addresses and credentials before anything is sent.

package clusterhttp

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"contentedge/edgeserve/wire/transfer"
)

// Options configures New. At most one kind of credentials may be given.
type Options struct {
	Nodes []string // URLs

	User, Password string // basic authentication
	APIKey         string // sent as Authorization: ApiKey
	// AWS signs requests for REGION/SERVICE, as eu-central-1/es; the service is es or aoss. The keys come
	// from the places of store.AWSCredentials.
	AWS string

	// CAFile has the certificates that may sign the certificates of nodes, in place of the public authorities.
	CAFile string
	// Insecure allows credentials over http:// to other machines, where others can read them.
	Insecure bool
	// Conns limits the connections to a node; DefaultConns if 0.
	Conns int
}

// DefaultConns is the default of Options.Conns: above the searches that a node runs at once.
const DefaultConns = 64

const (
	// maxNodes limits the nodes: a cluster needs a few that coordinate, not a list of all.
	maxNodes = 64
	// maxCredential limits a user, password or key, in bytes: nodes accept heads of 8 KiB.
	maxCredential = 4 << 10
	// maxCAFile limits a file of certificates: all public authorities take 250 KB.
	maxCAFile = 4 << 20
	// maxHead limits a response's header section, in bytes.
	maxHead = 64 << 10
	// idle is how long an unused connection stays open: less than the minute of usual load balancers.
	idle = 50 * time.Second
)

// ErrInsecure is the error of credentials that would be sent where others can read them.
var ErrInsecure = errors.New("http:// does not protect the credentials on their way: use https://")

// New prepares a client without contacting any node.
func New(o Options) (*Client, error) {
	c := &Client{conns: newConns()}
	if err := c.addNodes(o.Nodes); err != nil {
		return nil, err
	}
	if err := c.addCredentials(o); err != nil {
		return nil, err
	}
	config, err := tlsConfig(o.CAFile)
	if err != nil {
		return nil, err
	}
	if err := checkProxies(c.nodes); err != nil {
		return nil, err
	}
	limit := cmp.Or(o.Conns, DefaultConns)
	c.http = &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            c.conns.dial,
			TLSClientConfig:        config,
			TLSHandshakeTimeout:    connect,
			IdleConnTimeout:        idle,
			MaxConnsPerHost:        limit,
			MaxIdleConnsPerHost:    limit,
			MaxIdleConns:           limit * len(c.nodes),
			MaxResponseHeaderBytes: maxHead,
			DisableCompression:     true,
		},
	}
	return c, nil
}

func (c *Client) addNodes(texts []string) error {
	if len(texts) == 0 || len(texts) > maxNodes {
		return fmt.Errorf("%d nodes: from 1 to %d are possible", len(texts), maxNodes)
	}
	for _, text := range texts {
		u, err := parseNode(text)
		if err != nil {
			return err
		}
		name := net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), defaultPorts[u.Scheme])) + u.Path
		if slices.Contains(c.names, name) {
			return fmt.Errorf("the node %s is named twice", name)
		}
		c.nodes, c.names = append(c.nodes, u), append(c.names, name)
	}
	return nil
}

// parseNode reads the address of a node. Errors do not quote what may hold a password.
func parseNode(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("the address of a node is not a URL")
	}
	if u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(text, "@") {
		return nil, errors.New("the address of a node may only have a scheme, a host and a path: credentials have settings of their own")
	}
	switch {
	case defaultPorts[u.Scheme] == "":
		return nil, fmt.Errorf("the node %q: want http://HOST:PORT or https://HOST:PORT", text)
	case u.Hostname() == "":
		return nil, fmt.Errorf("the node %q has no host", text)
	case strings.HasSuffix(u.Host, ":"):
		return nil, fmt.Errorf("the node %q has an empty port: give the port, or omit the colon", text)
	}
	path := strings.TrimSuffix(u.Path, "/")
	if plain, err := canonicalPath(path); path != "" && (err != nil || plain != path || u.RawPath != "") {
		return nil, fmt.Errorf("the path of the node %q has other characters than letters, digits and -._~, or empty or dot segments", text)
	}
	host := strings.TrimSuffix(strings.ToLower(u.Host), ":"+defaultPorts[u.Scheme]) // signatures cover it as it is sent
	return &url.URL{Scheme: u.Scheme, Host: host, Path: path}, nil
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

func (c *Client) addCredentials(o Options) error {
	var kinds []string
	for _, kind := range []struct{ name, value string }{{"a user and a password", o.User + o.Password}, {"an API key", o.APIKey}, {"AWS signatures", o.AWS}} {
		if kind.value != "" {
			kinds = append(kinds, kind.name)
		}
	}
	switch {
	case len(kinds) > 1:
		return fmt.Errorf("%s are given: give one kind of credentials", strings.Join(kinds, " and "))
	case (o.User == "") != (o.Password == ""):
		return errors.New("a user needs a password, and the reverse")
	case strings.Contains(o.User, ":"):
		return errors.New("the user has a colon, which basic authentication cannot send")
	}
	for _, v := range []string{o.User, o.Password, o.APIKey} {
		if len(v) > maxCredential || strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r == 0x7f }) || strings.TrimSpace(v) != v {
			return fmt.Errorf("a credential has a line break, another control character, spaces around it, or more than %d bytes", maxCredential)
		}
	}
	var hidden []string
	switch {
	case o.User != "":
		field := base64.StdEncoding.EncodeToString([]byte(o.User + ":" + o.Password))
		c.auth, hidden = fixed("Basic "+field), []string{field, o.Password}
	case o.APIKey != "":
		c.auth, hidden = fixed("ApiKey "+o.APIKey), []string{o.APIKey}
	case o.AWS != "":
		region, service, _ := strings.Cut(o.AWS, "/")
		signer, err := newSigner(region, service)
		if err != nil {
			return err
		}
		c.auth = signer
	}
	c.secret = replacer(hidden)
	if c.auth != nil && !o.Insecure {
		for i, u := range c.nodes {
			if u.Scheme == "http" && !transfer.OnMachine(u.Hostname()) {
				return fmt.Errorf("the node %s: %w", c.names[i], ErrInsecure)
			}
		}
	}
	return nil
}

// replacer hides words in texts of nodes.
func replacer(words []string) *strings.Replacer {
	var pairs []string
	for _, w := range words {
		pairs = append(pairs, w, "(hidden)")
	}
	return strings.NewReplacer(pairs...)
}

func tlsConfig(file string) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if file == "" {
		return config, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	pem, err := io.ReadAll(io.LimitReader(f, maxCAFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(pem) > maxCAFile:
		return nil, fmt.Errorf("%s has more than %d bytes", file, maxCAFile)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no certificate: give a file with the certificates of authorities, in PEM", file)
	}
	return config, nil
}

// checkProxies refuses wrong proxies now. Later, the error of a request would quote the variable.
func checkProxies(nodes []*url.URL) error {
	for _, u := range nodes {
		if _, err := http.ProxyFromEnvironment(&http.Request{URL: u}); err != nil {
			return errors.New("HTTP_PROXY, HTTPS_PROXY or NO_PROXY: the address of the proxy is not a URL")
		}
	}
	return nil
}
