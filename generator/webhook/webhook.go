// Package webhook signs, sends and checks webhooks. A sender signs the time and the body with a secret that both sides
// know, so that others cannot send one.
//
//	X-Webhook-Signature: t=1767225600,v1=5257a869…
//
// t is the time in seconds since 1970, v1 the HMAC-SHA256 of t, a dot and the body, in hexadecimal digits. While a
// secret is replaced there are two v1, one of each secret. A webhook may be repeated while its time is valid, so its
// receiver has to take the same one twice; Webhook-Id is then equal, as in Standard Webhooks.
package webhook

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

const (
	// MaxAge is how far the time of a webhook may be from ours, in both directions. Clocks differ, and
	// senders repeat what failed.
	MaxAge = 5 * time.Minute
	// MinSecret is the least length of a secret in bytes. Shorter ones can be guessed.
	MinSecret = 16
	// maxValue bounds the header field: a time and some signatures.
	maxValue = 1024
)

// Errors of Check. They say what is wrong with the form, but about a wrong signature only that it is wrong.
var (
	ErrMissing   = errors.New("the signature is missing")
	ErrForm      = errors.New("the signature is not of the form t=SECONDS,v1=HEX")
	ErrTime      = fmt.Errorf("the time of the signature is more than %s from the server's", MaxAge)
	ErrSignature = errors.New("the signature is wrong")
)

// Check reads the body, and returns an error unless the value of the header field signs it. The time has to be near
// now. The value may have several v1, for changes of the secret.
func Check(secret []byte, value string, body io.Reader, now time.Time) error {
	at, signatures, err := parse(value)
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || seconds < 0 {
		return ErrForm
	}
	if age := now.Unix() - seconds; age > int64(MaxAge/time.Second) || age < -int64(MaxAge/time.Second) {
		return ErrTime
	}
	want, err := sign(secret, at, body)
	if err != nil {
		return err
	}
	for _, s := range signatures {
		if hmac.Equal(s, want) {
			return nil
		}
	}
	return ErrSignature
}

// Sign returns the value of the header field for a body that is sent at a time, with a signature of each secret.
func Sign(body []byte, now time.Time, secrets ...[]byte) string {
	at := strconv.FormatInt(now.Unix(), 10)
	value := "t=" + at
	for _, secret := range secrets {
		sum, _ := sign(secret, at, bytes.NewReader(body)) // which cannot fail
		value += ",v1=" + hex.EncodeToString(sum)
	}
	return value
}

// maxSecrets is enough to replace a secret without a gap.
const maxSecrets = 2

// Secrets returns the secrets of a text: one, or two in a line each while one replaces the other.
func Secrets(text string) (secrets [][]byte, err error) {
	if text == "" {
		return nil, nil
	}
	for line := range strings.Lines(text) {
		secret := strings.TrimRight(line, "\r\n")
		if len(secret) < MinSecret {
			return nil, fmt.Errorf("has %d bytes, fewer than %d", len(secret), MinSecret)
		}
		secrets = append(secrets, []byte(secret))
	}
	if len(secrets) > maxSecrets {
		return nil, fmt.Errorf("has %d lines, more than %d secrets", len(secrets), maxSecrets)
	}
	return secrets, nil
}

// id returns the id of a webhook. Bodies of different events differ.
func id(body []byte) string {
	sum := sha256.Sum256(body)
	return "msg_" + hex.EncodeToString(sum[:16])
}

// sign returns the signature of a time and a body.
func sign(secret []byte, at string, body io.Reader) ([]byte, error) {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(at + "."))
	_, err := io.Copy(mac, body)
	return mac.Sum(nil), err
}

// parse returns the time as it is written, because it is signed so.
func parse(value string) (at string, signatures [][]byte, err error) {
	if value == "" {
		return "", nil, ErrMissing
	}
	if len(value) > maxValue {
		return "", nil, ErrForm
	}
	for part := range strings.SplitSeq(value, ",") {
		name, text, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			if at != "" {
				return "", nil, ErrForm
			}
			at = text
		case "v1":
			sum, err := hex.DecodeString(text)
			if err != nil || len(sum) != sha256.Size {
				return "", nil, ErrForm
			}
			signatures = append(signatures, sum)
		}
	}
	if at == "" || signatures == nil {
		return "", nil, ErrForm
	}
	return at, signatures, nil
}
