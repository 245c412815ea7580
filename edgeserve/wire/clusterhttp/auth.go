// This file adds credentials to requests. Credentials of AWS may expire: they are looked up in the background, and
// requests use the old ones as long as these are valid.

package clusterhttp

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/sigv4"
	"contentedge/edgeserve/wire/store"
)

// authorizer adds credentials to a request.
type authorizer interface {
	authorize(req *http.Request, body []byte) error
	close()
}

// fixed is the value of the field Authorization.
type fixed string

func (f fixed) authorize(req *http.Request, _ []byte) error {
	req.Header.Set(httpfield.Authorization, string(f))
	return nil
}

func (fixed) close() {}

const (
	// lookEvery is how often credentials are looked up. A lookup costs nothing unless they are about to expire.
	lookEvery = 30 * time.Second
	// lookAgain is the pause after a lookup that found none.
	lookAgain = 5 * time.Second
	// lookTime limits a lookup: the machine's metadata service may be absent or slow.
	lookTime = 20 * time.Second
)

var errNoKeys = errors.New("no credentials of AWS were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role")

// signer signs requests with credentials of AWS.
type signer struct {
	scope  sigv4.Scope
	lookup func(ctx context.Context) (credentials.Value, error)
	now    func() time.Time
	ctx    context.Context // ends at close
	cancel context.CancelFunc
	looks  sync.WaitGroup

	mu     sync.Mutex
	keys   credentials.Value // guarded by mu, as all below
	nextAt time.Time         // no lookup before
	look   chan struct{}     // closed when the current lookup ends; nil without one
	closed bool
}

func newSigner(region, service string) (*signer, error) {
	if region == "" || strings.Trim(region, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || service != "es" && service != "aoss" {
		return nil, errors.New("want REGION/SERVICE for AWS signatures, as eu-central-1/es; the service is es or aoss")
	}
	chain, client := store.AWSCredentials(), &http.Client{Timeout: connect}
	s := &signer{scope: sigv4.Scope{Region: region, Service: service}, now: time.Now}
	s.lookup = func(ctx context.Context) (credentials.Value, error) {
		return chain.GetWithContext(&credentials.CredContext{Client: client, Context: ctx})
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s, nil
}

func (s *signer) authorize(req *http.Request, body []byte) error {
	keys, err := s.current(req.Context())
	if err != nil {
		return err
	}
	req.Header.Set(sigv4.SumHeader, sigv4.HexSum(body))
	sigv4.Sign(req, keys, s.scope, s.now())
	return nil
}

// current returns valid credentials. It waits for a lookup only without valid ones.
func (s *signer) current(ctx context.Context) (credentials.Value, error) {
	s.mu.Lock()
	look := s.begin()
	keys, valid := s.keys, s.valid()
	s.mu.Unlock()
	if valid {
		return keys, nil
	}
	if look != nil {
		select {
		case <-look:
		case <-ctx.Done():
			return credentials.Value{}, context.Cause(ctx)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.valid() {
		return credentials.Value{}, errNoKeys
	}
	return s.keys, nil
}

// valid reports whether the credentials can be used. mu is held.
func (s *signer) valid() bool {
	return s.keys.AccessKeyID != "" && (s.keys.Expiration.IsZero() || s.now().Before(s.keys.Expiration))
}

// begin starts a lookup if one is due, and returns the current one, or nil. mu is held.
func (s *signer) begin() chan struct{} {
	if s.look != nil || s.closed || s.now().Before(s.nextAt) {
		return s.look
	}
	look := make(chan struct{})
	s.look = look
	s.looks.Go(func() {
		defer crash.Exit()
		defer close(look)
		ctx, cancel := context.WithTimeout(s.ctx, lookTime)
		defer cancel()
		keys, err := s.lookup(ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.look, s.nextAt = nil, s.now().Add(lookAgain)
		if err == nil && keys.AccessKeyID != "" && keys.SecretAccessKey != "" {
			s.keys, s.nextAt = keys, s.now().Add(lookEvery)
		}
	})
	return look
}

func (s *signer) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.looks.Wait()
}
