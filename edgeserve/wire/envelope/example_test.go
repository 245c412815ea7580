package envelope_test

import (
	"fmt"

	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
)

// A fragment is the JSON of an item. A response has fragments in an envelope.
func ExampleAppendList() {
	fragments := [][]byte{[]byte(`{"ContentID":"a"}`), []byte(`{"ContentID":"b"}`)}
	fmt.Println(string(envelope.AppendList(nil, fragments, 12)))
	// Output:
	// {"status":200,"data":[{"ContentID":"a"},{"ContentID":"b"}],"totalItems":12}
}

func ExampleAppendItem() {
	body := envelope.AppendItem(nil, []byte(`{"ContentID":"a"}`))
	fmt.Println(string(body))
	fragment, ok := envelope.Item(body)
	fmt.Println(string(fragment), ok)
	// Output:
	// {"status":200,"data":{"ContentID":"a"}}
	// {"ContentID":"a"} true
}

func ExampleAppendError() {
	fmt.Println(string(envelope.AppendError(nil, *problem.Of(problem.NotReady))))
	// Output:
	// {"status":503,"error":{"code":"not_ready","message":"no release is loaded yet; try again"}}
}

// A filter leaves members out of an item, as _source of a search does.
func ExampleSourceFilter() {
	filter := envelope.NewSourceFilter([]string{"Data.*"}, []string{"Data.body"})
	fmt.Println(string(filter.Append(nil, []byte(`{"ContentID":"a","Data":{"title":"A","body":"long"}}`))))
	// Output:
	// {"Data":{"title":"A"}}
}
