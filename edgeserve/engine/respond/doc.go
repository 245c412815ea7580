// Package respond makes responses of results: status, header fields, conditional and range answers.
// It is pure: it knows no sockets, no cache and no clock. A node's two adapters and programs without
// a server send the same responses by it, but for Date, X-Request-Id and the fields of a connection.
package respond
