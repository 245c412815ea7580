package clusterhttp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"contentedge/edgeserve/wire/sigv4"
)

// Credentials that expire are looked up again beside the requests. These wait only while there are no
// valid ones, and no longer than their own context.
func TestExpiringCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lookups, fails, hangs := 0, false, false
		s := &signer{scope: sigv4.Scope{Region: "eu-central-1", Service: "es"}, now: time.Now}
		s.ctx, s.cancel = context.WithCancel(t.Context())
		defer s.close()
		var until time.Time
		s.lookup = func(ctx context.Context) (credentials.Value, error) {
			lookups++
			if hangs {
				<-ctx.Done()
			}
			if fails || hangs {
				return credentials.Value{}, errors.New("secret")
			}
			time.Sleep(2 * time.Second) // the machine's metadata service
			if time.Until(until) < 10*time.Minute {
				until = time.Now().Add(time.Hour)
			}
			return credentials.Value{AccessKeyID: fmt.Sprint("key", lookups), SecretAccessKey: "x", Expiration: until}, nil
		}
		sign := func(patience time.Duration) (key string, took time.Duration, err error) {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			req := (&http.Request{Method: "GET", Host: "a.example", URL: mustParse(t, "https://a.example/x"), Header: http.Header{}}).WithContext(ctx)
			began := time.Now()
			err = s.authorize(req, nil)
			_, key, _ = strings.Cut(req.Header.Get("Authorization"), "Credential=")
			key, _, _ = strings.Cut(key, "/")
			return key, time.Since(began), err
		}
		expect := func(what string, patience time.Duration, wantKey string, wantTook time.Duration, wantErr error) {
			t.Helper()
			if key, took, err := sign(patience); key != wantKey || took != wantTook || !errors.Is(err, wantErr) {
				t.Errorf("%s: %s after %s, %v; want %s after %s, %v", what, key, took, err, wantKey, wantTook, wantErr)
			}
			synctest.Wait()
		}
		expect("a request without patience", time.Second, "", time.Second, context.DeadlineExceeded)
		expect("the next one waits for the same lookup", time.Minute, "key1", time.Second, nil)
		expect("then none waits", 0, "key1", 0, nil)
		time.Sleep(lookEvery + time.Second)
		expect("nor during another lookup", time.Minute, "key1", 0, nil)
		time.Sleep(5 * time.Second)
		expect("whose keys are used", time.Minute, "key2", 0, nil)
		fails = true
		time.Sleep(20 * time.Minute)
		expect("a failure goes on with the old ones", time.Minute, "key2", 0, nil)
		before := lookups
		for range 100 {
			expect("without a storm", time.Minute, "key2", 0, nil)
		}
		if lookups != before {
			t.Errorf("%d lookups", lookups-before)
		}
		time.Sleep(time.Hour)
		expect("until they have expired", time.Minute, "", 0, errNoKeys)
		fails, hangs = false, true
		time.Sleep(lookAgain + time.Second)
		expect("a lookup that hangs ends", time.Minute, "", lookTime, errNoKeys)
		hangs = false
		time.Sleep(lookAgain + time.Second)
		expect("keys are back", time.Minute, fmt.Sprint("key", lookups+1), 2*time.Second, nil)
	})
}
