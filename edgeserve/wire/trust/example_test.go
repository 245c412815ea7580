package trust_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/trust"
)

// A publisher signs a pointer, and a node verifies it with a trust file.
func ExampleSign() {
	private, public, err := trust.NewKey("news.example/ci")
	if err != nil {
		log.Fatal(err)
	}
	policy, err := trust.Parse([]byte("version 1\norigin news.example/production\nthreshold 1\nkey " + public + "\n"))
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	first := (&release.Pointer{}).Next("0123456789abcdef", []byte("the manifest"), now)
	pointer, err := first.ForSigning("news.example/production", now.Add(time.Hour), nil)
	if err != nil {
		log.Fatal(err)
	}
	signer, err := trust.NewSigner(private)
	if err != nil {
		log.Fatal(err)
	}
	signed, err := trust.Sign(pointer.Encode(), signer)
	if err != nil {
		log.Fatal(err)
	}
	verified, err := policy.Verify(signed, now)
	fmt.Println(verified.Pointer.Build, err)
	_, err = policy.Verify(bytes.Replace(signed, []byte("0123456789abcdef"), []byte("fedcba9876543210"), 1), now)
	fmt.Println(errors.Is(err, trust.ErrSignature))
	// Output:
	// 0123456789abcdef <nil>
	// true
}
