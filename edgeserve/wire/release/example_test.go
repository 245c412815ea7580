package release_test

import (
	"fmt"
	"log"
	"time"

	"contentedge/edgeserve/wire/release"
)

// A pointer names the current release of a store. Its sequence rises with each publication.
func ExampleParsePointer() {
	at := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	first := (&release.Pointer{}).Next("0123456789abcdef", []byte("the manifest"), at)
	text := first.Next("fedcba9876543210", []byte("another manifest"), at.Add(time.Hour)).Encode()
	pointer, err := release.ParsePointer(text)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(pointer.Sequence, pointer.Build, pointer.Previous, pointer.ManifestBytes)
	// Output:
	// 2 fedcba9876543210 0123456789abcdef 16
}

// A class of responses has a value of Cache-Control.
func ExampleStandard() {
	policy := release.Standard()
	fmt.Println(policy[release.ClassError])
	// Output:
	// no-store
}

// A validator is the digest of a body.
func ExampleETag() {
	fmt.Println(release.ETag([]byte("{}")))
	// Output:
	// "RBNvo1WzZ4oRRq0W9-hknp"
}
