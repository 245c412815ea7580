package body

import "testing"

// TestAggregations shows which tree the aggregations of a body become, printed as TestBody prints bodies.
func TestAggregations(t *testing.T) {
	for _, c := range []example{
		{`
				{
				  "aggregations": {
				    "x": {
				      "terms": {
				        "field": "F",
				        "size": 3,
				        "order": {"_term": "asc"},
				        "min_doc_count": 0,
				        "missing": "n",
				        "include": ["a"],
				        "exclude": [],
				        "shard_size": 9,
				        "execution_hint": "map"
				      }
				    }
				  }
				}`, `
				{
				  "aggs": {
				    "x": {
				      "terms": {
				        "field": "F",
				        "size": 3,
				        "min_doc_count": 0,
				        "missing": "n",
				        "include": ["a"],
				        "exclude": [],
				        "order": [{"_key": "asc"}],
				        "shard_size": 9
				      }
				    }
				  }
				}`},
		{`
				{
				  "aggs": {
				    "x": {
				      "terms": {
				        "field": "F",
				        "order": [{"m.value": "desc"}, {"s.max": "asc"}, {"f": "desc"}]
				      },
				      "aggs": {
				        "m": {"max": {"field": "G"}},
				        "s": {"stats": {"field": "G"}},
				        "f": {"filter": {"match_all": {}}}
				      }
				    }
				  }
				}`, `
				{
				  "aggs": {
				    "x": {
				      "terms": {
				        "field": "F",
				        "order": [{"m": "desc"}, {"s.max": "asc"}, {"f": "desc"}]
				      },
				      "aggs": {
				        "m": {"max": {"field": "G"}},
				        "s": {"stats": {"field": "G"}},
				        "f": {"filter": {"match_all": {}}}
				      }
				    }
				  }
				}`},
		{`
				{
				  "aggs": {
				    "a": {"min": {"field": "F"}},
				    "b": {"avg": {"field": "F", "missing": 0}},
				    "c": {"sum": {"field": "F"}},
				    "d": {"value_count": {"field": "F"}},
				    "e": {"cardinality": {"field": "F", "precision_threshold": 10}}
				  }
				}`, `
				{
				  "aggs": {
				    "a": {"min": {"field": "F"}},
				    "b": {"avg": {"field": "F", "missing": 0}},
				    "c": {"sum": {"field": "F"}},
				    "d": {"value_count": {"field": "F"}},
				    "e": {"cardinality": {"field": "F"}}
				  }
				}`},
		{`
				{
				  "aggs": {
				    "f": {
				      "filters": {
				        "filters": {"b": {"match_all": {}}, "a": {"match_none": {}}},
				        "other_bucket": false
				      }
				    }
				  }
				}`, `
				{
				  "aggs": {
				    "f": {
				      "filters": {
				        "filters": {"b": {"match_all": {}}, "a": {"match_none": {}}}
				      }
				    }
				  }
				}`},
		{`
				{
				  "aggs": {
				    "x": {
				      "terms": {
				        "field": "F",
				        "order": [
				          {"f>g>m.value": "desc"},
				          {"f>s[max]": "asc"},
				          {"f>g": "asc"}
				        ]
				      },
				      "meta": {"a": [1.50, null, {"b": "c\""}]},
				      "aggs": {
				        "f": {
				          "filter": {"match_all": {}},
				          "aggs": {
				            "s": {"stats": {"field": "G"}},
				            "g": {
				              "filter": {"match_all": {}},
				              "aggs": {"m": {"max": {"field": "G"}}}
				            }
				          }
				        }
				      }
				    }
				  }
				}`, `
				{
				  "aggs": {
				    "x": {
				      "terms": {
				        "field": "F",
				        "order": [{"f>g>m": "desc"}, {"f>s.max": "asc"}, {"f>g": "asc"}]
				      },
				      "meta": {"a": [1.50, null, {"b": "c\""}]},
				      "aggs": {
				        "f": {
				          "filter": {"match_all": {}},
				          "aggs": {
				            "s": {"stats": {"field": "G"}},
				            "g": {
				              "filter": {"match_all": {}},
				              "aggs": {"m": {"max": {"field": "G"}}}
				            }
				          }
				        }
				      }
				    }
				  }
				}`},
		{`
				{
				  "aggs": {
				    "h": {
				      "histogram": {
				        "field": "F",
				        "interval": "2",
				        "offset": -1,
				        "extended_bounds": {"min": 0, "max": "9"},
				        "hard_bounds": {"min": null},
				        "keyed": true
				      }
				    }
				  }
				}`, `
				{
				  "aggs": {
				    "h": {
				      "histogram": {
				        "field": "F",
				        "keyed": true,
				        "interval": 2,
				        "offset": -1,
				        "extended_bounds": {"min": 0, "max": "9"},
				        "hard_bounds": {}
				      }
				    }
				  }
				}`},
		{`
				{
				  "aggs": {
				    "h": {
				      "date_histogram": {
				        "field": "F",
				        "interval": "90m",
				        "offset": "-1d",
				        "time_zone": "CET"
				      }
				    }
				  }
				}`, `
				{
				  "aggs": {
				    "h": {
				      "date_histogram": {
				        "field": "F",
				        "time_zone": "CET",
				        "fixed_interval": "5400000ms",
				        "offset": "-86400000ms"
				      }
				    }
				  }
				}`},
		{`
				{
				  "aggs": {
				    "r": {
				      "range": {
				        "field": "F",
				        "ranges": [{"to": 1, "key": "a"}, {"from": null}]
				      }
				    }
				  }
				}`, `
				{
				  "aggs": {
				    "r": {
				      "range": {"field": "F", "ranges": [{"key": "a", "to": 1}, {}]}
				    }
				  }
				}`},
		{`
				{
				  "aggs": {
				    "m": {"missing": {"field": "F"}},
				    "g": {"global": {}, "aggs": {"n": {"min": {"field": "F"}}}}
				  }
				}`, `
				{
				  "aggs": {
				    "m": {"missing": {"field": "F"}},
				    "g": {"global": {}, "aggs": {"n": {"min": {"field": "F"}}}}
				  }
				}`},
		{`
				{
				  "aggs": {
				    "t": {
				      "terms": {"field": "F", "include": "a.*", "value_type": "string"}
				    },
				    "u": {
				      "terms": {
				        "field": "F",
				        "include": {"partition": 1, "num_partitions": 3}
				      }
				    },
				    "r": {"rare_terms": {"field": "F", "max_doc_count": 2}}
				  }
				}`, `
				{
				  "aggs": {
				    "t": {
				      "terms": {"field": "F", "value_type": "string", "include": "a.*"}
				    },
				    "u": {
				      "terms": {
				        "field": "F",
				        "include": {"partition": 1, "num_partitions": 3}
				      }
				    },
				    "r": {"rare_terms": {"field": "F", "max_doc_count": 2}}
				  }
				}`},
		{`
				{
				  "aggs": {
				    "c": {
				      "composite": {
				        "sources": [
				          {
				            "a": {
				              "terms": {"field": "F", "missing_bucket": true, "order": "desc"}
				            }
				          },
				          {"b": {"histogram": {"field": "G", "interval": 5}}},
				          {
				            "d": {
				              "date_histogram": {"field": "D", "calendar_interval": "1d", "format": "yyyy"}
				            }
				          }
				        ],
				        "after": {"a": null, "d": "2020", "b": 5},
				        "size": 3
				      }
				    }
				  }
				}`, `
				{
				  "aggs": {
				    "c": {
				      "composite": {
				        "size": 3,
				        "sources": [
				          {
				            "a": {
				              "terms": {"field": "F", "missing_bucket": true, "order": "desc"}
				            }
				          },
				          {"b": {"histogram": {"field": "G", "interval": 5}}},
				          {
				            "d": {
				              "date_histogram": {"field": "D", "calendar_interval": "day", "format": "yyyy"}
				            }
				          }
				        ],
				        "after": {"a": null, "b": 5, "d": "2020"}
				      }
				    }
				  }
				}`},
		{`
				{
				  "aggs": {
				    "h": {
				      "histogram": {"field": "F", "interval": 1},
				      "aggs": {
				        "m": {"sum": {"field": "G"}},
				        "c": {"cumulative_sum": {"buckets_path": ["m"]}},
				        "d": {"derivative": {"buckets_path": "c"}},
				        "s": {
				          "bucket_sort": {
				            "sort": ["m", {"_key": {"order": "desc"}}],
				            "from": 1,
				            "gap_policy": "insert_zeros"
				          }
				        }
				      }
				    },
				    "p": {"max_bucket": {"buckets_path": "h>d"}},
				    "q": {"stats_bucket": {"buckets_path": "h._count"}}
				  }
				}`, `
				{
				  "aggs": {
				    "h": {
				      "histogram": {"field": "F", "interval": 1},
				      "aggs": {
				        "m": {"sum": {"field": "G"}},
				        "c": {"cumulative_sum": {"buckets_path": "m"}},
				        "d": {"derivative": {"buckets_path": "c"}},
				        "s": {
				          "bucket_sort": {
				            "from": 1,
				            "gap_policy": "insert_zeros",
				            "sort": [{"m": "asc"}, {"_key": "desc"}]
				          }
				        }
				      }
				    },
				    "p": {"max_bucket": {"buckets_path": "h>d"}},
				    "q": {"stats_bucket": {"buckets_path": "h>_count"}}
				  }
				}`},
		{`
				{
				  "aggs": {
				    "h": {"terms": {"field": "F"}},
				    "h.g": {
				      "terms": {"field": "F"},
				      "aggs": {"m": {"sum": {"field": "G"}}}
				    },
				    "p": {"max_bucket": {"buckets_path": "h.g.m"}}
				  }
				}`, `
				{
				  "aggs": {
				    "h": {"terms": {"field": "F"}},
				    "h.g": {
				      "terms": {"field": "F"},
				      "aggs": {"m": {"sum": {"field": "G"}}}
				    },
				    "p": {"max_bucket": {"buckets_path": "h.g>m"}}
				  }
				}`},
		{`
				{
				  "aggs": {
				    "f": {
				      "filters": {
				        "filters": [{"match_all": {}}],
				        "other_bucket": false,
				        "other_bucket_key": "x"
				      }
				    }
				  }
				}`, `
				{
				  "aggs": {"f": {"filters": {"filters": [{"match_all": {}}]}}}
				}`},
		{`
				{
				  "aggs": {
				    "f": {
				      "filters": {"filters": [{"match_all": {}}], "other_bucket": true}
				    }
				  }
				}`, `
				{
				  "aggs": {
				    "f": {
				      "filters": {
				        "filters": [{"match_all": {}}],
				        "other_bucket_key": "_other_"
				      }
				    }
				  }
				}`},
		{`{"aggs":{"f":{"filters":{"filters":[{"match_all":{}}]}}}}`, `{"aggs":{"f":{"filters":{"filters":[{"match_all":{}}]}}}}`},
		{`
				{
				  "aggs": {
				    "d": {
				      "date_histogram": {
				        "field": "F",
				        "calendar_interval": "1M",
				        "format": "yyyy",
				        "order": {"_count": "desc"},
				        "min_doc_count": 1
				      }
				    }
				  }
				}`, `
				{
				  "aggs": {
				    "d": {
				      "date_histogram": {
				        "field": "F",
				        "calendar_interval": "month",
				        "format": "yyyy",
				        "min_doc_count": 1,
				        "order": [{"_count": "desc"}]
				      }
				    }
				  }
				}`},
	} {
		checkBody(t, c.in, compact(t, c.want))
	}
}
