package release

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"contentedge/edgeserve/leftout"
	"contentedge/edgeserve/wire/address"
)

// many has n environments, which are those of sample but for their ids.
func many(n int) *Manifest {
	m := sample()
	kind := m.Environments
	m.Environments = nil
	for i := range n {
		e := kind[i%len(kind)].canonical()
		e.ID = fmt.Sprintf("e%05d", i)
		e.Snapshot.File = SnapshotName(e.ID, [32]byte(mustHex(e.Snapshot.SHA256)))
		m.Environments = append(m.Environments, e)
	}
	m.SetFormat()
	return m
}

func mustHex(digits string) (b []byte) {
	for i := 0; i < len(digits); i += 2 {
		var v byte
		if _, err := fmt.Sscanf(digits[i:i+2], "%02x", &v); err != nil {
			panic(err)
		}
		b = append(b, v)
	}
	return b
}

// files has the files of a manifest's parts, and counts how often they are read.
type files struct {
	text  map[string]string
	reads []string
}

func filesOf(m *Manifest) *files {
	f := &files{text: map[string]string{}}
	for i := range m.Environments {
		f.text[m.Environments[i].PartFile().Name] = string(m.Environments[i].Text())
	}
	return f
}

func (f *files) read(p PartFile) ([]byte, error) {
	f.reads = append(f.reads, p.Environment)
	text, ok := f.text[p.Name]
	if !ok {
		return nil, errors.New("no such file")
	}
	return []byte(text), nil
}

// A manifest of many environments has a row for each and a part elsewhere; of few, it is the same text as before.
func TestParts(t *testing.T) {
	if few := many(MaxWhole); few.HasParts() || hasParts(few.Encode()) {
		t.Errorf("%d environments have parts", MaxWhole)
	}
	m := many(MaxWhole + 1)
	raw, parts := m.Encode(), filesOf(m)
	if !m.HasParts() || len(raw) > (MaxWhole+1)*200+1000 {
		t.Errorf("parts: %t, %d bytes", m.HasParts(), len(raw))
	}
	if row := `{"id":"e00001","items":0,"manifest":{"bytes":`; !strings.Contains(string(raw), row) {
		t.Errorf("no %s in %s", row, raw)
	}
	got, err := Read(raw, nil, parts.read)
	if err != nil || !reflect.DeepEqual(got, m) || len(parts.reads) != len(m.Environments) {
		t.Fatalf("%v after %d reads", err, len(parts.reads))
	}
	if _, err := Parse(raw); !errors.Is(err, ErrManifest) {
		t.Errorf("without the parts: %v", err)
	}
	rows, err := ParseRows(raw)
	if err != nil || len(rows.Missing(nil)) != len(m.Environments) || len(rows.Missing(m)) != 0 {
		t.Errorf("rows: %v", err)
	}
}

// Environments whose parts are equal are carried over from the manifest before. The build covers what parts say.
func TestCarriedOver(t *testing.T) {
	before := many(MaxWhole + 20)
	before.Encode()
	next := many(MaxWhole + 20)
	next.Environments[8].Lists[0].Values = []FamilyValue{}
	next.Environments = slices.Delete(next.Environments, 50, 51)
	raw, parts := next.Encode(), filesOf(next)
	if next.Build == before.Build {
		t.Error("the build does not cover the parts")
	}
	got, err := Read(raw, before, parts.read)
	if err != nil || !reflect.DeepEqual(got, next) || !slices.Equal(parts.reads, []string{next.Environments[8].ID}) {
		t.Errorf("%v after reading %q", err, parts.reads)
	}
	if &got.Environments[10].Fields[0] != &before.Environments[10].Fields[0] {
		t.Error("an unchanged environment is held twice")
	}
	whole := many(MaxWhole)
	if got, err := Read(raw, whole, parts.read); err != nil || !reflect.DeepEqual(got, next) {
		t.Errorf("after a release without parts: %v", err)
	}
}

