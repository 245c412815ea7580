// This file makes the items and bodies whose responses show how numbers are rounded.
package cmd

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
)

var numberWords = strings.Fields("river stone bridge lantern harbour winter letter garden window bread salt morning paper island candle")

// numberItems are items with floats of all sizes, few equal ones, integers, dates and texts.
func numberItems(r *rand.Rand, n int) []string {
	items := make([]string, n)
	for i := range items {
		text := make([]string, 3+r.IntN(60))
		for k := range text {
			text[k] = numberWords[int(float64(len(numberWords))*r.Float64()*r.Float64())]
		}
		data := map[string]any{
			"x": math.Round(r.Float64()*1000) / 10,
			"y": r.NormFloat64() * 1000,
			"z": math.Ldexp(r.Float64(), r.IntN(60)-30),
			"n": r.IntN(50),
			"m": []int{r.IntN(9), r.IntN(1 << 40)},
			"d": fmt.Sprintf("20%02d-%02d-%02dT%02d:00:00Z", 10+r.IntN(15), 1+r.IntN(12), 1+r.IntN(28), r.IntN(24)),
			"t": strings.Join(text, " "),
			"k": text[0],
			"h": []json.Number{numberEdges[r.IntN(len(numberEdges))], numberEdges[r.IntN(len(numberEdges))]},
		}
		if i == 0 {
			data["x"] = 5.2
		}
		for name := range data {
			if name != "x" && r.IntN(6) == 0 {
				delete(data, name)
			}
		}
		item, _ := json.Marshal(map[string]any{
			"ContentID": fmt.Sprintf("N%04d", i), "Name": strings.Join(text[:2], " "), "TemplateName": "Number",
			"CreatedAt": fmt.Sprintf("2024-%02d-%02dT00:00:00Z", 1+i%12, 1+i%28), "Data": data,
		})
		items[i] = string(item)
	}
	return items
}

// numberEdges are where conversions between kinds of numbers end.
var numberEdges = []json.Number{"0", "-0.0", "1e400", "-1e400", "1e308", "-1e308", "3.5e38", "1e19", "-1e19", "9223372036854775807", "-9223372036854775808", "4611686018427387905", "9007199254740993", "0.5", "1e-320"}

