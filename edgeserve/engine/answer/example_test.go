package answer_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/generator"
)

// A release answers requests without a server.
func ExampleRelease_Respond() {
	out, err := os.MkdirTemp("", "release")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(out)
	if _, err := generator.Build(context.Background(), generator.BuildConfig{Content: filepath.FromSlash("../../../content"), Out: out}); err != nil {
		log.Fatal(err)
	}
	dir, err := releasedir.Open(out, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer dir.Close()
	release := answer.FromSnapshots(dir.Manifest, dir.Readers)
	for _, target := range []string{"/cda/es/v1/events", "/cda/es/v1/nowhere"} {
		response, problem, err := release.Respond(target, []byte(`{"query":{"match":{"Data.title":"rope"}}}`))
		switch {
		case err != nil:
			log.Fatal(err)
		case problem != nil:
			fmt.Println(problem.Status, problem.Code)
		default:
			fmt.Println(response.Total, "hits")
		}
	}
	// Output:
	// 1 hits
	// 404 unknown_environment
}
