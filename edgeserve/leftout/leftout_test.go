package leftout

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestLeftout shows which paths rules leave out: the rule with the longest path decides.
func TestLeftout(t *testing.T) {
	for _, tt := range []struct {
		name                       string
		exclude, include, defaults string
		canonical                  string
		out, in                    string // paths
	}{
		{"nothing", "", "", "", "", "", "Data Data.a"},
		{"a path and everything below", "Data.body", "", "", "Data.body", "Data.body Data.body.content Data.body.content.text", "Data Data.bod Data.body2 Data.title"},
		{"an exception below", "Data.body", "Data.body.title", "", "Data.body; except Data.body.title", "Data.body Data.body.x Data.body.titles", "Data.body.title Data.body.title.de"},
		{"a list of what is searched", "Data", "Data.title Data.tags", "", "Data; except Data.tags, Data.title", "Data Data.x", "Data.title Data.tags Name"},
		{"an exclude below an exception", "Data.a Data.a.b.c", "Data.a.b", "", "Data.a, Data.a.b.c; except Data.a.b", "Data.a Data.a.x Data.a.b.c", "Data.a.b Data.a.b.x"},
		{"rules that change nothing", "Data.a.b Data.a Data.a", "Data.a.x Data.a.x.y", "", "Data.a; except Data.a.x", "Data.a.b", "Data.a.x.y"},
		{"a member of one's own", "Source", "", "", "Source", "Source Source.ID", "Sources"},
		{"a default", "", "", "Data.html", "Data.html", "Data.html", "Data.body"},
		{"a default that is taken back", "", "Data.html", "Data.html", "", "", "Data.html"},
		{"a default below an exclude, taken back", "Data", "Data.html", "Data.html", "Data; except Data.html", "Data.body", "Data.html Data.html.x"},
		{"a default that is excluded too", "Data.html", "", "Data.html", "Data.html", "Data.html", ""},
		{"an exception below a default", "", "Data.html.x", "Data.html", "Data.html; except Data.html.x", "Data.html", "Data.html.x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := New(strings.Fields(tt.exclude), strings.Fields(tt.include), strings.Fields(tt.defaults), nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.String() != tt.canonical || r.Check() != nil || r.Empty() != (tt.canonical == "") {
				t.Errorf("canonical: %q, %v", r, r.Check())
			}
			for _, path := range strings.Fields(tt.out) {
				if rule := r.Rule(path); !r.Covers(path) || rule == "" || !strings.HasPrefix(path, rule) {
					t.Errorf("%s is not left out, rule %q", path, rule)
				}
			}
			for _, path := range strings.Fields(tt.in) {
				if r.Covers(path) || r.Rule(path) != "" {
					t.Errorf("%s is left out by %s", path, r.Rule(path))
				}
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	many := make([]string, MaxRules+1)
	for i := range many {
		many[i] = "Data." + strings.Repeat("a", i+1)
	}
	for _, tt := range []struct {
		name             string
		exclude, include []string
		inInclude        bool
		index            int
		want             string
	}{
		{"an include that no exclude covers", []string{"Data.a"}, []string{"Data.a.b", "Data.b"}, true, 1, `nothing leaves out "Data.b": an include is an exception below an excluded path; remove it, or exclude a path above`},
		{"an include above its exclude", []string{"Data.a.b"}, []string{"Data.a"}, true, 0, `nothing leaves out "Data.a"`},
		{"the same path twice", []string{"Data.a", "Data.b"}, []string{"Data.b"}, false, 1, `"Data.b" is in both lists: remove it from one list`},
		{"nothing", []string{"Data.a", ""}, nil, false, 1, "an empty path: write a path such as Data.body"},
		{"an empty name", []string{"Data..a"}, nil, false, 0, `"Data..a" is not a path: a name between its dots is missing`},
		{"a dot at the end", []string{"Data."}, nil, false, 0, `"Data." is not a path`},
		{"a star", []string{"Data.*"}, nil, false, 0, `"Data.*" has a star: write only the path: everything below it is left out too`},
		{"a field of every item", []string{"Name"}, nil, false, 0, `"Name" cannot be left out: lists and searches need Name; paths of Data and members of your own can be left out`},
		{"the id", []string{"Data", "ContentID"}, nil, false, 1, `"ContentID" cannot be left out`},
		{"no text", []string{"Data.\xff"}, nil, false, 0, `"Data.\xff" is not a path`},
		{"a long path", []string{"Data." + strings.Repeat("a", maxPath)}, nil, false, 0, `is not a path: write`},
		{"many", many, nil, false, 0, "1001 paths are more than 1000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := New(tt.exclude, tt.include, nil, []string{"ContentID", "Name"})
			e, ok := errors.AsType[*RuleError](err)
			if !ok || !strings.Contains(err.Error(), tt.want) || e.Include != tt.inInclude || e.Index != tt.index {
				t.Errorf("got %v %+v, want %s", err, e, tt.want)
			}
		})
	}
}

func TestCheckRefuses(t *testing.T) {
	for name, r := range map[string]Rules{
		"order":             {Exclude: []string{"Data.b", "Data.a"}},
		"order of includes": {Exclude: []string{"Data.a"}, Include: []string{"Data.a.c", "Data.a.b"}},
		"twice":             {Exclude: []string{"Data.a", "Data.a"}},
		"without effect":    {Exclude: []string{"Data.a", "Data.a.b"}},
		"include alone":     {Include: []string{"Data.a"}},
		"no path":           {Exclude: []string{"Data..a"}},
	} {
		if r.Check() == nil {
			t.Errorf("%s: accepted %q", name, r)
		}
	}
}

// The canonical form of random rules leaves out what the rules say, of which the longest that covers a path decides.
func TestCanonicalKeepsTheMeaning(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	var paths []string
	for range 60 {
		path := "D"
		for range rng.IntN(4) {
			path += "." + string(rune('a'+rng.IntN(3)))
		}
		paths = append(paths, path)
	}
	for range 2000 {
		of := map[string]bool{"D": true}
		exclude, include := []string{"D"}, []string(nil)
		for range rng.IntN(6) {
			path := paths[rng.IntN(len(paths))]
			if _, known := of[path]; known {
				continue
			}
			if of[path] = rng.IntN(2) == 0; of[path] {
				exclude = append(exclude, path)
			} else {
				include = append(include, path)
			}
		}
		r, err := New(exclude, include, nil, nil)
		if err != nil || r.Check() != nil {
			t.Fatal(exclude, include, err, r.Check())
		}
		for _, path := range paths {
			longest := ""
			for rule := range of {
				if len(rule) > len(longest) && (rule == path || strings.HasPrefix(path, rule+".")) {
					longest = rule
				}
			}
			if r.Covers(path) != of[longest] {
				t.Fatalf("exclude %q include %q: %s is left out: %t", exclude, include, path, r.Covers(path))
			}
		}
	}
}
