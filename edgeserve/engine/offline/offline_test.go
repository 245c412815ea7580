package offline_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/offline"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// site is a manifest of two environments, with their snapshots.
func site(t *testing.T) (manifest []byte, snapshots map[string][]byte) {
	t.Helper()
	m := release.Manifest{Defaults: release.Defaults{Sort: "CreatedAt", PageSize: 10}, Checksums: release.Checksums{SHA256: strings.Repeat("0", 64)}}
	snapshots = map[string][]byte{}
	for _, env := range []string{"first", "second"} {
		b := snaptest.Bytes(t, snaptest.Env{Name: env, Items: []string{`{"ContentID":"A","CreatedAt":"2021-01-04T00:00:00.000Z","Name":"coat of ` + env + `"}`}})
		sum := sha256.Sum256(b)
		snapshots[env] = b
		m.Environments = append(m.Environments, release.Environment{ID: env, Items: 1, Snapshot: release.Snapshot{
			File: release.SnapshotName(env, sum), Bytes: int64(len(b)), SHA256: hex.EncodeToString(sum[:]),
		}})
	}
	m.SetFormat()
	return m.Encode(), snapshots
}

// TestOfflineSearchOnly: from a search-only snapshot, a release names the files of items that an answer lacks.
func TestOfflineSearchOnly(t *testing.T) {
	manifest, snapshots := site(t)
	r, err := offline.Open(manifest)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := snapshot.OpenBytes(snapshots["first"])
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := whole.WriteSearchOnly(&b); err != nil {
		t.Fatal(err)
	}
	said := release.Snapshot{File: "search/first", Bytes: int64(b.Len()), SHA256: release.HexSHA256(b.Bytes())}
	receive := func(s release.Snapshot) error {
		in, err := r.ReceiveSearchOnly("first", s)
		if err == nil {
			in.Arrived(copy(in.Rest(), b.Bytes()))
			err = r.Load(in)
		}
		return err
	}
	t.Run("a snapshot that is not the one that was said is refused", func(t *testing.T) {
		other, long := said, said
		other.SHA256, long.Bytes = strings.Repeat("0", 64), 1<<30
		for want, s := range map[string]release.Snapshot{"has the SHA-256": other, "more than the snapshot": long} {
			if err := receive(s); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		}
	})
	if err := receive(said); err != nil {
		t.Fatal(err)
	}
	respond := func(round int) (status int, body string, files []offline.File) {
		response, files, err := r.Respond(&offline.Request{Method: []byte("GET"), Target: []byte("/cda/rest/v1/first/contents"), Round: round})
		if err != nil && round != answer.Failed {
			t.Fatal(err)
		}
		return response.Status, string(response.Body), files
	}
	status, _, files := respond(0)
	if status != 0 || len(files) != 1 || files[0].Name != address.ItemFile("first", "A") || files[0].Environment != "" {
		t.Fatalf("status %d, needs %v", status, files)
	}
	if status, body, files := respond(answer.Failed); status != 503 || len(files) > 0 || !strings.Contains(body, problem.Unreadable) {
		t.Errorf("without the item: status %d, needs %v: %s", status, files, body)
	}
	if err := r.PutItem(files[0].Name, []byte(`{"status":200,"data":{"ContentID":"A"}}`)); err == nil {
		t.Error("an item of another release is taken")
	}
	if err := r.PutItem(files[0].Name, envelope.AppendItem(nil, whole.Fragment(0))); err != nil {
		t.Fatal(err)
	}
	if status, body, _ := respond(1); status != 200 || body != string(envelope.AppendList(nil, [][]byte{whole.Fragment(0)}, 1)) {
		t.Errorf("status %d: %s", status, body)
	}
}

func ask(r *offline.Release, method, target, body string) (status int, sent, needed string) {
	response, files, err := r.Respond(&offline.Request{Method: []byte(method), Target: []byte(target), Body: []byte(body)})
	for _, f := range files {
		needed += f.Environment + " "
	}
	if err != nil {
		return response.Status, err.Error(), needed
	}
	return response.Status, string(response.Body), needed
}

// bring loads a snapshot in two portions.
func bring(t *testing.T, r *offline.Release, env string, b []byte) error {
	t.Helper()
	in, err := r.Receive(env)
	if err != nil {
		t.Fatal(err)
	}
	half := len(b) / 2
	in.Arrived(copy(in.Rest(), b[:half]))
	in.Arrived(copy(in.Rest(), b[half:]))
	return r.Load(in)
}

// TestOffline: a release names the snapshots that an answer lacks, and answers once they are there.
func TestOffline(t *testing.T) {
	manifest, snapshots := site(t)
	r, err := offline.Open(manifest)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("what needs no snapshot is answered at once", func(t *testing.T) {
		for target, want := range map[string]int{"/": 200, "/livez": 200, "/none": 404, "/cda/rest/v1/none/contents": 404, "/cda/es/v1/none/_search": 404} {
			if status, _, needed := ask(r, "GET", target, ""); status != want || needed != "" {
				t.Errorf("%s: status %d, needs %q", target, status, needed)
			}
		}
	})
	t.Run("a path names the environment", func(t *testing.T) {
		for _, target := range []string{"/cda/rest/v1/second/contents", "/cda/rest/v1/second/contents/A", "/cda/es/v1/second", "/cda/es/v1/second/_mapping", "/cda/es/v1/second/_doc/A"} {
			if status, _, needed := ask(r, "GET", target, ""); status != 0 || needed != "second " {
				t.Errorf("%s: status %d, needs %q", target, status, needed)
			}
		}
	})
	t.Run("a body names environments", func(t *testing.T) {
		if _, _, needed := ask(r, "POST", "/cda/es/v1/_mget", `{"docs":[{"_index":"second","_id":"A"},{"_index":"none","_id":"A"}]}`); needed != "second " {
			t.Errorf("needs %q", needed)
		}
		if _, _, needed := ask(r, "POST", "/cda/es/v1/_msearch", "{\"index\":\"first\"}\n{}\n{\"index\":\"second\"}\n{}\n"); needed != "first second " {
			t.Errorf("needs %q", needed)
		}
	})
	t.Run("a snapshot that is not the manifest's is refused", func(t *testing.T) {
		damaged := append([]byte(nil), snapshots["first"]...)
		damaged[len(damaged)/2] ^= 1
		for want, b := range map[string][]byte{
			"the file is damaged or belongs to another release": damaged,
			"the file is cut off or belongs":                    snapshots["first"][:100],
			"has the SHA-256":                                   snapshots["second"],
		} {
			if err := bring(t, r, "first", b); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		}
		if _, err := r.Receive("none"); err == nil {
			t.Error("an unknown environment is received")
		}
	})
	t.Run("then the answer comes", func(t *testing.T) {
		if err := bring(t, r, "second", snapshots["second"]); err != nil {
			t.Fatal(err)
		}
		if status, body, needed := ask(r, "GET", "/cda/rest/v1/second/contents/A", ""); status != 200 || !strings.Contains(body, "coat of second") || needed != "" {
			t.Errorf("status %d, needs %q: %s", status, needed, body)
		}
		if _, _, needed := ask(r, "POST", "/cda/es/v1/_msearch", "{\"index\":\"first\"}\n{}\n{\"index\":\"second\"}\n{}\n"); needed != "first " {
			t.Errorf("needs %q", needed)
		}
	})
	t.Run("a manifest of a later format says so", func(t *testing.T) {
		_, err := offline.Open([]byte(`{"format":99,"environments":[]}`))
		if err == nil || !strings.Contains(err.Error(), "a newer program made the release") {
			t.Errorf("error %v", err)
		}
	})
}
