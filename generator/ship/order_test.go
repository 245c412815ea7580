package ship

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/checksums"
)

// A bucket is a release or the objects of a store, as a reader sees them: the names of files that each file names, one a
// line, after a line of its own.
type bucket map[string]string

func (b bucket) sums() *checksums.Reader {
	var text bytes.Buffer
	w := checksums.NewWriter(&text)
	for _, name := range slices.Sorted(maps.Keys(b)) {
		if name != release.ChecksumsName && name != release.ManifestName {
			_ = w.Add(name, sha256.Sum256([]byte(b[name]))) // in order
		}
	}
	return checksums.NewReader(&text)
}

func (b bucket) named(name string) []string {
	_, names, _ := strings.Cut(b[name], "\n")
	return strings.Fields(names)
}

// add adds a file, and mostly a precompressed one.
func (b bucket) add(rnd *rand.Rand, name, text string, names ...string) {
	b[name] = text + "\n" + strings.Join(names, "\n")
	if rnd.IntN(3) > 0 {
		b[name+".gz"] = b[name]
	}
}

// randomRelease has some of a few items, which name each other and media; lists of them, by template too, in pages of
// two; what refers to each item; and a snapshot.
func randomRelease(rnd *rand.Rand) bucket {
	b := bucket{}
	picture := func(n int) string {
		text := fmt.Sprint("picture ", n, "\n")
		name := address.MediaFile("site", sha256.Sum256([]byte(text)), fmt.Sprintf("%d.svg", n))
		b[name] = text
		return name
	}
	var ids []int
	for id := range 9 {
		if rnd.IntN(3) > 0 {
			ids = append(ids, id)
		}
	}
	usedIn := map[string][]string{}
	lists := map[string][]string{}
	for _, id := range ids {
		item := address.ItemFile("site", fmt.Sprint(id))
		var names []string
		for range rnd.IntN(3) {
			other := address.ItemFile("site", fmt.Sprint(ids[rnd.IntN(len(ids))]))
			names, usedIn[fmt.Sprint(id)] = append(names, other), append(usedIn[fmt.Sprint(id)], other)
		}
		if rnd.IntN(2) == 0 {
			names = append(names, picture(rnd.IntN(4)))
		}
		b.add(rnd, item, fmt.Sprint("item ", rnd.IntN(2)), names...)
		lists[""] = append(lists[""], item)
		template := fmt.Sprintf("template-t%d/", rnd.IntN(3))
		lists[template] = append(lists[template], item)
	}
	for id, items := range usedIn {
		b.add(rnd, address.UsedInFile("site", id), "used in", items...)
	}
	for filter, items := range lists {
		rnd.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		pages := (len(items) + 1) / 2
		for page := range pages {
			b.add(rnd, listPage(filter, page+1), fmt.Sprint("page of ", pages), items[2*page:min(2*page+2, len(items))]...)
		}
	}
	sum := sha256.Sum256([]byte(fmt.Sprint(b)))
	b[release.SnapshotName("site", sum)] = "snapshot\n"
	b[release.ChecksumsName] = "list\n" + strings.Join(slices.Sorted(maps.Keys(b)), "\n")
	b[release.ManifestName] = fmt.Sprintf("manifest %x\n", sum)
	return b
}

func listPage(filter string, page int) string {
	return fmt.Sprintf("cda/rest/v1/site/contents-list/%ssort-name-asc-2/page-%d.json", filter, page)
}

// steps are the changes from what is there to a release, in the order of a publication that makes those of a stage at
// once. removals counts the last ones, which remove.
func stepsTo(t *testing.T, rnd *rand.Rand, there, next bucket) (steps []change, removals int) {
	t.Helper()
	changes, err := differences(there.sums(), next.sums())
	if err != nil {
		t.Fatal(err)
	}
	listed := there.named(release.ChecksumsName)
	for i := range changes {
		changes[i].left = !changes[i].added() && !slices.Contains(listed, changes[i].name)
	}
	for _, name := range []string{release.ManifestName, release.ChecksumsName} {
		c := change{name: name, new: sha256.Sum256([]byte(next[name]))}
		if there[name] != "" {
			c.old = sha256.Sum256([]byte(there[name]))
		}
		if c.old != c.new {
			changes = append(changes, c)
		}
	}
	s := inOrder(changes)
	for _, stage := range slices.Concat(s.puts, s.removals) {
		rnd.Shuffle(len(stage), func(i, j int) { stage[i], stage[j] = stage[j], stage[i] })
		steps = append(steps, stage...)
	}
	for _, stage := range s.removals {
		removals += len(stage)
	}
	return steps, removals
}

func (b bucket) apply(c change, next bucket) {
	if c.removed() {
		delete(b, c.name)
	} else {
		b[c.name] = next[c.name]
	}
}

