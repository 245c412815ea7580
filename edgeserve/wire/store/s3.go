// This file adds S3 to HTTP: endpoints, signatures, listings in XML. A library provides
// only credentials. Its client would add 1.4 MB to the edge, and it uses
// multipart uploads and streaming signatures, which not every service implements.

package store

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"contentedge/edgeserve/wire/sigv4"
)

const emptySum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func (s *Store) openBucket(u *url.URL) error {
	if !validBucket(u.Host) {
		return errors.New("a bucket's name has 3 to 63 of a-z, 0-9, dots and hyphens")
	}
	region := cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"), "us-east-1")
	named := cmp.Or(os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"))
	base, err := endpoint(named, u.Host, region)
	if err != nil {
		return err
	}
	s.defaulted = named == ""
	s.base, s.bucket, s.prefix = base, u.Host, dirPrefix(u.Path)
	s.client = s.newClient(func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse })
	s.sign = newSigner(region)
	return nil
}

// validBucket keeps a bucket's name within one URL segment.
func validBucket(name string) bool {
	return len(name) >= 3 && len(name) <= 63 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") == "" && !strings.Contains(name, "..")
}

// endpoint is the address of a bucket at a named service; "" is Amazon's service.
func endpoint(named, bucket, region string) (*url.URL, error) {
	if named == "" {
		host := "s3." + region + ".amazonaws.com"
		if strings.Contains(bucket, ".") { // no certificate matches such a host
			return &url.URL{Scheme: "https", Host: host, Path: "/" + bucket + "/"}, nil
		}
		return &url.URL{Scheme: "https", Host: bucket + "." + host, Path: "/"}, nil
	}
	u, err := url.Parse(named)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return nil, errors.New("AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL must be http:// or https:// and a host, no more")
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/" + bucket + "/"}, nil
}

// credentialRetry is the pause after a search found no credentials. The search asks the
// machine's metadata service, which can take seconds or not exist.
const credentialRetry = time.Minute

type signer struct {
	region string
	chain  *credentials.Credentials
	client *http.Client // for the machine's role

	mu      sync.Mutex
	retryAt time.Time // no new search before; guarded by mu
}

func newSigner(region string) *signer {
	return &signer{region: region, chain: AWSCredentials(), client: &http.Client{Timeout: connect}}
}

// AWSCredentials looks credentials up where AWS's own programs do: in the environment, the shared
// credentials file, the machine's role.
func AWSCredentials() *credentials.Credentials {
	providers := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}
	if !strings.EqualFold(os.Getenv("AWS_EC2_METADATA_DISABLED"), "true") ||
		os.Getenv("AWS_WEB_IDENTITY_TOKEN_FILE")+os.Getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")+os.Getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI") != "" {
		providers = append(providers, &credentials.IAM{})
	}
	return credentials.NewChainCredentials(providers)
}

// sign signs a request at a time, if there are credentials.
func (s *signer) sign(ctx context.Context, req *http.Request, now time.Time) error {
	if req.Header.Get(sigv4.SumHeader) == "" {
		req.Header.Set(sigv4.SumHeader, emptySum)
		if req.Body != nil {
			req.Header.Set(sigv4.SumHeader, "UNSIGNED-PAYLOAD")
		}
	}
	v, err := s.credentials(ctx)
	if err == nil && v.AccessKeyID != "" {
		sigv4.Sign(req, v, sigv4.Scope{Region: s.region, Service: sigv4.S3}, now)
	}
	return err
}

func (s *signer) credentials(ctx context.Context) (credentials.Value, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Now().Before(s.retryAt) {
		return credentials.Value{}, ctx.Err()
	}
	v, err := s.chain.GetWithContext(&credentials.CredContext{Client: s.client, Context: ctx})
	if ctx.Err() != nil {
		return credentials.Value{}, ctx.Err()
	}
	if err != nil {
		return credentials.Value{}, errors.New("the credentials cannot be read") // the cause may quote them
	}
	if v.AccessKeyID == "" {
		s.retryAt = time.Now().Add(credentialRetry)
	}
	return v, nil
}

type listPage struct {
	Contents       []listed
	CommonPrefixes []struct{ Prefix string }
	IsTruncated    bool
	Next           string `xml:"NextContinuationToken"`
}

type listed struct {
	Key          string
	LastModified time.Time
	ETag         string
	Size         int64
}

func (l listed) info(prefix string) Info {
	return Info{Key: strings.TrimPrefix(l.Key, prefix), Bytes: l.Size, ETag: l.ETag, Modified: l.LastModified}
}

// copyResult is the response to a copy. The response has another element if the copy failed after the
// status was sent.
type copyResult struct {
	XMLName struct{} `xml:"CopyObjectResult"`
	ETag    string
}

// pages fetches a listing, a thousand keys per page.
func (s *Store) pages(ctx context.Context, prefix, delimiter string) iter.Seq2[listPage, error] {
	return func(yield func(listPage, error) bool) {
		query := url.Values{"list-type": {"2"}, "prefix": {s.prefix + prefix}}
		if delimiter != "" {
			query.Set("delimiter", delimiter)
		}
		for {
			page, err := s.page(ctx, query)
			if err != nil {
				yield(page, s.wrap("list", prefix, err))
				return
			}
			if !yield(page, nil) || !page.IsTruncated {
				return
			}
			if page.Next == "" || page.Next == query.Get("continuation-token") {
				yield(page, s.wrap("list", prefix, errors.New("the list has no end: a page has no new token for the next page")))
				return
			}
			query.Set("continuation-token", page.Next)
		}
	}
}

func (s *Store) page(ctx context.Context, query url.Values) (listPage, error) {
	var page listPage
	req, err := s.request(http.MethodGet, "", query)
	if err != nil {
		return page, err
	}
	resp, err := s.do(ctx, req)
	if err != nil {
		return page, err
	}
	return page, s.decodeXML(resp, &page)
}