// edgeBodies are about results that no integer holds, or that are no number.
var edgeBodies = []string{
	`{"query":{"match":{"Data.t":{"query":"river stone","boost":3e38}}},"explain":true}`,
	`{"query":{"bool":{"should":[{"match":{"Data.t":{"query":"river stone","boost":3e38}}},{"match":{"Name":{"query":"river","boost":3e38}}},{"range":{"Data.x":{"gte":1,"boost":3e38}}}]}}}`,
	`{"query":{"match":{"Data.t":{"query":"river stone bridge","boost":3e38}}},"highlight":{"type":"plain","order":"score","fields":{"Data.t":{"fragment_size":20}}}}`,
	`{"query":{"function_score":{"query":{"match":{"Data.t":"river"}},"field_value_factor":{"field":"Data.z","factor":1e300,"missing":1},"max_boost":3e38}}}`,
	`{"query":{"function_score":{"query":{"match":{"Data.t":"river"}},"exp":{"Data.h.double":{"origin":0,"scale":1e-300}}}}}`,
	`{"query":{"function_score":{"query":{"match":{"Data.t":"river"}},"gauss":{"Data.h.double":{"origin":0,"scale":1e200}}}}}`,
	`{"query":{"terms_set":{"Data.t":{"terms":["river","stone"],"minimum_should_match_field":"Data.h.double"}}}}`,
	`{"query":{"match":{"Data.t":{"query":"river stone bridge","minimum_should_match":"2147483647%"}}}}`,
	`{"query":{"match":{"Data.t":{"query":"river stone bridge","minimum_should_match":"-2147483647"}}}}`,
	`{"size":0,"suggest":{"s":{"text":"rivr stne","phrase":{"field":"Data.t","confidence":0,"max_errors":1e30}}}}`,
	`{"size":0,"suggest":{"s":{"text":"rivr stne","phrase":{"field":"Data.t","confidence":1e38,"max_errors":1e-30}}}}`,
	`{"size":0,"suggest":{"s":{"text":"rivr stne","term":{"field":"Data.t","max_term_freq":2147483647,"min_doc_freq":2147483647}}}}`,
	`{"sort":[{"Data.h.double":{"order":"desc","mode":"sum"}},"_id"]}`,
	`{"sort":[{"Data.h.double":{"order":"asc","mode":"sum"}},"_id"],"size":50}`,
	`{"sort":[{"Data.h.double":{"order":"asc","mode":"avg"}},"_id"],"size":50}`,
	`{"sort":[{"Data.h.double":{"order":"desc","mode":"median","missing":-1e308}},"_id"],"size":50}`,
	`{"sort":[{"Data.h.double":{"order":"asc","mode":"avg","numeric_type":"long"}},"_id"],"size":50}`,
	`{"sort":[{"Data.h.double":{"order":"asc","numeric_type":"date"}},"_id"],"size":50}`,
	`{"size":5,"docvalue_fields":[{"field":"Data.h.double","format":"0"},{"field":"Data.h.double","format":"#,##0.00"}]}`,
	`{"size":0,"aggs":{"a":{"stats":{"field":"Data.h.double"}},"b":{"extended_stats":{"field":"Data.h.double"}},"c":{"percentiles":{"field":"Data.h.double"}},"d":{"median_absolute_deviation":{"field":"Data.h.double"}}}}`,
	`{"size":0,"aggs":{"a":{"percentile_ranks":{"field":"Data.h.double","values":[-1e308,0,1e308]}},"b":{"percentile_ranks":{"field":"Data.x","values":[1e300],"hdr":{}}}}}`,
	`{"size":0,"aggs":{"a":{"weighted_avg":{"value":{"field":"Data.h.double"},"weight":{"field":"Data.y"}}}}}`,
	`{"size":0,"aggs":{"a":{"terms":{"field":"Data.h.double"}},"b":{"terms":{"field":"Data.h.double","format":"0"}},"c":{"terms":{"field":"Data.h.double","value_type":"date"}}}}`,
	`{"size":0,"aggs":{"a":{"histogram":{"field":"Data.h.double","interval":1e307,"min_doc_count":1}},"b":{"histogram":{"field":"Data.h.double","interval":1e-300,"offset":1e300,"min_doc_count":1}}}}`,
	`{"size":0,"aggs":{"a":{"histogram":{"field":"Data.h.double","interval":1e300,"format":"0","min_doc_count":1}}}}`,
	`{"size":0,"aggs":{"a":{"histogram":{"field":"Data.d","interval":1e300,"offset":-1e300,"min_doc_count":1}},"b":{"histogram":{"field":"Data.d","interval":1e19,"offset":1e19,"min_doc_count":1}}}}`,
	`{"size":0,"aggs":{"a":{"date_histogram":{"field":"Data.d","fixed_interval":"100000d","offset":"+100000d","min_doc_count":1}}}}`,
	`{"size":0,"aggs":{"a":{"date_histogram":{"field":"Data.d","calendar_interval":"year","format":"epoch_millis","extended_bounds":{"min":"9223372036854775807"},"min_doc_count":0}}}}`,
	`{"size":0,"aggs":{"a":{"date_histogram":{"field":"Data.d","calendar_interval":"year","format":"epoch_millis","hard_bounds":{"min":"0","max":"9223372036854775807"}}}}}`,
	`{"size":0,"aggs":{"a":{"date_histogram":{"field":"Data.d","calendar_interval":"year","hard_bounds":{"min":-9223372036854775808,"max":9223372036854775807},"missing":"2020"}}}}`,
	`{"size":0,"aggs":{"a":{"auto_date_histogram":{"field":"Data.h.double","buckets":3}}}}`,
	`{"size":0,"aggs":{"a":{"date_range":{"field":"Data.d","format":"epoch_millis","ranges":[{"to":"9223372036854775807"},{"from":"9223372036854775806"}]}}}}`,
	`{"size":0,"aggs":{"a":{"range":{"field":"Data.n","ranges":[{"to":1e300},{"from":9223372036854775807},{"from":-1e19,"to":9.3e18}]}},"b":{"range":{"field":"Data.h.double","format":"0","ranges":[{"to":1e300},{"from":-1e19,"to":9.3e18}]}}}}`,
	`{"size":0,"aggs":{"a":{"composite":{"size":50,"sources":[{"h":{"histogram":{"field":"Data.h.double","interval":1e18}}},{"t":{"terms":{"field":"Data.h.double"}}}]}}}}`,
	`{"size":0,"aggs":{"a":{"composite":{"size":50,"sources":[{"h":{"terms":{"field":"Data.h.double"}}}],"after":{"h":1e300}}}}}`,
	`{"size":0,"aggs":{"h":{"histogram":{"field":"Data.x","interval":10},"aggs":{"a":{"sum":{"field":"Data.h.double"}},"c":{"cumulative_sum":{"buckets_path":"a"}},"s":{"bucket_script":{"buckets_path":{"v":"a"},"script":"params.v / 0 - params.v"}}}},"e":{"extended_stats_bucket":{"buckets_path":"h>a"}},"p":{"percentiles_bucket":{"buckets_path":"h>a"}},"m":{"max_bucket":{"buckets_path":"h>a"}}}}`,
	`{"size":0,"aggs":{"t":{"terms":{"field":"Data.k.keyword","order":{"s.avg":"asc"}},"aggs":{"s":{"stats":{"field":"Data.h.double"}}}}}}`,
	`{"query":{"range":{"Data.n":{"gt":-9223372036854775808,"lte":9223372036854775807}}}}`,
	`{"query":{"range":{"Data.d":{"gte":"0001","lt":"9999"}}}}`,
	`{"query":{"term":{"Data.h.double":9223372036854775807}}}`,
	`{"query":{"distance_feature":{"field":"Data.d","origin":"0001-01-01","pivot":"1ms","boost":3e38}}}`,
}

