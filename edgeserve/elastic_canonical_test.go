package edgeserve

import (
	"net/url"
	"strings"
	"testing"

	"contentedge/edgeserve/prometheus"
)

// evaluated is the number of searches that were computed.
func evaluated(s *Server) string {
	var text prometheus.Text
	s.resources.Counters.Searches.Write(&text, "searches", "")
	return string(text.Bytes())
}

// TestElasticSpellings: addresses that mean the same are answered from one entry, with one tag.
func TestElasticSpellings(t *testing.T) {
	body := url.QueryEscape(`{"size": 2, "query": {"match": {"Name": "ape"}}}`)
	for name, spellings := range map[string][]string{
		"parameters": {
			"/_search?q=Name:ape&size=1&_source=Name", "/_search?size=1&_source=Name&q=Name%3Aape", "/_search?%71=Name:%61pe&size=1&_source=Name&",
			"/_search?q=x&q=Name:ape&size=1&_source=Name", "/_search?q=Name:ape&size=1&_source=Name&preference=abc&typed_keys=false",
		},
		"source": {
			"/_search?source=" + body, "/_search?source=" + strings.ReplaceAll(body, "+", ""), "/_search?source=" + strings.ReplaceAll(body, "+", "%20%0A") + "&source_content_type=application/json",
		},
		"count": {"/_count?q=Name:ape", "/_count?q=Name%3aape&human", "/_count?&q=Name:ape"},
	} {
		for _, fast := range []string{"auto", "off"} {
			t.Run(name+" "+fast, func(t *testing.T) {
				s, addr, _ := startSiteWith(t, site, func(c *ServerConfig) { c.FastPath = fast })
				want, text := ask(t, addr, "GET", esRoot+spellings[0], "", "")
				if want.StatusCode != 200 || !strings.HasPrefix(want.Header.Get("Etag"), `"`) || want.Header.Get("Cache-Control") == "" {
					t.Fatalf("%d %v %s", want.StatusCode, want.Header, text)
				}
				ask(t, addr, "GET", esRoot+spellings[0], "", "") // the second request is cached
				computed := evaluated(s)
				for range 3 { // through the canonical key, then by the alias
					for _, spelling := range spellings {
						a, got := ask(t, addr, "GET", esRoot+spelling, "", "")
						if a.StatusCode != 200 || got != text || a.Header.Get("Etag") != want.Header.Get("Etag") {
							t.Errorf("%s: %d %v %s", spelling, a.StatusCode, a.Header, got)
						}
						if a, _ := ask(t, addr, "GET", esRoot+spelling, "If-None-Match: "+want.Header.Get("Etag")+"\r\n", ""); a.StatusCode != 304 {
							t.Errorf("%s: %d with its tag", spelling, a.StatusCode)
						}
					}
				}
				if got := evaluated(s); got != computed {
					t.Errorf("other spellings are computed: %s, before %s", got, computed)
				}
			})
		}
	}
}

// TestElasticMeanings: addresses that differ in meaning keep their own responses.
func TestElasticMeanings(t *testing.T) {
	_, addr, _ := startSite(t, site)
	targets := []string{
		"/_search?q=Name:ape", "/_search?q=Name:Ape%20", "/_search?q=Name:cat", "/_search?q=Name:ape&size=1", "/_search?q=Name:ape&_source=false", "/_search?q=Name:ape&typed_keys",
		"/_search?q=Name:ape&rest_total_hits_as_int", "/_search?q=Name:ape&filter_path=hits.total", "/_count?q=Name:ape", "/_search?source=%7B%22size%22:1%7D", "/_search?source=%7B%22size%22:0%7D",
		"/_search?q=Name:ape&explain=false", "/_search?q=Name:ape&x=1", "/_validate/query?q=Name:ape&explain=false", "/_validate/query?q=Name:ape&explain=true", "/_doc/Content_1?_source=Name", "/_doc/Content_1?_source=ContentID",
	}
	first := map[string]string{}
	for round := range 4 {
		for _, target := range targets {
			_, body := ask(t, addr, "GET", esRoot+target, "", "")
			if round == 0 {
				first[target] = body
			}
			if body != first[target] {
				t.Errorf("round %d, %s: %s, first %s", round, target, body, first[target])
			}
		}
	}
	if first[targets[0]] == first[targets[3]] || first[targets[13]] == first[targets[14]] || first[targets[15]] == first[targets[16]] || !strings.Contains(first[targets[12]], "unrecognized parameter") {
		t.Errorf("%v", first)
	}
}
