// Package store reads and writes the objects of a store of releases: a bucket of an S3
// service, or, reading only, anything that serves files over HTTP.
//
//	s3://BUCKET/PREFIX    any S3 service
//	https://HOST/PREFIX   files; http:// on this machine, or elsewhere if that is allowed
//
// An S3 service is found as its usual clients find it. AWS_ENDPOINT_URL_S3 or
// AWS_ENDPOINT_URL name its address, AWS_REGION or AWS_DEFAULT_REGION its region
// (us-east-1 if neither does). Credentials come from the environment, the shared
// credentials file or the machine's role, in this order; without any, requests are not
// signed. They are in no error and no log.
//
// What a store sends is data of a stranger: answers are bounded in size, a transfer
// that stands still is cut, and no word of an error's text is repeated. A redirect of
// an S3 service is an error; one of a file server is followed, carries nothing, and
// never leaves the host or HTTPS.
//
// Nothing is tried again here: who calls knows what is worth it, and Temporary tells
// what may be.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// DefaultStall is how long a transfer may stand still.
const DefaultStall = 30 * time.Second

// MaxObject is the largest object that Put takes: the limit of S3's single put.
const MaxObject = 5 << 30

// Store is an open store. Keys are slash paths below the store's prefix.
type Store struct {
	name   string // as the caller named it
	base   *url.URL
	prefix string // of keys: "" or with a slash at its end
	client *http.Client
	sign   *signer // nil: a file server
	bucket string  // for copies, which name their source in full
	stall  time.Duration
}

// Options are what may differ from the usual.
type Options struct {
	Stall    time.Duration // DefaultStall if 0
	Insecure bool          // http:// to other machines, where anybody on the way can change what is read
}

// Open prepares a store; it sends nothing.
func Open(name string, o Options) (*Store, error) {
	u, err := url.Parse(name)
	if err != nil {
		return nil, errors.New("the store's address is no URL") // which url's error would quote, a password included
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the store's address must be a scheme, a host and a path: credentials come from the environment")
	}
	if o.Stall == 0 {
		o.Stall = DefaultStall
	}
	s := &Store{name: strings.TrimSuffix(name, "/"), stall: o.Stall}
	switch u.Scheme {
	case "s3":
		err = s.openBucket(u)
	case "http", "https":
		err = s.openFiles(u, o.Insecure)
	default:
		err = errors.New("want s3://BUCKET/PREFIX or https://HOST/PREFIX")
	}
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", name, err)
	}
	return s, nil
}

// String is the store's address.
func (s *Store) String() string { return s.name }

// Insecure tells whether the store is one that Open takes only with Options.Insecure.
func (s *Store) Insecure() bool {
	return s.sign == nil && s.base.Scheme == "http" && !onMachine(s.base.Hostname())
}

// Info describes an object.
type Info struct {
	Key      string
	Bytes    int64
	ETag     string // with its quotes; "" if the store gave none
	Modified time.Time
}

// MD5 is the digest that the ETag of an object put in one piece usually is, in
// hexadecimal digits. Services that encrypt with their own keys give something else of
// the same form, so it proves equality and never difference.
func (i Info) MD5() string { return strings.Trim(i.ETag, `"`) }

// Object is an object being read. Reading more than was allowed gives ErrTooLarge. The
// caller closes it.
type Object struct {
	Info
	io.ReadCloser
}

// GetOptions say what of an object is wanted.
type GetOptions struct {
	IfNoneMatch string // ErrNotModified if this is still the ETag
	Offset      int64  // bytes to leave out
	Max         int64  // the most bytes to read; more is ErrTooLarge
}

// Get begins to read an object. Max must be positive.
func (s *Store) Get(ctx context.Context, key string, o GetOptions) (*Object, error) {
	req, err := s.request(http.MethodGet, key, nil)
	if err != nil {
		return nil, err
	}
	if o.IfNoneMatch != "" {
		req.Header.Set("If-None-Match", o.IfNoneMatch)
	}
	if o.Offset > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", o.Offset))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	resp, err := s.do(ctx, req)
	if err == nil {
		err = checkRange(resp, o.Offset)
	}
	if err != nil {
		cancel(nil)
		return nil, s.wrap("read", key, err)
	}
	body := &body{in: resp.Body, left: o.Max, cancel: cancel, ctx: ctx, stall: s.stall, wrap: func(err error) error { return s.wrap("read", key, err) }}
	return &Object{Info: info(key, resp), ReadCloser: body}, nil
}

// checkRange refuses the answer to a request for the rest of an object that is not it.
func checkRange(resp *http.Response, offset int64) error {
	if offset == 0 {
		return nil
	}
	var from, to int64
	if _, err := fmt.Sscanf(resp.Header.Get("Content-Range"), "bytes %d-%d/", &from, &to); err != nil || from != offset {
		_ = resp.Body.Close()
		return errRange
	}
	return nil
}

