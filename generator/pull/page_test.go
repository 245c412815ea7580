package pull

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"contentedge/edgeserve/wire/transfer"
)

func parsePage(t testing.TB, mediaType, body string) (*page, error) {
	t.Helper()
	p, err := New(Config{URL: "https://origin.example", Env: "site", Content: "content", Key: "s3cret"})
	if err != nil {
		t.Fatal(err)
	}
	return p.reader.page(p.origin, &response{address: "https://origin.example/x", mediaType: mediaType, body: []byte(body)})
}

func list(total int, items ...string) string {
	return fmt.Sprintf(`{"status":200,"data":[%s],"totalItems":%d}`, strings.Join(items, ","), total)
}

// TestPages shows which responses are pages, and that items stay as they are.
func TestPages(t *testing.T) {
	const js = "application/json"
	odd := `{"ContentID":"a" , "Data":{"z":1.0,"a":12345678901234567890,"s":"\u2028\ud800` + "\u2028" + `"},"ContentID":"a"}`
	for _, tt := range []struct {
		name, mediaType, body string
		items                 int
		want                  string // in the error
	}{
		{"a list", js, list(1, `{"ContentID":"a"}`), 1, ""},
		{"an empty list", js, list(0), 0, ""},
		{"white space and other members", js, " \n{\"data\" : [ {\"ContentID\":\"a\"} ] ,\"totalItems\":1,\"x\":[1],\"status\":200}\n", 1, ""},
		{"another media type of JSON", "application/vnd.origin+json", list(0), 0, ""},
		{"an item that a build refuses is left to its reader", js, list(1, odd), 1, ""},
		{"HTML", "text/html", "<html>Log in</html>", 0, `the response is text/html, not JSON in UTF-8: "<html>Log in</html>"`},
		{"no type, or another charset", "", list(0), 0, "of an unknown type"},
		{"HTML that calls itself JSON", js, "<html>", 0, `the response is not an object: "<html>"`},
		{"an array", js, "[]", 0, "not an object"},
		{"nothing", js, " ", 0, errCut.Error()},
		{"half of it", js, list(1, `{"ContentID":"a"}`)[:40], 0, errCut.Error()},
		{"half of it, behind an item", js, `{"status":200,"data":[{"ContentID":"a"}`, 0, errCut.Error()},
		{"two objects", js, list(0) + list(0), 0, "continues after its object"},
		{"no JSON", js, `{"status":200,"data":[}`, 0, "no JSON from byte 22 on"},
		{"an error with status 200", js, `{"error":"s3cret is wrong"}`, 0, `its "status" is missing, not 200: "{\"error\":\"[key] is wrong\"}"`},
		{"another status", js, `{"status":500,"data":[],"totalItems":0}`, 0, `its "status" is 500`},
		{"an item instead of a list", js, `{"status":200,"data":{},"totalItems":0}`, 0, `its "data" is an object`},
		{"no items", js, `{"status":200,"totalItems":0}`, 0, `its "data" is missing`},
		{"two lists", js, `{"status":200,"data":[],"d\u0061ta":[],"totalItems":0}`, 0, `it has "data" twice`},
		{"no total", js, `{"status":200,"data":[]}`, 0, `its "totalItems" is missing`},
		{"a total as a string", js, `{"status":200,"data":[],"totalItems":"60"}`, 0, `its "totalItems" is "60", not a whole number`},
		{"a negative total", js, `{"status":200,"data":[],"totalItems":-1}`, 0, `its "totalItems" is -1`},
		{"a broken total", js, `{"status":200,"data":[],"totalItems":1.5}`, 0, `its "totalItems" is 1.5`},
		{"too large a total", js, `{"status":200,"data":[],"totalItems":99999999999999999999}`, 0, "at most 5000000 items"},
		{"an item that is no object", js, list(1, "7"), 0, "item 1 of a page is a number, not an object"},
		{"an item without an id", js, list(2, `{"ContentID":"a"}`, "{}"), 0, "item 2 of a page: its ContentID is missing"},
		{"an id that is a number", js, list(1, `{"ContentID":7}`), 0, "its ContentID is 7, which is not an id"},
		{"an id that is a path", js, list(1, `{"ContentID":"../x"}`), 0, `its ContentID is "../x", which is not an id`},
		{"too many items", js, list(1, strings.Repeat(`{"ContentID":"a"},`, maxPage)+`{"ContentID":"a"}`), 0, "the page has more than 100000 items"},
		{"an item that is too large", js, list(1, `{"ContentID":"big","Data":"`+strings.Repeat("x", 16<<20)+`"}`), 0, "big: this item has 16777245 bytes; an item may have 16777216"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := parsePage(t, tt.mediaType, tt.body)
			switch {
			case tt.want == "" && err != nil, tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v", err)
			case err == nil && (len(p.items) != tt.items || tt.items > 0 && (p.items[0].id != "a" || !strings.Contains(tt.body, string(p.items[0].raw)))):
				t.Errorf("got %+v", p)
			case err != nil && (len(err.Error()) > 500 || strings.Contains(err.Error(), "s3cret")):
				t.Errorf("it says %s", err)
			}
		})
	}
	p, err := parsePage(t, js, list(1, odd))
	if err != nil || string(p.items[0].line()) != odd {
		t.Errorf("an item is changed: %+v, %v", p, err)
	}
	p, err = parsePage(t, js, list(1, "{\n\"ContentID\": \"a\",\r\n \"Data\": {\"n\": 1.0, \"s\": \" \\ud800\"}}"))
	if want := `{"ContentID":"a","Data":{"n":1.0,"s":" \ud800"}}`; err != nil || string(p.items[0].line()) != want {
		t.Errorf("an item of several lines is %s, %v", p.items[0].line(), err)
	}
}

