module elasticsearch

go 1.26.0

replace contentedge => ../..

require contentedge v0.0.0

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/klauspost/compress v1.20.4 // indirect
	golang.org/x/mod v0.43.0 // indirect
)
