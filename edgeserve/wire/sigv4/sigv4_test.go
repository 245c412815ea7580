package sigv4

import (
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

// TestSigv4: the signatures that AWS publishes come out.
func TestSigv4(t *testing.T) {
	at := time.Date(2015, 8, 30, 12, 36, 0, 0, time.UTC)
	for _, tt := range published {
		t.Run(tt.name, func(t *testing.T) {
			u, err := url.Parse(tt.url)
			if err != nil {
				t.Fatal(err)
			}
			u.RawQuery = EncodeQuery(u.Query())
			req := &http.Request{Method: tt.method, URL: u, Host: u.Host, Header: http.Header{"X-Amz-Date": {at.Format("20060102T150405Z")}}}
			if tt.contentType != "" {
				req.Header.Set("Content-Type", tt.contentType)
			}
			signed, canonical := canonicalRequest(req, tt.service, HexSum([]byte(tt.body)))
			got := authorization(signed, canonical, exampleKeys, Scope{"us-east-1", tt.service}, at)
			want := "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/" + tt.service + "/aws4_request, SignedHeaders=" + tt.signed + ", Signature=" + tt.signature
			if got != want {
				t.Errorf("got\n%s, want\n%s; of\n%s", got, want, canonical)
			}
		})
	}
}

// The S3 library signs the same requests of S3 alike: odd keys, listings, tokens.
func TestSignS3LikeMinio(t *testing.T) {
	for _, tt := range []struct {
		method, path string
		query        url.Values
		token        string
	}{
		{"GET", "/bucket/live/current.json", nil, ""},
		{"PUT", "/bucket/a b+c/ü,d=e&f'(g)*h~/%20.json", nil, "token/with+signs=="},
		{"GET", "/bucket/", url.Values{"list-type": {"2"}, "prefix": {"live/a b+c/ü"}, "delimiter": {"/"}}, ""},
	} {
		t.Run(tt.path, func(t *testing.T) {
			u := &url.URL{Scheme: "https", Host: "s3.example", Path: tt.path, RawPath: Escape(tt.path, "/"), RawQuery: EncodeQuery(tt.query)}
			ours := &http.Request{Method: tt.method, URL: u, Host: u.Host, Header: http.Header{SumHeader: {HexSum(nil)}, "User-Agent": {"x"}}}
			theirs := signer4.SignV4(*ours.Clone(t.Context()), exampleKeys.AccessKeyID, exampleKeys.SecretAccessKey, tt.token, "eu-central-1")
			at, err := time.Parse("20060102T150405Z", theirs.Header.Get("X-Amz-Date"))
			if err != nil {
				t.Fatal(err)
			}
			keys := exampleKeys
			keys.SessionToken = tt.token
			Sign(ours, keys, Scope{"eu-central-1", S3}, at)
			if got, want := ours.Header.Get("Authorization"), theirs.Header.Get("Authorization"); got != want {
				t.Errorf("got\n%s, want\n%s", got, want)
			}
		})
	}
}

// Services other than S3 want the escaped path escaped once more.
func TestSignedPathsAreEscapedTwice(t *testing.T) {
	path := "/p/a,b/_doc/x/y ü"
	escaped := "/p/a%2Cb/_doc/x%2Fy%20%C3%BC"
	for service, want := range map[string]string{S3: escaped, "es": "/p/a%252Cb/_doc/x%252Fy%2520%25C3%25BC"} {
		_, canonical := canonicalRequest(&http.Request{Method: "GET", URL: &url.URL{Path: path, RawPath: escaped}}, service, "")
		if got := strings.Split(canonical, "\n")[1]; got != want {
			t.Errorf("%s: the path is signed as %s, want %s", service, got, want)
		}
	}
}