// TestHostilePages bounds the time that responses of a hostile origin take.
func TestHostilePages(t *testing.T) {
	for name, body := range map[string]string{
		"deep":            list(1, `{"ContentID":"a","Data":`+strings.Repeat(`[`, 5<<20)),
		"deep and closed": list(1, `{"ContentID":"a","Data":`+strings.Repeat(`[`, 5<<20)+strings.Repeat(`]`, 5<<20)+"}"),
		"many members":    `{"status":200,` + strings.Repeat(`"x":1,`, 1<<20) + `"data":[],"totalItems":0}`,
		"many items":      list(1, strings.Repeat(`{"ContentID":"a"},`, 1<<20)+`{"ContentID":"a"}`),
		"many escapes":    list(1, `{"ContentID":"`+strings.Repeat(`\u0041`, 1<<20)+`"}`),
		"zeros":           `{"status":200,"data":[],"totalItems":` + strings.Repeat("0", 8<<20) + `}`,
		"white space":     strings.Repeat(" ", 8<<20),
	} {
		start := time.Now()
		_, err := parsePage(t, "application/json", body)
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: %s", name, took)
		}
		if err != nil && len(err.Error()) > 1000 {
			t.Errorf("%s: %d bytes of error", name, len(err.Error()))
		}
	}
}

type endless struct{}

func (endless) Read(b []byte) (int, error) { return len(b), nil }

// Bodies without end cost memory once, however often they come.
func TestEndlessBodies(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	o := &origin{}
	for range 5 {
		if _, err := o.readAll(endless{}); !errors.Is(err, transfer.ErrTooLarge) {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > maxResponse+8<<20 {
		t.Errorf("%d bytes for a limit of %d", n, maxResponse)
	}
	for _, n := range []int{0, 1, chunkSize - 1, chunkSize, chunkSize + 1, 3*chunkSize + 7} {
		want := bytes.Repeat([]byte("0123456789abcdef_"), n/17+1)[:n]
		if got, err := o.readAll(iotest.HalfReader(bytes.NewReader(want))); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: %d, %v", n, len(got), err)
		}
	}
}

// FuzzLines: an item changes in its addresses of media alone.
func FuzzLines(f *testing.F) {
	digest := strings.Repeat("0f", 16)
	f.Add(`{"MediaUrl":"/cda/media/site/`+digest+`/a.png","Type":"Reference","ReferenceType":"Media"}`, true)
	f.Add(`["<img src=\"/cda/media/site/`+digest+`/a.png\">","https://x.example/cda/media/site/`+digest+`/a.png"]`, false)
	f.Add(`"/cda/media/site/`+digest+`/a.exe /cda/media/site//cda/media/site/`+digest+`/a.png"`, true)
	f.Add(`"\/cda\/media\/site\/`+digest+`\/a.png \\/cda/media/site/`+digest+`/a.png"`, false)
	f.Fuzz(func(t *testing.T, data string, files bool) {
		p, err := New(Config{URL: "https://origin.example/live", Env: "site", Content: "content", Media: files})
		if err != nil {
			t.Fatal(err)
		}
		it, err := p.reader.item([]byte(`{"ContentID":"a","Data":`+data+`}`), "")
		if err != nil || strings.Contains(data, "origin.example") || strings.Contains(data, MediaDir) {
			return
		}
		line := string(p.set.line(&it))
		plain := strings.NewReplacer("https://origin.example/live/cda", "/cda", localPrefix, "/cda/media/site/", `\/`, "/")
		if plain.Replace(line) != plain.Replace(string(it.line())) {
			t.Errorf("%s becomes %s", it.raw, line)
		}
		if _, err := p.reader.item([]byte(line), ""); err != nil {
			t.Errorf("%s becomes %s: %v", it.raw, line, err)
		}
	})
}

func FuzzPages(f *testing.F) {
	f.Add(list(1, `{"ContentID":"a","UpdatedAt":"2024-01-01T00:00:00Z","Status":null}`))
	f.Add(list(2, `{"ContentID":"a"}`, "{\n\"ContentID\":\"b\",\"Data\":\"\\ud800\"}"))
	f.Add(`{"status":200,"data":[{"ContentID":"a"}`)
	f.Add(`{"status":200,"d\u0061ta":[{}],"totalItems":1e3}`)
	f.Add("<html>")
	f.Fuzz(func(t *testing.T, body string) {
		p, err := parsePage(t, "application/json", body)
		if err != nil {
			_, origin := errors.AsType[*OriginError](err)
			_, refused := errors.AsType[*RefusedError](err)
			if !origin && !refused && !errors.Is(err, errCut) {
				t.Errorf("%T: %v", err, err)
			}
			return
		}
		for _, it := range p.items {
			if line := it.line(); strings.ContainsAny(string(line), "\r\n") || !strings.Contains(body, string(it.raw)) {
				t.Errorf("%q of %q", line, body)
			}
		}
	})
}
