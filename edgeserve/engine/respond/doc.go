// Package respond makes the response of a body or a problem: its status and header fields, and the answers
// to conditional and range requests. It is pure: it knows no sockets, no cache and no clock. The two
// adapters of a node and programs without a server call it, so their responses are equal. Only Date,
// X-Request-Id and the fields of a connection are left to them.
//
//	Fields     the fields of all responses of a class
//	Select     the status and the fields of a body: conditional.go and metadata.go
//	SetProblem the fields and the body of a problem
//	Site       whole responses without a server
package respond
