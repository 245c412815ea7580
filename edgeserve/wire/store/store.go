// Package store reads and writes the objects of a release store: a bucket of an S3 service, or,
// read-only, a file server over HTTP.
//
//	s3://BUCKET/PREFIX    any S3 service
//	https://HOST/PREFIX   files; http:// only on this machine, unless Insecure is set
//
// S3 is configured with the usual variables: AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, and
// AWS_REGION or AWS_DEFAULT_REGION (default us-east-1). Credentials come from the environment, the
// shared credentials file or the machine's role, in this order. Without them, requests are
// unsigned. No error or log contains credentials.
//
// A store is not trusted. Responses are limited in size, a stalled transfer is aborted, and no error quotes a response.
// A redirect of an S3 service is an error; a redirect of a file server is followed without credentials and must stay on
// its host and on HTTPS.
//
// This package does not retry. Temporary tells a caller which errors are worth a retry.
package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7/pkg/s3utils"

	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/sigv4"
	"contentedge/edgeserve/wire/transfer"
)

// DefaultStall is how long a transfer may make no progress.
const DefaultStall = transfer.DefaultStall

// MaxObject is the largest object for Put: S3's limit for a single upload.
const MaxObject = 5 << 30

// Store is an open store. Keys are slash-separated paths below its prefix.
type Store struct {
	name   string // as passed to Open
	base   *url.URL
	prefix string // of keys: "" or ending in a slash
	client *http.Client
	sign   *signer // nil for a file server
	bucket string  // copies need the bucket in their source path
	stall  time.Duration
	sent   atomic.Int64 // requests
	clock  clock

	defaulted bool // no variable names the endpoint of the bucket
}

// Options configures Open.
type Options struct {
	Stall    time.Duration // DefaultStall if 0
	Insecure bool          // allow http:// to other machines, where an attacker can replace the content
}