// read looks at all that is there, and says what a reader misses: an item of a list that is there, whatever leads to
// it; a page that the first page of a list counts; and, with references, what an item names that a list leads to.
func (b bucket) read(references bool) (missing []string) {
	var open []string
	for name := range b {
		if !strings.Contains(name, "/contents-list/") && !strings.Contains(name, "/used-in") {
			continue
		}
		for _, item := range b.named(name) {
			open = append(open, item)
			if b[item] == "" {
				missing = append(missing, name+" names "+item)
			}
		}
		var pages int
		if n, _ := fmt.Sscanf(b[name], "page of %d", &pages); n == 0 {
			continue
		}
		if list, ok := strings.CutSuffix(strings.TrimSuffix(name, ".gz"), "page-1.json"); ok {
			for page := 2; page <= pages; page++ {
				if other := fmt.Sprintf("%spage-%d.json", list, page); b[other] == "" {
					missing = append(missing, name+" counts "+other)
				}
			}
		}
	}
	seen := map[string]bool{}
	for references && len(open) > 0 {
		item := open[len(open)-1]
		if open = open[:len(open)-1]; seen[item] {
			continue
		}
		seen[item] = true
		for _, name := range b.named(item) {
			open = append(open, name)
			if b[name] == "" {
				missing = append(missing, item+" names "+name)
			}
		}
	}
	return missing
}

// lacks returns a file of a release that is not there as it is.
func (b bucket) lacks(r bucket) string {
	for name, text := range r {
		if b[name] != text {
			return name
		}
	}
	return ""
}

// TestOrder publishes random releases in place, some of which stop anywhere, and reads all that is there after each
// step. After two in a row that stopped, an item may name for a moment what is not there; no list does.
func TestOrder(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 3))
	for range 40 {
		there, interrupted := bucket{}, 0
		for range 6 {
			next := randomRelease(rnd)
			steps, removals := stepsTo(t, rnd, there, next)
			end := len(steps)
			if rnd.IntN(2) == 0 {
				end = rnd.IntN(end + 1)
			}
			for i, c := range steps[:end] {
				if removed := i >= len(steps)-removals; c.removed() != removed {
					t.Fatalf("step %d of %d, %d of which remove: %s", i, len(steps), removals, c.name)
				}
				there.apply(c, next)
				if missing := there.read(interrupted < 2); len(missing) > 0 {
					t.Fatalf("after step %d, %s: %s", i, c.name, strings.Join(missing, "\n"))
				}
				if name := there.lacks(next); there[release.ManifestName] == next[release.ManifestName] && name != "" {
					t.Fatalf("after step %d the manifest is there, and %s is not", i, name)
				}
			}
			if interrupted++; end == len(steps) {
				interrupted = 0
			}
			if end == len(steps) && !maps.Equal(there, next) {
				t.Fatal("another release than the published one is there")
			}
		}
	}
}

func TestTierOf(t *testing.T) {
	for name, want := range map[string]tier{
		release.ManifestName:                        tierManifest,
		release.ChecksumsName:                       tierChecksums,
		address.ItemFile("e", "x"):                  tierItem,
		address.ItemFile("e", "x") + ".gz":          tierItem,
		address.UsedInFile("e", "x"):                tierPage,
		address.UsedInFile("e", "x") + ".zst":       tierPage,
		listPage("", 1):                             tierFirstPage,
		listPage("", 1) + ".br":                     tierFirstPage,
		listPage("", 2):                             tierPage,
		"cda/rest/v1/e/searches/s.json":             tierFirstPage,
		"cda/rest/v1/e/searches/s.2.json":           tierPage,
		release.SnapshotName("e", [32]byte{}):       tierSnapshot,
		address.MediaFile("e", [32]byte{}, "a.svg"): tierMedia,
		"manifests/e-0123.json":                     tierTop,
		"manifests/e-0123456789abcdef.json":         tierSnapshot,
	} {
		if got := tierOf(name); got != want {
			t.Errorf("%s: %d, not %d", name, got, want)
		}
	}
}

// TestRetire: the snapshots of a large site outlive their release, and the names of a larger one do not fill the lease.
func TestRetire(t *testing.T) {
	for count, want := range map[int]int{5000: 5000, 50_000: 5000} {
		p := &live{local: new(local)}
		all := make([]change, count)
		for i := range all {
			all[i] = change{name: release.SnapshotName(fmt.Sprintf("%064d", i), [32]byte{}), old: unknownSum}
		}
		left := p.retire(all)
		text, err := json.Marshal(leaseRecord{liveState: liveState{Retired: p.retired}})
		if len(p.retired) < want || len(p.retired)+len(left) != count || len(text) > maxLease || err != nil {
			t.Errorf("of %d snapshots %d stay and %d are removed, a lease of %d bytes, %v", count, len(p.retired), len(left), len(text), err)
		}
	}
}

func TestDifferences(t *testing.T) {
	a := bucket{"a": "1", "b": "1", "d": "1"}
	changes, err := differences(a.sums(), bucket{"b": "2", "c": "1", "d": "1"}.sums())
	if err != nil || len(changes) != 3 || !changes[0].removed() || changes[1].added() || changes[1].removed() || !changes[2].added() {
		t.Errorf("%+v, %v", changes, err)
	}
	if _, err := differences(a.sums(), checksums.NewReader(strings.NewReader("no list\n"))); err == nil {
		t.Error("a damaged list was read")
	}
}
