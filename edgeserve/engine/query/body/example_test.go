package body_test

import (
	"errors"
	"fmt"
	"log"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
)

func ExampleParse() {
	b, err := body.Parse([]byte(`{"size":3,"query":{"match":{"Data.title":"rope"}}}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d hits of %T\n", b.Window.Size, b.Query)
	// Output:
	// 3 hits of *query.Match
}

// An error has a code and the position in the body.
func ExampleParse_error() {
	text := []byte(`{"query":{"match":{"Data.title":{"query":"rope","fuzzines":1}}}}`)
	_, err := body.Parse(text)
	if e, ok := errors.AsType[*query.Error](err); ok {
		at := body.Locate(text, e)
		fmt.Println(e.Code, at, string(text[at:at+10]))
	}
	// Output:
	// unknown_option 48 "fuzzines"
}
