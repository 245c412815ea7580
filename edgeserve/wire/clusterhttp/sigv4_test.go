package clusterhttp

import (
	"bytes"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
	signer4 "github.com/minio/minio-go/v7/pkg/signer"

	"contentedge/edgeserve/wire/sigv4"
)

var exampleKeys = credentials.Value{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"}

// The S3 library signs the same requests alike, where a path needs no escape: bodies of megabytes, tokens, queries.
func TestSignLikeMinio(t *testing.T) {
	for _, tt := range []struct {
		name, path string
		query      url.Values
		body       []byte
		token      string
	}{
		{"a search", "/live-0123/_search", url.Values{"allow_partial_search_results": {"false"}, "filter_path": {"hits.hits._id,took"}}, []byte(`{"size":0}`), ""},
		{"a query with odd characters", "/a/_doc/x", url.Values{"q": {"a b+c/d&e=f*~ü%"}, "A": {"", "x"}, "a": {"1"}}, nil, ""},
		{"a bulk of megabytes with a token", "/_bulk", nil, bytes.Repeat([]byte("{\"index\":{}}\n{\"Name\":\"ü\"}\n"), 300_000), "token/with+signs=="},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := New(Options{Nodes: []string{"https://es.example"}})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			req, err := c.request(t.Context(), 0, Request{Method: "POST", Path: tt.path, Query: tt.query, Body: tt.body, MaxResponse: 1})
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Del("Accept") // the library signs it too
			req.Header.Set(sigv4.SumHeader, sigv4.HexSum(tt.body))
			theirs := req.Clone(t.Context())
			theirs = signer4.SignV4WithServiceType(*theirs, exampleKeys.AccessKeyID, exampleKeys.SecretAccessKey, tt.token, "eu-central-1", "es")
			at, err := time.Parse("20060102T150405Z", theirs.Header.Get("X-Amz-Date"))
			if err != nil {
				t.Fatal(err)
			}
			keys := exampleKeys
			keys.SessionToken = tt.token
			sigv4.Sign(req, keys, sigv4.Scope{Region: "eu-central-1", Service: "es"}, at)
			if got, want := req.Header.Get("Authorization"), theirs.Header.Get("Authorization"); got != want || !strings.Contains(got, "x-amz-content-sha256") {
				t.Errorf("got\n%s, want\n%s", got, want)
			}
		})
	}
}

// A path is sent with its escapes.
func TestPathsAreEscaped(t *testing.T) {
	c, err := New(Options{Nodes: []string{"https://es.example/p"}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	req, err := c.request(t.Context(), 0, Request{Method: "GET", Path: "/a,b/_doc/x%2Fy%20ü", MaxResponse: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := req.URL.EscapedPath(), "/p/a%2Cb/_doc/x%2Fy%20%C3%BC"; got != want {
		t.Errorf("the path is sent as %s, want %s", got, want)
	}
}
