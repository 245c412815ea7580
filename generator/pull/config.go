// This file checks a Config before anything is opened or requested.

package pull

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/transfer"
)

const runHelp = "run generator pull --help"

// settings are a Config with its defaults.
type settings struct {
	Config
	base *url.URL // without a slash at the end
	dir  string   // of the mirror

	addresses *regexp.Regexp // of media files of Env, in items
}

func (c Config) settings() (*settings, error) {
	s := &settings{Config: c}
	s.As = cmp.Or(c.As, c.Env)
	s.PageSize = cmp.Or(c.PageSize, DefaultPageSize)
	s.Rate = cmp.Or(c.Rate, DefaultRate)
	s.MaxWait = cmp.Or(c.MaxWait, DefaultMaxWait)
	s.FullEvery = cmp.Or(c.FullEvery, DefaultFullEvery)
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.Progress == nil {
		s.Progress = func(Progress) {}
	}
	for _, check := range []func() error{s.checkURL, s.checkNames, s.checkNumbers, s.checkKey} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	s.Statuses = slices.Compact(slices.Sorted(slices.Values(s.Statuses)))
	s.addresses = mediaAddress(s.Env)
	s.dir = filepath.Join(s.Content, s.As)
	return s, nil
}

// checkURL never quotes the address: it may have a password.
func (s *settings) checkURL() error {
	const of = "URL"
	u, err := url.Parse(s.URL)
	switch {
	case s.URL == "":
		return &UsageError{of, "no origin given", runHelp}
	case err != nil && !strings.Contains(s.URL, "://"):
		return &UsageError{of, "this is no URL", "begin it with https://, or with http:// for an origin on this machine"}
	case err != nil:
		return &UsageError{of, "this is no URL", "write it like https://origin.example"}
	case u.User != nil:
		return &UsageError{of, "a user or a password does not belong into the address", "put the key into the variable " + KeyVariable}
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return &UsageError{of, "this is not the address of an HTTP server", "write it like https://origin.example"}
	}
	if at := strings.Index(u.Path+"/", address.Root); at >= 0 {
		base := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path[:at]}
		return &UsageError{of, "this is the address of a part of an origin", "give " + base.String() + " and name the environment with --env" + environmentOf(u.Path[at:])}
	}
	if u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return &UsageError{of, "a query or a fragment does not belong into the address", "give the part before " + address.Root}
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = ""
	s.base, s.URL = u, u.String()
	return nil
}

// environmentOf returns a space and the environment that a path of the interface names, or "".
func environmentOf(path string) string {
	segments := strings.Split(strings.TrimPrefix(path, address.Root), "/")
	if len(segments) < 3 || !address.ValidEnv(segments[2]) {
		return ""
	}
	return " " + segments[2]
}

func (s *settings) checkNames() error {
	const form = `an id is 1 to 64 letters, digits, "_" or "-" and begins with a letter or digit`
	switch {
	case s.Env == "":
		return &UsageError{"--env", "no environment given", "name the environment of the origin"}
	case !address.ValidEnv(s.Env):
		return &UsageError{"--env", fmt.Sprintf("%q cannot be the id of an environment", s.Env), form}
	case !address.ValidEnv(s.As):
		return &UsageError{"--as", fmt.Sprintf("%q cannot be the id of an environment", s.As), form}
	case s.Content == "":
		return &UsageError{"--content", "no directory given", "omit it for the default"}
	case slices.Contains(s.Statuses, ""):
		return &UsageError{"--status", "a status cannot be empty", "omit it for all items"}
	}
	return nil
}

func (s *settings) checkNumbers() error {
	switch p := s.Removal.Max; {
	case s.PageSize < 1 || s.PageSize > address.MaxSize:
		return &UsageError{"--page-size", fmt.Sprintf("a page cannot have %d items", s.PageSize), fmt.Sprintf("it is from 1 to %d", address.MaxSize)}
	case !(s.Rate > 0 && s.Rate <= maxRate):
		return &UsageError{"--rate", fmt.Sprintf("the rate cannot be %g requests a second", s.Rate), fmt.Sprintf("it is above 0 and at most %d", maxRate)}
	case s.MaxWait < 0:
		return &UsageError{"--max-wait", "a wait cannot be negative", "omit it for the default"}
	case s.FullEvery < 0:
		return &UsageError{"--full-every", "a time cannot be negative", "omit it for the default"}
	case p != nil && (*p < 0 || *p > 100):
		return &UsageError{"--max-removed", fmt.Sprintf("%d is not a percentage", *p), "it is from 0 to 100"}
	}
	return nil
}

// checkKey refuses to send a key where others may read it, and a field that would change the request.
func (s *settings) checkKey() error {
	if s.KeyHeader != "" && (!httpfield.IsToken([]byte(s.KeyHeader)) || slices.ContainsFunc(ownFields, func(own string) bool { return strings.EqualFold(own, s.KeyHeader) })) {
		return &UsageError{"--key-header", fmt.Sprintf("%q cannot be the name of the field with a key", s.KeyHeader), "name the field that the origin wants, for example X-Api-Key"}
	}
	if s.Key == "" {
		if s.KeyHeader != "" {
			return &UsageError{"--key-header", "the key to send is missing", "put it into the variable " + KeyVariable}
		}
		return nil
	}
	if strings.ContainsFunc(s.Key, func(r rune) bool { return r < ' ' || r == 0x7f }) || strings.TrimSpace(s.Key) != s.Key {
		return &UsageError{KeyVariable, "the key has a line break, another control character, or spaces around it", "set the variable to the key only"}
	}
	if s.base.Scheme == "http" && !transfer.OnMachine(s.base.Hostname()) {
		return &UsageError{KeyVariable, "http:// does not protect the key on its way", "use https://, or unset the variable"}
	}
	return nil
}

// ownFields are the fields that requests have anyway, or that frame them.
var ownFields = []string{
	httpfield.Host, httpfield.Accept, httpfield.AcceptEncoding, httpfield.CacheControl, httpfield.Connection, httpfield.ContentLength,
	httpfield.ContentType, httpfield.Expect, httpfield.Release, httpfield.TransferEncoding, httpfield.UserAgent,
}
