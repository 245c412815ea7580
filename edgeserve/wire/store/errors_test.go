// These tests check what errors of a service mean: for which a retry may succeed, and which remedy
// the others name.

package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"contentedge/edgeserve/wire/store/storetest"
)

func TestErrorsOfServices(t *testing.T) {
	s, _, wire := openThroughProxy(t)
	tests := []struct {
		status    int
		code      string
		header    http.Header
		condition bool // of the request
		temporary bool
		is        error
		says      string
	}{
		{409, "ConditionalRequestConflict", nil, true, true, ErrConflict, "409 ConditionalRequestConflict: another request for the same object was under way"},
		{409, "OperationAborted", nil, false, true, ErrConflict, "409 OperationAborted: another request"},
		{409, "BucketAlreadyExists", nil, false, false, nil, "409 BucketAlreadyExists"},
		{400, "RequestTimeout", nil, false, true, nil, "arrived too slowly"},
		{400, "IncompleteBody", nil, false, true, nil, "did not arrive whole"},
		{400, "BadDigest", nil, false, false, nil, "400 BadDigest"},
		{412, "PreconditionFailed", nil, true, false, ErrChanged, "changed concurrently"},
		{408, "", nil, false, true, nil, ""},
		{429, "TooManyRequests", nil, false, true, nil, ""},
		{500, "InternalError", nil, false, true, nil, ""},
		{503, "SlowDown", nil, true, true, nil, ""},
		{501, "NotImplemented", nil, true, false, ErrNoConditions, "the store has no conditional writes"},
		{501, "NotImplemented", nil, false, false, nil, "501 NotImplemented"},
		{404, "NoSuchBucket", nil, false, false, ErrNoBucket, "create it"},
		{404, "NoSuchKey", nil, false, false, ErrNotFound, ""},
		{403, "AccessDenied", nil, false, false, ErrDenied, "permissions"},
		{403, "RequestTimeTooSkewed", nil, false, false, ErrDenied, "the clock of this machine differs from the store's: set it right"},
		{403, "RequestTimeTooSkewed", http.Header{"Date": {time.Now().Add(-2 * time.Hour).UTC().Format(http.TimeFormat)}}, false, false, ErrDenied, "the clock of this machine is 2h0m"},
		{403, "", http.Header{"Date": {time.Now().Add(48 * time.Hour).UTC().Format(http.TimeFormat)}}, false, false, ErrDenied, "the clock of this machine is 4"},
	}
	for _, c := range tests {
		t.Run(fmt.Sprint(c.status, c.code), func(t *testing.T) {
			wire.Set(func(int, *http.Request) storetest.Fault {
				return storetest.Fault{Status: c.status, Code: c.code, Header: c.header}
			})
			_, err := s.Put(t.Context(), "k", strings.NewReader("x"), 1, PutOptions{IfNew: c.condition})
			if err == nil || Temporary(err) != c.temporary || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, temporary %t; want temporary %t, %v, %q", err, Temporary(err), c.temporary, c.is, c.says)
			}
			if strings.Contains(err.Error(), "AWS_ENDPOINT_URL_S3") {
				t.Errorf("it speaks of the endpoint, which is set: %v", err)
			}
			noCanary(t, err)
		})
	}
}

func TestConditionsNeedETags(t *testing.T) {
	for etag, want := range map[string]error{`"a"`: nil, `W/"a"`: ErrWeakETag, "": ErrNoETag} {
		if got, err := (Info{ETag: etag}).Condition(); !errors.Is(err, want) || err == nil && got != etag {
			t.Errorf("%s: %s, %v", etag, got, err)
		}
	}
}

func TestMissingEndpointIsNamed(t *testing.T) {
	t.Setenv("AWS_ENDPOINT_URL", "")
	t.Setenv("AWS_REGION", "eu-west-3")
	failures := []error{
		&net.DNSError{Err: "no such host", Name: "x"},
		&StatusError{Status: 403, kind: ErrDenied},
		&StatusError{Status: 404, Code: "NoSuchBucket", kind: ErrNoBucket},
	}
	for endpoint, named := range map[string]bool{"": true, "http://127.0.0.1:1": false} {
		t.Setenv("AWS_ENDPOINT_URL_S3", endpoint)
		s := open(t, "p", Options{})
		for _, err := range failures {
			text := s.wrap("read", "k", err).Error()
			if strings.Contains(text, "AWS_ENDPOINT_URL_S3 is not set, so the request went to "+storetest.Bucket+".s3.eu-west-3.amazonaws.com") != named {
				t.Errorf("endpoint %q: %s", endpoint, text)
			}
		}
		if err := s.wrap("read", "k", ErrNotFound); strings.Contains(err.Error(), "AWS_ENDPOINT") {
			t.Errorf("an object that is not there: %v", err)
		}
	}
}

// refusing is a source of credentials that cannot be read.
type refusing struct{ credentials.EnvAWS }

func (r *refusing) RetrieveWithCredContext(*credentials.CredContext) (credentials.Value, error) {
	return credentials.Value{}, errors.New("key " + storetest.Bucket)
}

// TestUnreadableCredentials sends no request without a signature, and says why.
func TestUnreadableCredentials(t *testing.T) {
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
	s := open(t, "p", Options{})
	s.sign.chain = credentials.New(&refusing{})
	_, _, err := s.ReadAll(t.Context(), "k", GetOptions{Max: 10})
	if err == nil || !strings.Contains(err.Error(), "the credentials cannot be read") || s.Requests() != 0 {
		t.Errorf("%v after %d requests", err, s.Requests())
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	s.sign.chain = AWSCredentials()
	if _, _, err = s.ReadAll(ended, "k", GetOptions{Max: 10}); !errors.Is(err, context.Canceled) || s.Requests() != 0 {
		t.Errorf("a canceled request: %v after %d requests", err, s.Requests())
	}
}

// TestErrorsNameTheKey names the object of an error, or only the store where a request has no object.
func TestErrorsNameTheKey(t *testing.T) {
	s := &Store{name: "s3://b/p"}
	cause := errors.New("cause")
	for key, want := range map[string]string{"": "list s3://b/p: cause", "a/b.json": "list s3://b/p/a/b.json: cause"} {
		if err := s.wrap("list", key, &url.Error{Op: "Get", URL: "https://b.example/?secret", Err: cause}); err.Error() != want || !errors.Is(err, cause) {
			t.Errorf("%q: %v, want %s", key, err, want)
		}
	}
}
