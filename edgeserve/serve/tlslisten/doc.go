// Package tlslisten accepts connections over TLS, with a certificate that it reads again when its
// files change.
package tlslisten
