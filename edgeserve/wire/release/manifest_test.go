// These tests check the manifest's bytes, that Build covers all members, and that Parse
// accepts only what Encode writes.

package release

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
)

// sample has every member set.
func sample() *Manifest {
	sum := sha256.Sum256([]byte("snapshot"))
	return &Manifest{
		Format:   Format,
		Defaults: Defaults{Sort: "CreatedAt", PageSize: 10},
		Environments: []Environment{
			{ID: "Project_1", Items: 3, Files: 7, Bytes: 1234,
				Snapshot: Snapshot{File: SnapshotName("Project_1", sum), Bytes: 8, SHA256: hex.EncodeToString(sum[:])},
				Fields:   []Field{{"Data.size", "text", []string{"keyword", "long"}}, {Path: "Name", Type: "text"}},
				Lists: []Family{
					{Sort: "CreatedAt", PageSize: 10, Values: []FamilyValue{{TotalItems: 3}}},
					{Filters: []string{"template", "status"}, Sort: "CreatedAt", PageSize: 10, Values: []FamilyValue{
						{Filters: map[string]string{"template": "A & <B>", "status": "Draft"}, TotalItems: 1},
						{Filters: map[string]string{"status": "Published", "template": "A & <B>"}, TotalItems: 1},
						{Filters: map[string]string{"status": "Draft", "template": "日本"}, TotalItems: 1},
					}},
					{Sort: "Name", Asc: true, PageSize: 20},
				}},
			{ID: "empty", Snapshot: Snapshot{File: SnapshotName("empty", sum), Bytes: 8, SHA256: hex.EncodeToString(sum[:])}},
		},
		Files: 9, Bytes: 5678,
		Compression: []Compression{{"br", 5, 1}, {"gzip", 9, 0}},
		Checksums:   Checksums{Bytes: 700, SHA256: strings.Repeat("0f", 32)},
	}
}

// sampleText is the text of sample, with BUILD in place of its build.
var sampleText = compact(`
{
  "format": 5,
  "build": "BUILD",
  "defaults": {"sort": "CreatedAt", "sortAsc": false, "pageSize": 10},
  "environments": [
    {
      "id": "Project_1",
      "items": 3,
      "snapshot": {"file": "snapshots/Project_1-16a0eeb0791b6c92.snap", "bytes": 8, "sha256": "16a0eeb0791b6c92451fd284dd9f599e0a7dbe7f6ebea6e2d2d06c7f74aec112"},
      "fields": [{"path": "Data.size", "type": "text", "subFields": ["keyword", "long"]}, {"path": "Name", "type": "text", "subFields": []}],
      "lists": [
        {"filters": [], "sort": "CreatedAt", "sortAsc": false, "pageSize": 10, "values": [{"totalItems": 3}]},
        {
          "filters": ["template", "status"],
          "sort": "CreatedAt",
          "sortAsc": false,
          "pageSize": 10,
          "values": [
            {"filters": {"status": "Draft", "template": "A & <B>"}, "totalItems": 1},
            {"filters": {"status": "Published", "template": "A & <B>"}, "totalItems": 1},
            {"filters": {"status": "Draft", "template": "日本"}, "totalItems": 1}
          ]
        },
        {"filters": [], "sort": "Name", "sortAsc": true, "pageSize": 20, "values": []}
      ],
      "files": 7,
      "bytes": 1234
    },
    {
      "id": "empty",
      "items": 0,
      "snapshot": {"file": "snapshots/empty-16a0eeb0791b6c92.snap", "bytes": 8, "sha256": "16a0eeb0791b6c92451fd284dd9f599e0a7dbe7f6ebea6e2d2d06c7f74aec112"},
      "fields": [],
      "lists": [],
      "files": 0,
      "bytes": 0
    }
  ],
  "files": 9,
  "bytes": 5678,
  "compression": [{"coding": "br", "level": 5, "version": 1}, {"coding": "gzip", "level": 9}],
  "sums": {"bytes": 700, "sha256": "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"}
}`)

// compact removes the white space from JSON, as manifests have none.
func compact(text string) string {
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		panic(err)
	}
	return b.String() + "\n"
}

