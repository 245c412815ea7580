// This file has the mapping files of systems. TestSystems asks for a sample of each.

package anyjson

import (
	"embed"
	"io/fs"
)

//go:embed mappings/*.yaml
var embedded embed.FS

// mappings are the mapping files of systems, by NAME.yaml.
var mappings = func() fs.FS {
	below, err := fs.Sub(embedded, "mappings")
	if err != nil {
		panic(err) // the name is valid
	}
	return below
}()