// savedNumberBodies are saved searches, whose responses are files of a release.
var savedNumberBodies = map[string]string{
	"histogram": `{"size":0,"aggs":{"h":{"histogram":{"field":"Data.x","interval":0.7,"offset":0.1}}}}`,
	"scores":    `{"size":50,"pages":3,"track_scores":true,"explain":true,"query":{"match":{"Data.t":"river lantern bread"}}}`,
	"decay":     `{"size":50,"track_scores":true,"query":{"function_score":{"gauss":{"Data.x":{"origin":31.7,"scale":9.3,"decay":0.37}}}}}`,
}

// numberQueries and numberAggs have places for random values: F float, S small float, P percentage,
// W word, I integer, D field of numbers, M modifier, K kind of a decay, V mode.
var numberQueries = []string{
	`{"match":{"Data.t":{"query":"<W> <W> <W>","boost":<F>}}}`,
	`{"match_phrase":{"Data.t":{"query":"<W> <W>","slop":<I>,"boost":<F>}}}`,
	`{"multi_match":{"query":"<W> <W>","fields":["Data.t^<F>","Name^<F>"],"type":"<T>","tie_breaker":<S>}}`,
	`{"dis_max":{"tie_breaker":<S>,"queries":[{"match":{"Data.t":"<W> <W>"}},{"match":{"Name":"<W>"}},{"term":{"Data.k":{"value":"<W>","boost":<F>}}}]}}`,
	`{"boosting":{"positive":{"match":{"Data.t":"<W> <W>"}},"negative":{"match":{"Data.t":"<W>"}},"negative_boost":<S>}}`,
	`{"bool":{"must":{"match":{"Data.t":"<W>"}},"should":[{"match":{"Name":{"query":"<W> <W>","boost":<F>}}},{"range":{"Data.x":{"gte":<F>,"boost":<F>}}}]}}`,
	`{"function_score":{"query":{"match":{"Data.t":"<W> <W>"}},"<K>":{"<D>":{"origin":<F>,"scale":<F>,"offset":<S>,"decay":<S>}}}}`,
	`{"function_score":{"query":{"match":{"Data.t":"<W>"}},"<K>":{"Data.d":{"origin":"2019-05-0<I>","scale":"<I>00d","decay":<S>}},"boost_mode":"<V>"}}`,
	`{"function_score":{"query":{"match":{"Data.t":"<W>"}},"field_value_factor":{"field":"Data.x","factor":<F>,"modifier":"<M>","missing":<F>},"boost_mode":"<V>"}}`,
	`{"function_score":{"functions":[{"filter":{"match":{"Data.t":"<W>"}},"weight":<F>},{"<K>":{"<D>":{"origin":<F>,"scale":<F>,"decay":<S>}},"weight":<F>},{"field_value_factor":{"field":"Data.n","modifier":"ln2p","factor":<S>,"missing":1}}],"score_mode":"<V>","max_boost":<F>}}`,
	`{"function_score":{"random_score":{"seed":<I>,"field":"Data.n"},"boost":<F>}}`,
	`{"distance_feature":{"field":"Data.d","origin":"2018-0<I>-11","pivot":"<I>1d","boost":<F>}}`,
	`{"more_like_this":{"fields":["Data.t","Name"],"like":"<W> <W> <W> <W>","min_term_freq":1,"min_doc_freq":1,"boost_terms":<F>}}`,
	`{"query_string":{"query":"<W>^<F> <W>~1 \"<W> <W>\"~<I>","fields":["Data.t","Name^<F>"]}}`,
	`{"span_near":{"clauses":[{"span_term":{"Data.t":"<W>"}},{"span_term":{"Data.t":"<W>"}}],"slop":<I>,"boost":<F>}}`,
	`{"fuzzy":{"Data.t":{"value":"<W>x","fuzziness":2,"boost":<F>}}}`,
	`{"match":{"Data.t":{"query":"<W>x <W>","fuzziness":"AUTO"}}}`,
	`{"range":{"<D>":{"gte":-<F>,"boost":<F>}}}`,
}