// TestRelease shows the text of a manifest. Parse returns the same manifest again. The build is a
// digest of all other members.
func TestRelease(t *testing.T) {
	m := sample()
	got := string(m.Encode())
	sum := sha256.Sum256([]byte(strings.Replace(sampleText, `"build":"BUILD",`, "", 1)))
	build := hex.EncodeToString(sum[:8])
	want := strings.Replace(sampleText, "BUILD", build, 1)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if again := string(m.Encode()); again != got || m.Build != build {
		t.Errorf("the second time %s, build %s", again, m.Build)
	}
	back, err := Parse([]byte(got))
	if err != nil || !bytes.Equal(back.Encode(), []byte(got)) || back.Build != m.Build {
		t.Errorf("read back: %+v, %v", back, err)
	}
	if back.Environments[0].Lists[1].Values[2].Filters["template"] != "日本" || !reflect.DeepEqual(back.Defaults, m.Defaults) {
		t.Errorf("read back: %+v", back)
	}
}

func TestEncodeLeavesTheCallersListsAlone(t *testing.T) {
	m := sample()
	m.Encode()
	want := sample()
	want.Build = m.Build
	if !reflect.DeepEqual(m, want) {
		t.Errorf("got %+v", m)
	}
}

func TestBuildDependsOnEverything(t *testing.T) {
	changes := map[string]func(*Manifest){
		"format":           func(m *Manifest) { m.Format++ },
		"default sort":     func(m *Manifest) { m.Defaults.Sort = "Name" },
		"default order":    func(m *Manifest) { m.Defaults.Asc = true },
		"default size":     func(m *Manifest) { m.Defaults.PageSize++ },
		"files":            func(m *Manifest) { m.Files++ },
		"bytes":            func(m *Manifest) { m.Bytes++ },
		"environment":      func(m *Manifest) { m.Environments = m.Environments[:1] },
		"items":            func(m *Manifest) { m.Environments[0].Items++ },
		"checksum":         func(m *Manifest) { m.Environments[0].Snapshot.SHA256 = strings.Repeat("0", 64) },
		"snapshot file":    func(m *Manifest) { m.Environments[0].Snapshot.File = "x" },
		"snapshot bytes":   func(m *Manifest) { m.Environments[0].Snapshot.Bytes++ },
		"list filters":     func(m *Manifest) { m.Environments[0].Lists[1].Filters[0] = "name" },
		"list order":       func(m *Manifest) { m.Environments[0].Lists[1].Asc = true },
		"list value":       func(m *Manifest) { m.Environments[0].Lists[1].Values[0].Filters["status"] = "x" },
		"list total":       func(m *Manifest) { m.Environments[0].Lists[1].Values[0].TotalItems++ },
		"env file count":   func(m *Manifest) { m.Environments[0].Files++ },
		"env byte count":   func(m *Manifest) { m.Environments[0].Bytes++ },
		"codings":          func(m *Manifest) { m.Compression = m.Compression[1:] },
		"level":            func(m *Manifest) { m.Compression[0].Level++ },
		"sums":             func(m *Manifest) { m.Checksums.SHA256 = strings.Repeat("0", 64) },
		"bytes of sums":    func(m *Manifest) { m.Checksums.Bytes++ },
		"environment's id": func(m *Manifest) { m.Environments[0].ID = "Project_0" },
		"field":            func(m *Manifest) { m.Environments[0].Fields[0].Path = "Data.other" },
		"field's type":     func(m *Manifest) { m.Environments[0].Fields[0].Type = "long" },
		"paths left out":   func(m *Manifest) { m.Environments[0].LeftOut.Exclude = []string{"Data.body"} },
		"sub-fields":       func(m *Manifest) { m.Environments[0].Fields[0].SubFields[1] = "double" },
	}
	builds := map[string]string{}
	for name, change := range changes {
		m := sample()
		change(m)
		m.Encode()
		if other, ok := builds[m.Build]; ok {
			t.Errorf("%s and %s give the same build", name, other)
		}
		builds[m.Build] = name
	}
	m := sample()
	m.Encode()
	if other, ok := builds[m.Build]; ok {
		t.Errorf("%s does not change the build", other)
	}
	m.Build = "something else"
	if m.Encode(); builds[m.Build] != "" {
		t.Error("the old build changes the new one")
	}
}

