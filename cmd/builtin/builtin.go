// Package builtin holds what the programs would otherwise read from the system, so that they answer alike
// in an image that has nothing but the program: time zones, and the certificates of public authorities.
// Each command imports it. Libraries do not, so that a program chooses for itself.
//
// A system's own files win: its time zones, and its certificates or those that SSL_CERT_FILE and
// SSL_CERT_DIR name.
package builtin

import (
	_ "time/tzdata" // 0.4 MB: without it a time_zone is refused where the system has no zone files

	_ "golang.org/x/crypto/x509roots/fallback" // 0.15 MB: without it no https server is trusted where the system has no certificates
)