// Stat describes an object without reading it.
func (s *Store) Stat(ctx context.Context, key string) (Info, error) {
	req, err := s.request(http.MethodHead, key, nil)
	if err != nil {
		return Info{}, err
	}
	resp, err := s.do(ctx, req)
	if err != nil {
		return Info{}, s.wrap("look at", key, err)
	}
	_ = resp.Body.Close()
	return info(key, resp), nil
}

// PutOptions are the headers an object is kept with, and the condition it is put under.
type PutOptions struct {
	ContentType, ContentEncoding, CacheControl string

	SHA256  string // of the bytes, in hexadecimal digits: the service checks it
	IfMatch string // ErrChanged if the object's ETag is another
	IfNew   bool   // ErrChanged if there is an object
}

// Put writes an object of the given size, all of it or nothing.
func (s *Store) Put(ctx context.Context, key string, content io.ReaderAt, size int64, o PutOptions) (Info, error) {
	if size > MaxObject {
		return Info{}, s.wrap("write", key, fmt.Errorf("%w: %d bytes, an object has at most %d", ErrTooLarge, size, int64(MaxObject)))
	}
	req, err := s.request(http.MethodPut, key, nil)
	if err != nil {
		return Info{}, err
	}
	o.set(req.Header)
	req.ContentLength = size
	if size > 0 {
		req.Body = io.NopCloser(io.NewSectionReader(content, 0, size))
	}
	ctx, cancel := context.WithTimeout(ctx, s.uploadTime(size))
	defer cancel()
	resp, err := s.do(ctx, req)
	if err != nil {
		return Info{}, s.wrap("write", key, err)
	}
	_ = resp.Body.Close()
	return Info{Key: key, Bytes: size, ETag: resp.Header.Get("Etag")}, nil
}

// set writes the options as headers.
func (o PutOptions) set(h http.Header) {
	for name, value := range map[string]string{
		"Content-Type": o.ContentType, "Content-Encoding": o.ContentEncoding, "Cache-Control": o.CacheControl,
		"If-Match": o.IfMatch, sumHeader: o.SHA256,
	} {
		if value != "" {
			h.Set(name, value)
		}
	}
	if o.IfNew {
		h.Set("If-None-Match", "*")
	}
}

// slowest is the rate below which an upload is given up, in bytes a second.
const slowest = 32 << 10

// uploadTime bounds the writing of an object: a service that stops reading is seen by
// nothing else.
func (s *Store) uploadTime(size int64) time.Duration {
	return 2*s.stall + time.Duration(size/slowest)*time.Second
}

// Copy copies an object with its headers inside the store, and gives the copy's ETag.
func (s *Store) Copy(ctx context.Context, from, to string) (Info, error) {
	req, err := s.request(http.MethodPut, to, nil)
	if err != nil {
		return Info{}, err
	}
	req.Header.Set("X-Amz-Copy-Source", "/"+s.bucket+"/"+encodePath(s.prefix+from))
	resp, err := s.do(ctx, req)
	if err != nil {
		return Info{}, s.wrap("copy to", to, err)
	}
	var result copyResult
	if err := s.decodeXML(resp, &result); err != nil {
		return Info{}, s.wrap("copy to", to, err)
	}
	return Info{Key: to, ETag: result.ETag}, nil
}

// Delete removes an object; none there is fine.
func (s *Store) Delete(ctx context.Context, key string) error {
	req, err := s.request(http.MethodDelete, key, nil)
	if err != nil {
		return err
	}
	resp, err := s.do(ctx, req)
	if err != nil {
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		return s.wrap("remove", key, err)
	}
	return resp.Body.Close()
}

// List gives every object below a prefix, by key.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		for page, err := range s.pages(ctx, prefix, "") {
			if err != nil {
				yield(Info{}, err)
				return
			}
			for _, c := range page.Contents {
				if !strings.HasPrefix(c.Key, s.prefix+prefix) {
					yield(Info{}, s.wrap("list", prefix, errOutside))
					return
				}
				if !yield(c.info(s.prefix), nil) {
					return
				}
			}
		}
	}
}

// Dirs gives the names that follow a prefix, up to the next slash.
func (s *Store) Dirs(ctx context.Context, prefix string) ([]string, error) {
	var names []string
	for page, err := range s.pages(ctx, prefix, "/") {
		if err != nil {
			return nil, err
		}
		for _, p := range page.CommonPrefixes {
			names = append(names, strings.TrimSuffix(strings.TrimPrefix(p.Prefix, s.prefix+prefix), "/"))
		}
	}
	return names, nil
}
