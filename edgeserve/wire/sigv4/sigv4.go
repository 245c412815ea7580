// Package sigv4 signs requests as AWS Signature Version 4 describes, with the body's digest. The time of a signature is
// its caller's: the clock of this machine may be wrong.
package sigv4

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"contentedge/edgeserve/wire/httpfield"
)

// SumHeader is the field with the digest of the body.
const SumHeader = "X-Amz-Content-Sha256"

const (
	// S3 is the service whose paths are escaped once. Others want the escaped path escaped once more.
	S3 = "s3"

	dateHeader  = "X-Amz-Date"
	tokenHeader = "X-Amz-Security-Token"
)

const algorithm = "AWS4-HMAC-SHA256"

// Scope is what a signature is valid for.
type Scope struct{ Region, Service string }

// Sign adds a signature to a request over the host, the fields X-Amz-… and the content type. The digest
// of the body is in the field SumHeader. The query has the form of EncodeQuery.
func Sign(req *http.Request, keys credentials.Value, sc Scope, now time.Time) {
	now = now.UTC()
	req.Header.Set(dateHeader, now.Format("20060102T150405Z"))
	if keys.SessionToken != "" {
		req.Header.Set(tokenHeader, keys.SessionToken)
	}
	signed, canonical := canonicalRequest(req, sc.Service, req.Header.Get(SumHeader))
	req.Header.Set(httpfield.Authorization, authorization(signed, canonical, keys, sc, now))
}

func authorization(signed, canonical string, keys credentials.Value, sc Scope, now time.Time) string {
	day := now.Format("20060102")
	credential := day + "/" + sc.Region + "/" + sc.Service + "/aws4_request"
	text := algorithm + "\n" + now.Format("20060102T150405Z") + "\n" + credential + "\n" + HexSum([]byte(canonical))
	key := []byte("AWS4" + keys.SecretAccessKey)
	for _, part := range []string{day, sc.Region, sc.Service, "aws4_request", text} {
		key = mac(key, part)
	}
	return algorithm + " Credential=" + keys.AccessKeyID + "/" + credential + ", SignedHeaders=" + signed + ", Signature=" + hex.EncodeToString(key)
}

// canonicalRequest returns the names of the signed fields, and the text of which the signature is made.
func canonicalRequest(req *http.Request, service, sum string) (signed, text string) {
	fields := map[string]string{"host": req.Host}
	for name, values := range req.Header {
		if name == httpfield.ContentType || strings.HasPrefix(name, "X-Amz-") {
			fields[strings.ToLower(name)] = strings.Join(strings.Fields(strings.Join(values, ",")), " ")
		}
	}
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	var lines strings.Builder
	for _, name := range names {
		lines.WriteString(name + ":" + fields[name] + "\n")
	}
	signed = strings.Join(names, ";")
	path := cmp.Or(req.URL.EscapedPath(), "/")
	if service != S3 {
		path = Escape(path, "/")
	}
	return signed, strings.Join([]string{req.Method, path, req.URL.RawQuery, lines.String(), signed, sum}, "\n")
}

// EncodeQuery writes a query as signatures want it: sorted by encoded names, then values; a space is %20.
func EncodeQuery(query url.Values) string {
	pairs := make([][2]string, 0, len(query))
	for name, values := range query {
		for _, v := range values {
			pairs = append(pairs, [2]string{Escape(name, ""), Escape(v, "")})
		}
	}
	slices.SortFunc(pairs, func(a, b [2]string) int { return cmp.Or(strings.Compare(a[0], b[0]), strings.Compare(a[1], b[1])) })
	var b strings.Builder
	for i, p := range pairs {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(p[0] + "=" + p[1])
	}
	return b.String()
}

// Escape encodes all bytes but the unreserved characters of RFC 3986 and the characters of keep.
func Escape(text, keep string) string {
	const upper = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~", c) >= 0, strings.IndexByte(keep, c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', upper[c>>4], upper[c&15]})
		}
	}
	return b.String()
}

// HexSum is the SHA-256 of bytes as SumHeader has it.
func HexSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
