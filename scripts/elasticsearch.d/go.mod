module elasticsearch

go 1.26.0

replace contentedge => ../..

require contentedge v0.0.0
