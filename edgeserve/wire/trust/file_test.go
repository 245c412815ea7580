package trust

import (
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	_, ciKey := key(t, "news.example/ci", "ci")
	_, annaKey := key(t, "news.example/anna", "anna")
	_, sameKey := key(t, "news.example/other", "ci")
	p := parse(t, "# who may publish news", "", "threshold 2", "  version\t7  ", "origin news.example/production\r",
		"key "+ciKey, "key   "+annaKey+"   until 2027-06-30", "")
	if p.Version != 7 || p.Origin != "news.example/production" || p.Threshold != 2 || len(p.Keys) != 2 || p.Keys[1].Until != "2027-06-30" ||
		p.Keys[0].Name() != "news.example/ci" || p.Keys[0].Expired(time.Now().AddDate(1000, 0, 0)) || !p.Keys[1].Expired(time.Date(2027, 7, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v", p)
	}
	good := []string{"version 1", "origin news.example/production", "threshold 1", "key " + ciKey}
	for _, c := range []struct{ line, want string }{ // the line is added as line 5, or replaces the line that it names
		{"1: ", "version is missing"},
		{"2: ", "origin is missing"},
		{"3: ", "threshold is missing"},
		{"4: ", "line 3: the threshold is 1, but there are 0 keys"},
		{"3: threshold 2", "line 3: the threshold is 2, but there are 1 keys"},
		{"3: threshold 0", `line 3: "0" is not a number from 1 to 30`},
		{"3: threshold 31", `line 3: "31" is not a number`},
		{"1: version 0", `line 1: "0" is not a number from 1`},
		{"1: version -1", "line 1:"},
		{"1: version 1.0", "line 1:"},
		{"1: version 9007199254740992", "line 1:"},
		{"1: version", "line 1: version takes one value"},
		{"1: version 1 2", "line 1: version takes one value"},
		{"1: Version 1", `line 1: "Version" is not a setting; the settings are: version, origin, threshold, key`},
		{"1: \ufeffversion 1", "line 1:"},
		{"2: origin nеws.example", "line 2:"},
		{"2: origin a+b", "line 2: origin"},
		{"5: version 1", "line 5: version is set in line 1 already"},
		{"5: origin a", "line 5: origin is set in line 2 already"},
		{"5: root x", `line 5: "root" is not a setting`},
		{"5: key " + ciKey, "line 5: news.example/ci has the same public key as news.example/ci"},
		{"5: key " + sameKey, "line 5: news.example/other has the same public key as news.example/ci"},
		{"5: key", "line 5: want key KEY"},
		{"5: key " + annaKey + " until", "line 5: want key KEY"},
		{"5: key " + annaKey + " from 2027-06-30", "line 5: want key KEY"},
		{"5: key " + annaKey + " until 2027-06-31", `line 5: "2027-06-31" is not a day`},
		{"5: key " + annaKey + " until tomorrow", `line 5: "tomorrow" is not a day`},
		{"5: key PRIVATE+KEY+a+00000000+AAAA", "line 5: this is a private key"},
		{"5: PRIVATE+KEY+a+00000000+AAAA", "line 5: this is a private key"},
		{"5: \ufeffPRIVATE+KEY+a+00000000+AAAA", "line 5: this is a private key"},
		{"5: key a " + "PRIVATE+KEY+a+00000000+AAAA", "line 5: this is a private key"},
		{"5: key abc", `line 5: "abc" is not a public key`},
		{"5: key " + annaKey[:len(annaKey)-4], "line 5:"},
		{"5: key " + strings.Replace(annaKey, "anna", "anne", 1), "line 5:"},
		{"5: # 日本", ""},
		{"5: key " + annaKey, ""},
	} {
		lines := append([]string(nil), append(good, "")...)
		lines[c.line[0]-'1'] = c.line[3:]
		_, err := Parse([]byte(strings.Join(lines, "\n")))
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.line, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "AAAA") {
			t.Errorf("%s: a private key in %v", c.line, err)
		}
	}
}

// FuzzParse: whatever is read is a policy that can be met.
func FuzzParse(f *testing.F) {
	_, ciKey := key(f, "a", "ci")
	f.Add([]byte("version 1\norigin a\nthreshold 1\nkey " + ciKey + " until 2027-06-30\n"))
	f.Add([]byte("version 1\nversion 1"))
	f.Add([]byte("key PRIVATE+KEY+a+00000000+AAAA"))
	f.Add([]byte("# \xff\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Parse(b)
		if err != nil {
			return
		}
		public := map[string]bool{}
		for _, k := range p.Keys {
			public[string(k.Public)] = true
		}
		if p.Version < 1 || p.Threshold < 1 || p.Threshold > len(public) || len(public) != len(p.Keys) || p.Origin == "" {
			t.Errorf("%q is read as %+v", b, p)
		}
	})
}

// FuzzVerify: no bytes but those that the keys signed are accepted.
func FuzzVerify(f *testing.F) {
	ci, ciKey := key(f, "news.example/ci", "ci")
	anna, annaKey := key(f, "news.example/anna", "anna")
	p := parse(f, "version 1", "origin news.example/production", "threshold 1", "key "+ciKey, "key "+annaKey)
	line := pointer(f, nil)
	f.Add([]byte(golden))
	f.Add(sign(f, line, ci))
	f.Add(sign(f, line, anna))
	f.Add([]byte(golden + "— news.example/x AAAAAAA=\n"))
	f.Add(line)
	f.Fuzz(func(t *testing.T, b []byte) {
		if v, err := p.Verify(b, noon); err == nil && (string(v.Text) != string(line) || len(v.SignedBy) == 0) {
			t.Errorf("%q is accepted as %+v", b, v)
		}
	})
}