var numberMembers = []string{
	`"track_scores":true`,
	`"explain":true`,
	`"explain":true`,
	`"sort":[{"<D>":{"order":"desc","mode":"avg","missing":<F>}},"_score"]`,
	`"rescore":{"window_size":50,"query":{"rescore_query":{"match":{"Data.t":"<W>"}},"query_weight":<F>,"rescore_query_weight":<S>,"score_mode":"<R>"}}`,
	`"explain":true,"rescore":{"window_size":50,"query":{"rescore_query":{"match":{"Name":"<W>"}},"query_weight":<S>,"rescore_query_weight":<F>}}`,
	`"highlight":{"order":"score","fields":{"Data.t":{"fragment_size":<I>0,"number_of_fragments":<I>}}}`,
	`"highlight":{"type":"plain","order":"score","fields":{"Data.t":{"fragment_size":<I>0}}}`,
	`"min_score":<S>`,
	`"suggest":{"s":{"text":"<W>x <W> <W>n","phrase":{"field":"Data.t","confidence":<S>,"max_errors":2,"size":9,"real_word_error_likelihood":<S>}}}`,
	`"suggest":{"s":{"text":"<W>x rivr","phrase":{"field":"Data.t","confidence":0,"max_errors":2,"smoothing":{"laplace":{"alpha":<S>}},"direct_generator":[{"field":"Data.t","suggest_mode":"always","min_word_length":1}]}}}`,
	`"suggest":{"s":{"text":"<W>x <W>","phrase":{"field":"Data.k.keyword","gram_size":2,"confidence":0,"max_errors":2,"smoothing":{"linear_interpolation":{"trigram_lambda":0.5,"bigram_lambda":0.3,"unigram_lambda":0.2}}}}}`,
	`"suggest":{"s":{"text":"<W>x","term":{"field":"Data.t","suggest_mode":"always","string_distance":"jaro_winkler","max_term_freq":<S>}}}`,
	`"fields":["Data.*"],"docvalue_fields":[{"field":"Data.y","format":"0.000"},"Data.z"]`,
}

