package scorer

import "testing"

// TestIntervals lists the lengths of the intervals in each document. An interval counts 1 if it is not longer than the
// rule needs at least, and 1/(1+n) if it is n words longer.
func TestIntervals(t *testing.T) {
	type lengths map[int][]float64
	one := []float64{1}
	rows := []struct {
		rule  string
		least int
		want  lengths
	}{
		{"a", 1, lengths{0: one, 1: one, 2: one, 3: one, 4: {1, 1}, 6: one, 7: {1, 1, 1}, 8: one}},
		{"q", 1, nil},

		{"seq(a,b)", 2, lengths{0: {2}, 1: {3}, 3: {4}, 4: {2}, 7: {2, 2, 2}, 8: {2}}},
		{"seq(b,a)", 2, lengths{2: {2}, 4: {2}, 7: {2, 2}}},
		{"seq(a,b,c)", 3, lengths{0: {3}, 3: {6}, 4: {3}, 8: {5}}},
		{"seq(a,any(b,x))", 2, lengths{0: {2}, 1: {2}, 3: {2}, 4: {2}, 7: {2, 2, 2}, 8: {2}}},
		{"seq(a,q)", 2, nil},
		{"seq(a,a)", 2, lengths{4: {2}, 7: {3, 3}}},

		{"all(a,b)", 2, lengths{0: {2}, 1: {3}, 2: {2}, 3: {4}, 4: {2, 2}, 7: {2, 2, 2, 2, 2}, 8: {2}}},
		{"all(c,a)", 2, lengths{0: {3}, 3: {6}, 4: {3, 3}, 8: {5}}},
		{"all(a,q)", 2, nil},
		{"all(seq(a,b),c)", 3, lengths{0: {3}, 3: {6}, 4: {5, 3}, 8: {5}}},

		{"block(a,b)", 2, lengths{0: {2}, 4: {2}, 7: {2, 2, 2}, 8: {2}}},
		{"block(a,b,c)", 3, lengths{0: {3}, 4: {3}}},
		{"block(a,any(b,x))", 2, lengths{0: {2}, 1: {2}, 3: {2}, 4: {2}, 7: {2, 2, 2}, 8: {2}}},
		{"block(a,q)", 2, nil},

		{"any(c,z)", 1, lengths{0: one, 3: one, 4: {1, 1}, 5: one, 8: one}},
		{"any(a,seq(b,c))", 1, lengths{0: {1, 2}, 1: one, 2: one, 3: {1, 3}, 4: {1, 1, 2}, 6: one, 7: {1, 1, 1}, 8: {1, 4}}},
		{"any(b,seq(a,b))", 1, lengths{0: one, 1: one, 2: one, 3: one, 4: {1, 1}, 7: {1, 1, 1}, 8: one}},
		{"any(q,p)", 1, nil},

		{"rep(2,a)", 2, lengths{4: {2}, 7: {3, 3}}},
		{"rep(3,b)", 3, lengths{7: {5}}},
		{"rep(2,q)", 2, nil},
		{"gaps(0,rep(2,a))", 2, lengths{4: {2}}},

		{"gaps(0,seq(a,b))", 2, lengths{0: {2}, 4: {2}, 7: {2, 2, 2}, 8: {2}}},
		{"gaps(1,seq(a,b))", 2, lengths{0: {2}, 1: {3}, 4: {2}, 7: {2, 2, 2}, 8: {2}}},
		{"gaps(1,all(a,c))", 2, lengths{0: {3}, 4: {3, 3}}},
		{"gaps(0,seq(a,block(b,c)))", 3, lengths{0: {3}, 4: {3}}},
		{"gaps(1,q)", 1, nil},

		{"has(all(a,c),b)", 2, lengths{0: {3}, 3: {6}, 4: {3, 3}, 8: {5}}},
		{"has(all(a,c),y)", 2, lengths{3: {6}}},
		{"has(a,a)", 1, lengths{0: one, 1: one, 2: one, 3: one, 4: {1, 1}, 6: one, 7: {1, 1, 1}, 8: one}},
		{"has(a,q)", 1, nil},
		{"in(b,all(a,c))", 1, lengths{0: one, 3: one, 4: {1, 1}, 8: one}},
		{"in(x,seq(a,b))", 1, lengths{1: one, 3: {1, 1}}},
		{"meets(seq(a,b),x)", 2, lengths{1: {3}, 3: {4}}},
		{"meets(seq(a,b),seq(b,c))", 2, lengths{0: {2}, 3: {4}, 4: {2}, 8: {2}}},
		{"hasNo(seq(a,b),x)", 2, lengths{0: {2}, 4: {2}, 7: {2, 2, 2}, 8: {2}}},
		{"hasNo(a,q)", 1, lengths{0: one, 1: one, 2: one, 3: one, 4: {1, 1}, 6: one, 7: {1, 1, 1}, 8: one}},
		{"notIn(b,all(a,c))", 1, lengths{1: one, 2: one, 7: {1, 1, 1}}},
		{"notIn(x,seq(a,b))", 1, lengths{5: one}},
		{"meetsNo(seq(a,b),seq(b,c))", 2, lengths{1: {3}, 7: {2, 2, 2}}},

		{"before(b,c)", 1, lengths{0: one, 3: one, 4: {1, 1}, 8: one}},
		{"before(c,b)", 1, lengths{4: one}},
		{"after(c,b)", 1, lengths{0: one, 3: one, 4: one, 8: one}},
		{"after(a,b)", 1, lengths{2: one, 4: {1, 1}, 7: {1, 1}}},
		{"after(a,q)", 1, nil},
	}
	var cases []scoreCase
	for _, row := range rows {
		want := scores{}
		for doc, all := range row.want {
			frequency := 0.0
			for _, length := range all {
				frequency += 1 / (1 + length - float64(row.least))
			}
			want[doc] = 2 * frequency / (1 + frequency)
		}
		cases = append(cases, scoreCase{row.rule, func(c *corpus, r *Request) Scorer {
			w := r.SpanWork()
			s, _ := (&spansOf{w, func(word string) Spans { return w.Words(c.text(), c.infos(word)) }}).make(row.rule)
			return w.IntervalScorer(s, "Data.t", row.least, 2)
		}, want})
	}
	checkCases(t, texts(t, spanDocs...), cases)
}