// Parts may be filled at once. No member of a part is lost.
func TestFillAtOnce(t *testing.T) {
	m := many(MaxWhole + 1)
	for i := range m.Environments {
		e := &m.Environments[i]
		v := reflect.ValueOf(e).Elem()
		e.Templates = []Template{{Name: "t", Items: max(1, e.Items), Paths: []Path{}}}
		e.Items = max(1, e.Items)
		e.Visible = Interval{From: "2026-01-31T09:00:00.000Z"}
		e.Include, e.UsedIn = []Include{{Template: "t", Levels: 1}}, UsedIn{All: true}
		e.Media, e.LeftOut = Media{Files: 1, Bytes: 1}, leftout.Rules{Exclude: []string{"Data.x"}}
		e.Searches = []Search{{Name: "s", Body: []byte("{}"), Files: 1}}
		if e.Fields = []Field{{"Name", "text", []string{}}}; i == 0 {
			for j := range v.NumField() {
				if name := v.Type().Field(j).Name; v.Field(j).IsZero() && name != "TemplatesLeftOut" && name != "part" && name != "Lists" && name != "Files" && name != "Bytes" {
					t.Errorf("the test sets no %s", name)
				}
			}
		}
	}
	raw, parts := m.Encode(), filesOf(m)
	rows, err := ParseRows(raw)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, p := range rows.Missing(nil) {
		wg.Go(func() {
			if err := rows.Fill(p, []byte(parts.text[p.Name])); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i := range rows.Environments {
		e := &rows.Environments[i]
		if name := e.PartFile().Name; string(e.Text()) != parts.text[name] {
			t.Fatalf("%s: got %s", name, e.Text())
		}
	}
}

// A part that is not the one of its row is refused, as is a manifest whose rows cannot be.
func TestWrongParts(t *testing.T) {
	m := many(MaxWhole + 1)
	raw, parts := m.Encode(), filesOf(m)
	first := m.Environments[0].PartFile()
	for name, text := range map[string]string{
		"empty":            "",
		"cut":              parts.text[first.Name][:100],
		"longer":           parts.text[first.Name] + "\n",
		"another's":        parts.text[m.Environments[2].PartFile().Name],
		"changed":          strings.Replace(parts.text[first.Name], `"files":7`, `"files":8`, 1),
		"missing entirely": "-",
	} {
		t.Run(name, func(t *testing.T) {
			wrong := &files{text: maps.Clone(parts.text)}
			wrong.text[first.Name] = text
			if text == "-" {
				delete(wrong.text, first.Name)
			}
			if _, err := Read(raw, nil, wrong.read); err == nil || !strings.Contains(err.Error(), first.Name) {
				t.Errorf("got %v", err)
			}
		})
	}
	// Whoever writes digests of wrong parts gets no further.
	for name, change := range map[string]func(e *Environment){
		"another environment": func(e *Environment) { e.ID = "e00001x" },
		"another number":      func(e *Environment) { e.Items++ },
		"a file elsewhere":    func(e *Environment) { e.Snapshot.File = "../x" },
	} {
		t.Run(name, func(t *testing.T) {
			wrong := many(MaxWhole + 1)
			e := &wrong.Environments[1]
			lie := *e
			change(&lie)
			text := lie.Text()
			e.part = partOf(text)
			f := filesOf(wrong)
			f.text[e.PartFile().Name] = string(text)
			if _, err := Read(wrong.Encode(), nil, f.read); !errors.Is(err, ErrManifest) {
				t.Errorf("got %v", err)
			}
		})
	}
	for name, change := range map[string]func(string) string{
		"too few rows":  func(string) string { few := many(3); few.Format = formatParts; return string(few.Encode()) },
		"a digest":      func(s string) string { return strings.Replace(s, first.SHA256, first.SHA256[1:], 1) },
		"a size":        func(s string) string { return strings.Replace(s, `"manifest":{"bytes":`, `"manifest":{"bytes":-`, 1) },
		"the order":     func(s string) string { return strings.Replace(s, `"id":"e00001"`, `"id":"e00000"`, 1) },
		"the build":     func(s string) string { return strings.Replace(s, m.Build, "0123456789abcdef", 1) },
		"white space":   func(s string) string { return strings.Replace(s, `"rows"`, ` "rows"`, 1) + " " },
		"an older form": func(s string) string { return strings.Replace(s, `{"format":8,`, `{"format":7,`, 1) },
	} {
		if _, err := Read([]byte(change(string(raw))), nil, parts.read); !errors.Is(err, ErrManifest) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Members that this version does not know are ignored in rows and in parts, and covered by the build.
func TestUnknownMembersOfParts(t *testing.T) {
	m := many(MaxWhole + 1)
	e := &m.Environments[4]
	text := bytes.Replace(e.Text(), []byte(`"items":`), []byte(`"x":[{"y":1}],"items":`), 1)
	e.part = partOf(text)
	parts := filesOf(m)
	parts.text[e.PartFile().Name] = string(text)
	raw := addMembers(t, m, `"manifest":`, `"new":1,"manifest":`)
	got, err := Read(raw, nil, parts.read)
	if err != nil || got.Build == m.Build {
		t.Fatal(err)
	}
	if got.Build = m.Build; !reflect.DeepEqual(got, m) {
		t.Errorf("got %+v", got)
	}
}

// The name of a part says whose it is, as the name of a snapshot does.
func TestEnvironmentOf(t *testing.T) {
	m := many(MaxWhole + 1)
	e := &m.Environments[3]
	for name, want := range map[string]string{
		e.PartFile().Name: e.ID, e.Snapshot.File: e.ID, SnapshotName("a-b", [32]byte{}): "a-b",
		ManifestName: "", ChecksumsName: "", "cda/rest/v1/e/contents/x.json": "", PartsDir + "/x": "",
	} {
		if got := EnvironmentOf(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A row fits into the bytes that the limit of environments is computed with.
func TestMaxEnvironments(t *testing.T) {
	m := many(MaxWhole + 1)
	for i := range m.Environments {
		e := &m.Environments[i]
		if e.ID = strings.Repeat("x", 59) + fmt.Sprintf("%05d", i); !address.ValidEnv(e.ID) || address.ValidEnv(e.ID+"x") {
			t.Fatalf("%s is not the longest id", e.ID)
		}
		e.Items = 1<<31 - 1
		e.Snapshot.Bytes = 1 << 40
	}
	if row := len(m.Encode()) / len(m.Environments); row > maxRow {
		t.Errorf("%d bytes a row", row)
	}
}

func BenchmarkReadUnchanged(b *testing.B) {
	before := many(5000)
	raw := before.Encode()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, err := Read(raw, before, nil); err != nil {
			b.Fatal(err)
		}
	}
}
