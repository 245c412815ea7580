// Bench compares contentedge with other programs. scripts/bench builds what a benchmark
// needs and starts it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"bench/clusterbench"
	"bench/engine"
	"bench/engine/elastic"
	"bench/engine/ours"
	"bench/engine/scan"
	"bench/releasebench"
	"bench/searchbench"
	"bench/servebench"
	"bench/wasmbench"
)

// engines are the engines without dependencies outside the project.
var engines = map[string]engine.Engine{
	"ours":  ours.Engine{},
	"parse": ours.Engine{Parse: true},
	"scan":  scan.Engine{},

	"elasticsearch": elastic.Engine{},
}

func main() {
	err := run(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("want search, build, markdown, edge, preview, growth, cluster, serve, slow or wasm")
	}
	switch command, rest := args[0], args[1:]; command {
	case "search":
		return searchbench.Main(rest, os.Stdout, os.Stderr)
	case "build":
		return releasebench.Build(rest, os.Stdout)
	case "markdown":
		return releasebench.Markdown(rest, os.Stdout)
	case "edge":
		return releasebench.Edge(rest, os.Stdout)
	case "preview":
		return releasebench.Preview(rest, os.Stdout)
	case "serve":
		return servebench.Main(rest, os.Stdout, os.Stderr)
	case "growth":
		return releasebench.Growth(rest, os.Stdout)
	case "cluster":
		return clusterbench.Main(rest, os.Stdout, os.Stderr)
	case "slow":
		return servebench.Slow(rest, os.Stdout, os.Stderr)
	case "wasm":
		return wasmbench.Main(rest, os.Stdout, os.Stderr)
	case "fiber":
		return servebench.FiberAlone(rest) // serve runs it
	case "multiply":
		return multiply(rest)
	case "engine":
		if len(rest) == 0 || engines[rest[0]] == nil {
			return errors.New("want the name of an engine")
		}
		return engine.Main(engines[rest[0]], rest[1:], os.Stdout)
	default:
		return fmt.Errorf("unknown benchmark %q", command)
	}
}
