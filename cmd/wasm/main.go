//go:build wasip1

// Command wasm is the engine as a WebAssembly module: it answers requests from a release in memory. Build it with
// GOOS=wasip1 GOARCH=wasm and -buildmode=c-shared. contentedge.mjs calls its functions; README.md has the interface
// for programs. All numbers of the functions are 32 bits; texts and bytes lie in the linear memory.
package main

import (
	"unsafe"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/engine/offline"
	"contentedge/edgeserve/engine/respond"
)

// version is the version of the functions below. It changes with any of their meanings, so that contentedge.mjs
// refuses a module that it cannot call.
const version = 1

// module is the state of the one release that the module holds.
var module struct {
	release  *offline.Release
	incoming *offline.Incoming
	input    []byte    // the request, or the manifest
	output   []byte    // the last text that a function returned
	result   [5]uint32 // of respond
	fields   []byte    // what result points to
	body     []byte
}

// main is not called: the module is a reactor, whose functions are.
func main() { defer crash.Exit() }

//go:wasmexport contentedge_version
func moduleVersion() int32 { return version }

//go:wasmexport contentedge_max_body
func maxBody() int32 { return offline.MaxBody }

// input returns n bytes of memory for the next call's input.
//
//go:wasmexport contentedge_input
func input(n int32) unsafe.Pointer {
	if cap(module.input) < int(n) {
		module.input = make([]byte, n)
	}
	module.input = module.input[:n]
	return pointer(module.input)
}

// output returns where the text of the last call lies.
//
//go:wasmexport contentedge_output
func output() unsafe.Pointer { return pointer(module.output) }

// say sets the text of a call, and returns its length.
func say(text string) int32 {
	module.output = append(module.output[:0], text...)
	return int32(len(text))
}

// failed returns the length of an error's text. Zero means no error.
func failed(err error) int32 {
	if err == nil {
		return 0
	}
	return say(err.Error())
}

// open opens the release whose manifest is the input. It returns the length of an error.
//
//go:wasmexport contentedge_open
func open() int32 {
	r, err := offline.Open(module.input)
	module.release, module.input = r, nil // which a manifest may have made large
	return failed(err)
}

// build returns the length of the release's identity.
//
//go:wasmexport contentedge_build
func build() int32 { return say(module.release.Build()) }

// receive begins to receive the snapshot of the environment that is the input. It returns the length of an error. Of a
// search-only snapshot, lines follow the environment: its file, its bytes, its SHA-256.
//
//go:wasmexport contentedge_receive
func receive() int32 {
	in, err := receiveInput(module.release, string(module.input))
	module.incoming = in
	return failed(err)
}

// rest returns where the next bytes of the snapshot go.
//
//go:wasmexport contentedge_rest
func rest() unsafe.Pointer { return pointer(module.incoming.Rest()) }

// arrived says that n more bytes of the snapshot are there.
//
//go:wasmexport contentedge_arrived
func arrived(n int32) { module.incoming.Arrived(int(n)) }

// load ends the reception: the environment answers from the snapshot. It returns the length of an error.
//
//go:wasmexport contentedge_load
func load() int32 {
	err := module.release.Load(module.incoming)
	module.incoming = nil
	boundHeap(module.release.Loaded())
	return failed(err)
}

// drop ends a reception that failed.
//
//go:wasmexport contentedge_drop
func drop() { module.incoming = nil }

// respond answers the request that is the input: its head of n bytes, then its body. It returns five numbers:
// the status, the fields and the body, each with its place and length. Status 0: the body lists files that the
// answer needs first. round is how often files of items were brought for this request; -1: some could not be had.
//
//go:wasmexport contentedge_respond
func answer(head, round int32) unsafe.Pointer {
	request := readRequest(module.input, int(head))
	request.Round = int(round)
	response, files, cause := module.release.Respond(request)
	if len(files) > 0 {
		response.Body = listFiles(files)
	}
	report(cause)
	return finish(response)
}

// finish keeps a response until done, and returns where it is.
func finish(response respond.Response) unsafe.Pointer {
	module.fields, module.body = response.Fields, response.Body
	module.result = [...]uint32{uint32(response.Status), place(module.fields), uint32(len(module.fields)), place(module.body), uint32(len(module.body))}
	return unsafe.Pointer(&module.result)
}

// refuse answers the request that is the input as respond does, with the problem of a program that failed: an
// instance that answered it has crashed.
//
//go:wasmexport contentedge_refuse
func refuse(head int32) unsafe.Pointer {
	return finish(module.release.Refuse(readRequest(module.input, int(head))))
}

// item takes the file of an item: the input is its name of n bytes, then its bytes. It returns the length of an error.
//
//go:wasmexport contentedge_item
func item(n int32) int32 {
	name, body := string(module.input[:n]), module.input[n:]
	module.input = nil // the body stays where it is
	return failed(module.release.PutItem(name, body))
}

// done gives back the memory of the response.
//
//go:wasmexport contentedge_done
func done() { module.fields, module.body = nil, nil }

func pointer(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

func place(b []byte) uint32 { return uint32(uintptr(pointer(b))) }
