// Package builtin holds the certificates of public authorities, which the programs would otherwise read
// from the system, so that they trust the same servers in an image that has nothing but the program.
// Each command imports it. Libraries do not, so that a program chooses for itself.
//
// A system's own certificates win, or the ones that SSL_CERT_FILE and SSL_CERT_DIR name. Time zones come
// with package timezone.
package builtin

import _ "golang.org/x/crypto/x509roots/fallback" // 0.15 MB