var numberAggs = []string{
	`{"histogram":{"field":"<D>","interval":<F>,"offset":<S>,"min_doc_count":1},"aggs":{"s":{"stats":{"field":"<D>"}}}}`,
	`{"histogram":{"field":"Data.x","interval":0.7,"offset":0.1,"min_doc_count":1}}`,
	`{"histogram":{"field":"Data.x","interval":<P>,"hard_bounds":{"min":<F>,"max":90}},"aggs":{"a":{"avg":{"field":"Data.y"}},"d":{"derivative":{"buckets_path":"a"}},"c":{"cumulative_sum":{"buckets_path":"a"}},"e":{"bucket_script":{"buckets_path":{"v":"a","n":"_count"},"script":"params.v * <F> + params.n * <S> - params.v / 3"}}}}`,
	`{"extended_stats":{"field":"<D>","sigma":<F>}}`,
	`{"stats":{"field":"<D>","missing":<F>}}`,
	`{"percentiles":{"field":"<D>","percents":[<P>,<P>,<P>,50]}}`,
	`{"percentiles":{"field":"Data.x","percents":[<P>,<P>,99.9],"hdr":{"number_of_significant_value_digits":3}}}`,
	`{"percentile_ranks":{"field":"<D>","values":[<F>,<F>,<F>]}}`,
	`{"percentile_ranks":{"field":"Data.x","values":[<F>,<F>],"hdr":{}}}`,
	`{"median_absolute_deviation":{"field":"<D>"}}`,
	`{"weighted_avg":{"value":{"field":"<D>","missing":<F>},"weight":{"field":"Data.n"}}}`,
	`{"terms":{"field":"Data.k.keyword","order":{"s.std_deviation":"desc"}},"aggs":{"s":{"extended_stats":{"field":"<D>"}}}}`,
	`{"significant_terms":{"field":"Data.k.keyword","min_doc_count":1,"<G>":{}}}`,
	`{"date_histogram":{"field":"Data.d","calendar_interval":"month"},"aggs":{"a":{"sum":{"field":"<D>"}},"d":{"serial_diff":{"buckets_path":"a","lag":<I>}}}}`,
	`{"auto_date_histogram":{"field":"Data.d","buckets":<I>}}`,
	`{"composite":{"size":20,"sources":[{"h":{"histogram":{"field":"<D>","interval":<F>}}}]}}`,
	`{"range":{"field":"<D>","ranges":[{"to":<F>},{"from":<F>}]},"aggs":{"a":{"avg":{"field":"Data.z"}}}}`,
	`{"top_hits":{"size":2,"explain":true}}`,
}

// numberPipelines read the buckets of h.
var numberPipelines = []string{
	`{"extended_stats_bucket":{"buckets_path":"h>a","sigma":<F>}}`,
	`{"stats_bucket":{"buckets_path":"h>a"}}`,
	`{"percentiles_bucket":{"buckets_path":"h>a","percents":[<P>,<P>]}}`,
	`{"avg_bucket":{"buckets_path":"h>a"}}`,
}

var numberPlaces = regexp.MustCompile(`<[A-Z]>`)

// fill draws a value for each place of a form.
func fill(r *rand.Rand, form string) string {
	one := func(words string) string {
		list := strings.Fields(words)
		return list[r.IntN(len(list))]
	}
	return numberPlaces.ReplaceAllStringFunc(form, func(place string) string {
		switch place {
		case "<F>":
			return fmt.Sprintf("%.*f", r.IntN(12), 0.5+r.Float64()*40)
		case "<S>":
			return fmt.Sprintf("%.*f", 1+r.IntN(12), 0.1+0.8*r.Float64())
		case "<P>":
			return fmt.Sprintf("%.*f", r.IntN(4), 1+98*r.Float64())
		case "<W>":
			return numberWords[r.IntN(len(numberWords))]
		case "<I>":
			return fmt.Sprint(1 + r.IntN(9))
		case "<D>":
			return one("Data.x Data.y Data.z Data.n")
		case "<M>":
			return one("none log log1p log2p ln ln1p ln2p square sqrt reciprocal")
		case "<K>":
			return one("gauss exp linear")
		case "<T>":
			return one("best_fields most_fields cross_fields phrase bool_prefix")
		case "<R>":
			return one("total multiply avg max min")
		case "<G>":
			return one("jlh chi_square gnd mutual_information percentage")
		}
		return one("multiply sum avg max min")
	})
}

// numberBody makes a random body.
func numberBody(r *rand.Rand) string {
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	members := []string{fmt.Sprintf(`"size":%d`, 5*r.IntN(4)), `"query":` + pick(numberQueries)}
	if r.IntN(2) == 0 {
		members = append(members, pick(numberMembers))
	}
	switch r.IntN(4) {
	case 0, 1:
		members = append(members, `"aggs":{"a":`+pick(numberAggs)+`,"b":`+pick(numberAggs)+`}`)
	case 2:
		members = append(members, `"aggs":{"h":{"histogram":{"field":"Data.x","interval":<P>},"aggs":{"a":{"avg":{"field":"Data.y"}}}},"p":`+pick(numberPipelines)+`}`)
	}
	return fill(r, "{"+strings.Join(members, ",")+"}")
}
