// This file sends requests to a store, and repeats requests that fail temporarily.

package ship

import (
	"bytes"
	"context"
	"io"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/generator/retry"
)

// attempts is how often a request that fails temporarily is sent, with the first time.
const attempts = 6

func again[T any](ctx context.Context, request func() (T, error)) (T, error) {
	return retry.Do(ctx, attempts, store.Temporary, request)
}

func get(ctx context.Context, s *store.Store, key string, max int64) (b []byte, info store.Info, err error) {
	info, err = again(ctx, func() (info store.Info, err error) {
		b, info, err = s.ReadAll(ctx, key, store.GetOptions{Max: max})
		return info, err
	})
	return b, info, err
}

func put(ctx context.Context, s *store.Store, key string, content io.ReaderAt, size int64, o store.PutOptions) (store.Info, error) {
	return again(ctx, func() (store.Info, error) { return s.Put(ctx, key, content, size, o) })
}

// putBytes writes an object whose digest the service verifies.
func putBytes(ctx context.Context, s *store.Store, key string, b []byte, o store.PutOptions) (store.Info, error) {
	o.SHA256 = release.HexSHA256(b)
	return put(ctx, s, key, bytes.NewReader(b), int64(len(b)), o)
}

func copyFile(ctx context.Context, s *store.Store, from, to string) (store.Info, error) {
	return again(ctx, func() (store.Info, error) { return s.Copy(ctx, from, to) })
}

func remove(ctx context.Context, s *store.Store, key string) error {
	_, err := again(ctx, func() (struct{}, error) { return struct{}{}, s.Delete(ctx, key) })
	return err
}