// Open prepares a store without contacting it.
func Open(name string, o Options) (*Store, error) {
	u, err := url.Parse(name)
	if err != nil {
		return nil, errors.New("the store's address is not a URL") // url's error would quote the address with its password
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the store's address may only have a scheme, a host and a path: credentials come from the environment")
	}
	s := &Store{name: strings.TrimSuffix(name, "/"), stall: cmp.Or(o.Stall, DefaultStall), clock: clock{now: time.Now}}
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

// Close ends the connections that are idle.
func (s *Store) Close() { s.client.CloseIdleConnections() }

// Requests is how many requests were sent.
func (s *Store) Requests() int64 { return s.sent.Load() }

// Insecure reports whether Open needs Options.Insecure for the store.
func (s *Store) Insecure() bool {
	return s.sign == nil && s.base.Scheme == "http" && !transfer.OnMachine(s.base.Hostname())
}

// Info describes an object.
type Info struct {
	Key      string
	Bytes    int64
	ETag     string // quoted; "" if the store sent none
	Release  string // that the object is of, if a node sent it; "" if an object store did
	Modified time.Time
}

// MD5 is the hexadecimal digest that the ETag usually is. Services that encrypt with their own keys
// send other values of that form: equal digests prove equality, different ones nothing.
func (i Info) MD5() string { return strings.Trim(i.ETag, `"`) }

// Condition is the ETag for PutOptions.IfMatch. A condition needs a strong ETag: other objects return
// ErrNoETag or ErrWeakETag.
func (i Info) Condition() (string, error) {
	switch {
	case i.ETag == "":
		return "", ErrNoETag
	case strings.HasPrefix(i.ETag, "W/"):
		return "", ErrWeakETag
	}
	return i.ETag, nil
}

// Object is an object to read and close. Reading beyond GetOptions.Max returns ErrTooLarge.
type Object struct {
	Info
	io.ReadCloser
}

// GetOptions selects the part to read.
type GetOptions struct {
	IfNoneMatch string // returns ErrNotModified if the ETag is unchanged
	Offset      int64  // first byte to read
	Release     string // refused by a node that serves another release; object stores ignore it
	Max         int64  // most bytes to read
}

// Get opens an object for reading. Max must be positive.
func (s *Store) Get(ctx context.Context, key string, o GetOptions) (*Object, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	resp, err := s.send(ctx, "read", http.MethodGet, key, func(req *http.Request) {
		if o.IfNoneMatch != "" {
			req.Header.Set(httpfield.IfNoneMatch, o.IfNoneMatch)
		}
		if o.Release != "" {
			req.Header.Set(httpfield.Release, o.Release)
		}
		if o.Offset > 0 {
			req.Header.Set(httpfield.Range, fmt.Sprintf("bytes=%d-", o.Offset))
		}
	})
	if err == nil && !startsAt(resp, o.Offset) {
		_ = resp.Body.Close()
		err = s.wrap("read", key, errRange)
	}
	if err != nil {
		cancel(nil)
		return nil, err
	}
	body := body{&transfer.Body{In: resp.Body, Left: o.Max, Ctx: ctx, Cancel: cancel, Stall: s.stall}, func(err error) error { return s.wrap("read", key, err) }}
	return &Object{Info: info(key, resp), ReadCloser: body}, nil
}

// ReadAll reads an object whole.
func (s *Store) ReadAll(ctx context.Context, key string, o GetOptions) ([]byte, Info, error) {
	obj, err := s.Get(ctx, key, o)
	if err != nil {
		return nil, Info{}, err
	}
	defer func() { _ = obj.Close() }()
	b, err := io.ReadAll(obj)
	return b, obj.Info, err
}

func startsAt(resp *http.Response, offset int64) bool {
	var from, to int64
	_, err := fmt.Sscanf(resp.Header.Get(httpfield.ContentRange), "bytes %d-%d/", &from, &to)
	return offset == 0 || err == nil && from == offset
}

// Stat returns an object's metadata.
func (s *Store) Stat(ctx context.Context, key string) (Info, error) {
	resp, err := s.send(ctx, "look at", http.MethodHead, key, nil)
	if err != nil {
		return Info{}, err
	}
	_ = resp.Body.Close()
	return info(key, resp), nil
}

// PutOptions holds an object's headers and the condition for writing it.
type PutOptions struct {
	ContentType, ContentEncoding, CacheControl string

	SHA256  string // hexadecimal digest of the content, verified by the service
	IfMatch string // ErrChanged if the current ETag differs
	IfNew   bool   // ErrChanged if the object exists
}

// Put writes an object of the given size atomically.
func (s *Store) Put(ctx context.Context, key string, content io.ReaderAt, size int64, o PutOptions) (Info, error) {
	if size > MaxObject {
		return Info{}, s.wrap("write", key, fmt.Errorf("%w: %d bytes, at most %d are allowed", ErrTooLarge, size, int64(MaxObject)))
	}
	ctx, cancel := context.WithTimeout(ctx, s.uploadTime(size))
	defer cancel()
	resp, err := s.send(ctx, "write", http.MethodPut, key, func(req *http.Request) {
		o.set(req.Header)
		req.ContentLength = size
		if size > 0 {
			req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(content, 0, size)), nil }
			req.Body, _ = req.GetBody()
		}
	})
	if err != nil {
		return Info{}, err
	}
	_ = resp.Body.Close()
	return Info{Key: key, Bytes: size, ETag: resp.Header.Get(httpfield.ETag)}, nil
}

func (o PutOptions) set(h http.Header) {
	for name, value := range map[string]string{
		httpfield.ContentType: o.ContentType, httpfield.ContentEncoding: o.ContentEncoding, httpfield.CacheControl: o.CacheControl,
		httpfield.IfMatch: o.IfMatch, sigv4.SumHeader: o.SHA256,
	} {
		if value != "" {
			h.Set(name, value)
		}
	}
	if o.IfNew {
		h.Set(httpfield.IfNoneMatch, "*")
	}
}

// minUploadRate is the rate that the deadline of an upload assumes, in bytes per second.
const minUploadRate = 32 << 10

// uploadTime is the deadline of an upload: nothing else detects a service that stops reading.
func (s *Store) uploadTime(size int64) time.Duration {
	return 2*s.stall + time.Duration(size/minUploadRate)*time.Second
}

// Copy copies an object with its headers within the store and returns the copy's ETag.
func (s *Store) Copy(ctx context.Context, from, to string) (Info, error) {
	resp, err := s.send(ctx, "copy to", http.MethodPut, to, func(req *http.Request) {
		req.Header.Set("X-Amz-Copy-Source", "/"+s.bucket+"/"+s3utils.EncodePath(s.prefix+from))
	})
	if err != nil {
		return Info{}, err
	}
	var result copyResult
	if err := s.decodeXML(resp, &result); err != nil {
		return Info{}, s.wrap("copy to", to, err)
	}
	return Info{Key: to, ETag: result.ETag}, nil
}

// Delete removes an object. A missing object is not an error.
func (s *Store) Delete(ctx context.Context, key string) error {
	resp, err := s.send(ctx, "remove", http.MethodDelete, key, nil)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// List yields all objects below a prefix in key order.
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

// Dirs returns the names between a prefix and the next slash.
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