func TestParseRefusesContent(t *testing.T) {
	env := func(change func(*Environment)) func(*Manifest) {
		return func(m *Manifest) { change(&m.Environments[0]) }
	}
	file := func(name string) func(*Manifest) { return env(func(e *Environment) { e.Snapshot.File = name }) }
	list := func(change func(*Family)) func(*Manifest) { return env(func(e *Environment) { change(&e.Lists[1]) }) }
	tests := map[string]func(*Manifest){
		"file absolute":           file("/etc/passwd"),
		"file above":              file("../x.snap"),
		"file above within":       file("snapshots/../../x.snap"),
		"file not clean":          file("snapshots//Project_1-16a0eeb0791b6c92.snap"),
		"file in another place":   file("cda/x.snap"),
		"file of another content": file("snapshots/Project_1-0000000000000000.snap"),
		"file of another env":     file("snapshots/empty-16a0eeb0791b6c92.snap"),
		"no file":                 file(""),
		"sum too short":           env(func(e *Environment) { e.Snapshot.SHA256 = e.Snapshot.SHA256[:62] }),
		"sum in upper case":       env(func(e *Environment) { e.Snapshot.SHA256 = strings.ToUpper(e.Snapshot.SHA256) }),
		"sum not hexadecimal":     env(func(e *Environment) { e.Snapshot.SHA256 = strings.Repeat("x", 64) }),
		"snapshot size":           env(func(e *Environment) { e.Snapshot.Bytes = -1 }),
		"digest without media":    env(func(e *Environment) { e.Media.SHA256 = e.Snapshot.SHA256 }),
		"digest of media":         env(func(e *Environment) { e.Media = Media{1, 1, "../x"} }),
		"items":                   env(func(e *Environment) { e.Items = -1 }),
		"environment files":       env(func(e *Environment) { e.Files = -1 }),
		"environment bytes":       env(func(e *Environment) { e.Bytes = -1 }),
		"environment's id":        rename("../x"),
		"environment's id _":      rename("_x"),
		"environment's id empty":  rename(""),
		"environment's id long":   rename(strings.Repeat("a", 65)),
		"environment's id UTF-8":  rename("é"),
		"environments' order":     rename("zzz"),
		"environments twice":      rename("empty"),
		"files":                   func(m *Manifest) { m.Files = -1 },
		"bytes":                   func(m *Manifest) { m.Bytes = -1 },
		"no default sort":         func(m *Manifest) { m.Defaults.Sort = "" },
		"default sort":            func(m *Manifest) { m.Defaults.Sort = "Data." },
		"order of files":          list(func(f *Family) { f.Sort = "Data.x" }),
		"default size 0":          func(m *Manifest) { m.Defaults.PageSize = 0 },
		"default size":            func(m *Manifest) { m.Defaults.PageSize = address.MaxSize + 1 },
		"unknown filter":          list(func(f *Family) { f.Filters, f.Values = []string{"page"}, nil }),
		"filters' order":          list(func(f *Family) { f.Filters, f.Values = []string{"status", "template"}, nil }),
		"filter twice":            list(func(f *Family) { f.Filters, f.Values = []string{"status", "status"}, nil }),
		"list sort":               list(func(f *Family) { f.Sort = "../x" }),
		"list size":               list(func(f *Family) { f.PageSize = -1 }),
		"list twice":              env(func(e *Environment) { e.Lists = append(e.Lists, e.Lists[1]) }),
		"value order":             list(func(f *Family) { f.Values[0], f.Values[1] = f.Values[1], f.Values[0] }),
		"value twice":             list(func(f *Family) { f.Values[1] = f.Values[0] }),
		"value without a filter":  list(func(f *Family) { f.Values[0].Filters = map[string]string{"status": "x"} }),
		"value with another":      list(func(f *Family) { f.Values[0].Filters = map[string]string{"status": "x", "name": "x"} }),
		"value with one more":     list(func(f *Family) { f.Values[0].Filters["name"] = "x" }),
		"value empty":             list(func(f *Family) { f.Values[0].Filters["template"] = "" }),
		"value's total":           list(func(f *Family) { f.Values[0].TotalItems = -1 }),
		"fields' order":           env(func(e *Environment) { e.Fields[0].Path = "Z" }),
		"field twice":             env(func(e *Environment) { e.Fields[1].Path = e.Fields[0].Path }),
		"field without a type":    env(func(e *Environment) { e.Fields[0].Type = "" }),
		"type that is no word":    env(func(e *Environment) { e.Fields[0].SubFields[0] = "key word" }),
		"two values, no filters":  env(func(e *Environment) { e.Lists[0].Values = append(e.Lists[0].Values, e.Lists[0].Values[0]) }),
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			m := sample()
			change(m)
			if _, err := Parse(m.Encode()); !errors.Is(err, ErrManifest) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestParseAcceptsBounds accepts the least and the greatest of each figure.
func TestParseAcceptsBounds(t *testing.T) {
	for name, change := range map[string]func(*Manifest){
		"default size 1":       func(m *Manifest) { m.Defaults.PageSize = 1 },
		"largest default size": func(m *Manifest) { m.Defaults.PageSize = address.MaxSize },
		"default path":         func(m *Manifest) { m.Defaults.Sort = "Data.x" },
		"list size 1":          func(m *Manifest) { m.Environments[0].Lists[1].PageSize = 1 },
		"largest list size":    func(m *Manifest) { m.Environments[0].Lists[1].PageSize = address.MaxSize },
		"no items":             func(m *Manifest) { m.Environments[0].Items = 0 },
		"longest id":           rename("P" + strings.Repeat("a", 63)),
	} {
		m := sample()
		change(m)
		if got, err := Parse(m.Encode()); err != nil || got.Defaults != m.Defaults || got.Environments[0].ID != m.Environments[0].ID {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// rename changes the first environment's id and its snapshot's file name.
func rename(id string) func(*Manifest) {
	return func(m *Manifest) {
		m.Environments[0].ID = id
		m.Environments[0].Snapshot.File = SnapshotName(id, sha256.Sum256([]byte("snapshot")))
	}
}

// The item counts of an unknown format are still readable.
func TestFormatError(t *testing.T) {
	older := strings.Replace(string(sample().Encode()), `"format":5`, `"format":2`, 1)
	_, err := Parse([]byte(older))
	var e *FormatError
	if !errors.As(err, &e) || !errors.Is(err, ErrFormat) || e.Format != 2 || len(e.Environments) != 2 || e.Environments[0].ID != "Project_1" || e.Environments[0].Items != 3 {
		t.Errorf("%+v", err)
	}
}

func TestParseRefusesText(t *testing.T) {
	good := string(sample().Encode())
	build := good[len(`{"format":5,"build":"`):][:16]
	tests := map[string]struct{ text, message string }{
		"nothing":         {"", "bad manifest: unexpected end of JSON input"},
		"null":            {"null", "bad manifest: no format number"},
		"no format":       {"{}", "bad manifest: no format number"},
		"cut":             {good[:len(good)-3], "bad manifest: unexpected end of JSON input"},
		"newer format":    {strings.Replace(good, `"format":5`, `"format":9,"new":[]`, 1), "unknown manifest format: a newer program made the release (format 9, this program reads 3 to 8): use a program whose --version says manifest 9 or more, or make a release of an older format current"},
		"newer shape":     {`{"format":9,"environments":{"a":1}}`, "unknown manifest format: a newer program made the release (format 9, this program reads 3 to 8): use a program whose --version says manifest 9 or more, or make a release of an older format current"},
		"sums cut":        {strings.Replace(good, strings.Repeat("0f", 32), strings.Repeat("0f", 31), 1), ""},
		"coding twice":    {strings.Replace(good, `"coding":"gzip"`, `"coding":"br"`, 1), ""},
		"older format":    {`{"format":0}`, "unknown manifest format: an older program made the release (format 0, this program reads 3 to 8): rebuild the release with this version's generator"},
		"other build":     {strings.Replace(good, build, "0123456789abcdef", 1), `bad manifest: build is "0123456789abcdef", but the content has build ` + build},
		"no build":        {strings.Replace(good, `"build":"`+build+`",`, "", 1), `bad manifest: build is "", but the content has build ` + build},
		"unknown member":  {strings.Replace(good, `"defaults"`, `"x":1,"defaults"`, 1), ""},
		"member twice":    {strings.Replace(good, `"files":9`, `"files":9,"files":9`, 1), "bad manifest: not in canonical form"},
		"other case":      {strings.Replace(good, `"files":9`, `"Files":9`, 1), "bad manifest: not in canonical form"},
		"white space":     {strings.Replace(good, ",", ", ", 1), "bad manifest: not in canonical form"},
		"no line end":     {strings.TrimSpace(good), "bad manifest: not in canonical form"},
		"null list":       {strings.Replace(good, `"lists":[]`, `"lists":null`, 1), "bad manifest: not in canonical form"},
		"text after":      {good + "{}", "bad manifest: not in canonical form"},
		"fraction":        {strings.Replace(good, `"files":9`, `"files":9.5`, 1), "bad manifest: json: cannot unmarshal number 9.5 into Go struct field Manifest.files of type int"},
		"too long":        {strings.Repeat(" ", MaxManifest+1), "bad manifest: 67108865 bytes, more than 67108864"},
		"changed content": {strings.Replace(good, `"items":3`, `"items":4`, 1), ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m, err := Parse([]byte(test.text))
			if m != nil || err == nil || errors.Is(err, ErrManifest) == errors.Is(err, ErrFormat) {
				t.Fatalf("got %+v, %v", m, err)
			}
			if test.message != "" && err.Error() != test.message {
				t.Errorf("got  %s\nwant %s", err, test.message)
			}
		})
	}
}

func TestParseRefusesEveryChangedByte(t *testing.T) {
	good := sample().Encode()
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 1 << rng.IntN(8)
		if _, err := Parse(bad); err == nil {
			t.Fatalf("byte %d changed from %q to %q went unseen", i, good[i], bad[i])
		}
	}
}

func FuzzManifest(f *testing.F) {
	f.Add(sample().Encode())
	f.Add((&Manifest{Format: Format, Defaults: Defaults{Sort: "Name", PageSize: 1}}).Encode())
	f.Add([]byte(`{"format":5,"build":"","environments":[{"id":"a","snapshot":{"file":"../../x"}}]}`))
	f.Add([]byte(`{"format":5}`))
	f.Add(addMembers(f, sample(), `"files":7`, `"x":{"a":[1,{}]},"files":7`))
	f.Add(withLeftOut([]string{"Data.body"}, []string{"Data.body.title"}).Encode())
	f.Add(withTemplates().Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		reseal(b, t)
		m, err := Parse(b)
		if err != nil {
			return
		}
		if again := m.encode(); !bytes.Equal(again, b) {
			known, err := knownMembers(b[:len(b)-1], reflect.TypeFor[Manifest]())
			if err != nil || !bytes.Equal(again, append(known, '\n')) {
				t.Fatalf("%q was read and became %q", b, again)
			}
		}
		for _, e := range m.Environments {
			if name, ok := strings.CutPrefix(e.Snapshot.File, "snapshots/"); !ok || strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") || e.Snapshot.Bytes < 0 {
				t.Fatalf("environment %q has the snapshot %+v", e.ID, e.Snapshot)
			}
		}
	})
}

// reseal corrects the build of a manifest, so that the checks after it run. If they
// pass, Parse must accept the manifest.
func reseal(b []byte, t *testing.T) {
	m := new(Manifest)
	if json.Unmarshal(b, m) != nil || m.check() != nil || m.Format < Format {
		return
	}
	if _, err := Parse(m.Encode()); err != nil {
		t.Fatalf("%+v passes the checks, but %v", m, err)
	}
}
