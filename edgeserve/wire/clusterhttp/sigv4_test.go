package clusterhttp

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
	signer4 "github.com/minio/minio-go/v7/pkg/signer"
)

// published are requests that AWS publishes with their signatures: its test suite, and the example of its manual.
var published = []struct {
	name, method, url, body, contentType, token, service string

	signed, signature string
}{
	{"get-vanilla", "GET", "https://example.amazonaws.com/", "", "", "", "service", "host;x-amz-date", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
	{"get-vanilla-query-order-key-case", "GET", "https://example.amazonaws.com/?Param2=value2&Param1=value1", "", "", "", "service", "host;x-amz-date", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
	{"get-vanilla-query-unreserved", "GET", "https://example.amazonaws.com/?-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz=-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "", "", "", "service", "host;x-amz-date", "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"},
	{"get-vanilla-utf8-query", "GET", "https://example.amazonaws.com/?%E1%88%B4=bar", "", "", "", "service", "host;x-amz-date", "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"},
	{"post-vanilla", "POST", "https://example.amazonaws.com/", "", "", "", "service", "host;x-amz-date", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
	{"post-x-www-form-urlencoded", "POST", "https://example.amazonaws.com/", "Param1=value1", "application/x-www-form-urlencoded", "", "service", "content-type;host;x-amz-date", "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"},
	{"the manual's example", "GET", "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08", "", "application/x-www-form-urlencoded; charset=utf-8", "", "iam", "content-type;host;x-amz-date", "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"},
}

var exampleKeys = credentials.Value{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"}

// The signatures that AWS publishes come out.
func TestSignPublished(t *testing.T) {
	at := time.Date(2015, 8, 30, 12, 36, 0, 0, time.UTC)
	for _, tt := range published {
		t.Run(tt.name, func(t *testing.T) {
			u, err := url.Parse(tt.url)
			if err != nil {
				t.Fatal(err)
			}
			u.RawQuery = encodeQuery(u.Query())
			req := &http.Request{Method: tt.method, URL: u, Host: u.Host, Header: http.Header{"X-Amz-Date": {at.Format("20060102T150405Z")}}}
			if tt.contentType != "" {
				req.Header.Set("Content-Type", tt.contentType)
			}
			signed, canonical := canonicalRequest(req, hexSum([]byte(tt.body)))
			got := authorization(signed, canonical, exampleKeys, scope{"us-east-1", tt.service}, at)
			want := "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/" + tt.service + "/aws4_request, SignedHeaders=" + tt.signed + ", Signature=" + tt.signature
			if got != want {
				t.Errorf("got\n%s, want\n%s; of\n%s", got, want, canonical)
			}
		})
	}
}

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
			req.Header.Set(sumHeader, hexSum(tt.body))
			theirs := req.Clone(t.Context())
			theirs = signer4.SignV4WithServiceType(*theirs, exampleKeys.AccessKeyID, exampleKeys.SecretAccessKey, tt.token, "eu-central-1", "es")
			at, err := time.Parse("20060102T150405Z", theirs.Header.Get("X-Amz-Date"))
			if err != nil {
				t.Fatal(err)
			}
			keys := exampleKeys
			keys.SessionToken = tt.token
			sign(req, keys, scope{"eu-central-1", "es"}, at)
			if got, want := req.Header.Get("Authorization"), theirs.Header.Get("Authorization"); got != want || !strings.Contains(got, "x-amz-content-sha256") {
				t.Errorf("got\n%s, want\n%s", got, want)
			}
		})
	}
}

// Services other than S3 want the escaped path escaped once more.
func TestSignedPathsAreEscapedTwice(t *testing.T) {
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
	_, canonical := canonicalRequest(req, "")
	if got, want := strings.Split(canonical, "\n")[1], "/p/a%252Cb/_doc/x%252Fy%2520%25C3%25BC"; got != want {
		t.Errorf("the path is signed as %s, want %s", got, want)
	}
}
