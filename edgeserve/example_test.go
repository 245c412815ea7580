package edgeserve_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	"contentedge/edgeserve"
	"contentedge/generator"
)

// A server serves the release of a directory until its context ends.
func ExampleServer_Serve() {
	public, err := os.MkdirTemp("", "public")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(public)
	if _, err := generator.Build(context.Background(), generator.BuildConfig{Content: "../content", Out: public}); err != nil {
		log.Fatal(err)
	}
	config := edgeserve.Defaults()
	config.Public = public
	server, err := edgeserve.New(config)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- server.Serve(ctx, listener) }()

	response, err := http.Get("http://" + listener.Addr().String() + "/cda/rest/v1/events/contents?pageSize=1")
	if err != nil {
		log.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	fmt.Println(response.StatusCode, len(body) > 0, err)
	stop()
	fmt.Println(<-ended)
	// Output:
	// 200 true <nil>
	// <nil>
}
