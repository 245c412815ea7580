// This file describes the bodies and the responses of Elasticsearch's endpoints.

package openapi

// elasticSchemas require no member of a response: filter_path leaves out any.
func elasticSchemas() object {
	shards := member{"_shards", anObject}
	cause := structure(object{{"type", text}, {"reason", text}}, "type", "reason")
	found := structure(object{
		{"_index", text}, {"_type", object{{"type", []string{"string", "null"}}}}, {"_id", text}, {"found", flag}, {"_version", integer}, {"_seq_no", integer}, {"_primary_term", integer},
		{"_source", schema("PartialItem")}, {"error", anObject},
	})
	return object{
		{"QueryBody", structure(object{{"query", oneQuery}})},
		{"MultiGetBody", structure(object{
			{"ids", arrayOf(object{{"type", []string{"string", "number", "boolean"}}})},
			{"docs", arrayOf(structure(object{{"_id", object{{"type", []string{"string", "number", "boolean"}}}}, {"_index", text}, {"_source", anything}, {"stored_fields", anything}}, "_id"))},
		}).with("example", object{{"ids", []string{"Content_1"}}})},
		{"FieldCapsBody", structure(object{{"fields", object{{"anyOf", []any{text, texts}}}}, {"index_filter", oneQuery}})},
		{"AnalyzeBody", structure(object{
			{"text", object{{"anyOf", []any{text, texts}}}}, {"analyzer", text}, {"tokenizer", anything}, {"filter", anything}, {"field", text}, {"explain", flag}, {"attributes", texts},
		})},
		{"ElasticInfo", structure(object{{"name", text}, {"cluster_name", text}, {"cluster_uuid", text}, {"version", anObject}, {"tagline", text}})},
		{"ElasticSearchResponse", structure(object{
			{"took", integer}, {"timed_out", flag}, {"terminated_early", flag}, shards, {"profile", anObject},
			{"hits", structure(object{
				{"total", object{{"anyOf", []any{integer, structure(object{{"value", count}, {"relation", object{{"enum", []string{"eq", "gte"}}}}})}}}},
				{"max_score", object{{"type", []string{"number", "null"}}}},
				{"hits", arrayOf(schema("Hit"))},
			})},
			{"aggregations", schema("Aggregations")}, {"suggest", schema("Suggestions")},
			{"status", integer},
		})},
		{"ElasticMultiSearchResponse", structure(object{{"took", integer}, {"responses", arrayOf(object{{"anyOf", []any{schema("ElasticSearchResponse"), schema("ElasticProblem")}}})}})},
		{"ElasticCountResponse", structure(object{{"count", count}, shards, {"terminated_early", flag}})},
		{"ElasticDocument", found},
		{"ElasticMissing", structure(object{{"_index", text}, {"_type", text}, {"_id", text}, {"found", constant(false)}, {"matched", constant(false)}}, "_index", "_id")},
		{"ElasticMultiGetResponse", structure(object{{"docs", arrayOf(schema("ElasticDocument"))}})},
		{"ElasticByIndex", described(object{{"type", "object"}, {"additionalProperties", anObject}}, "By the name of the index.")},
		{"ElasticFieldCapsResponse", structure(object{{"indices", texts}, {"fields", object{{"type", "object"}, {"additionalProperties", anObject}}}})},
		{"ElasticValidateResponse", structure(object{shards, {"valid", flag}, {"error", text}, {"explanations", arrayOf(anObject)}})},
		{"ElasticAnalyzeResponse", structure(object{
			{"tokens", arrayOf(structure(object{{"token", text}, {"start_offset", integer}, {"end_offset", integer}, {"type", text}, {"position", integer}}))},
			{"detail", anObject},
		})},
		{"ElasticExplainResponse", structure(object{{"_index", text}, {"_type", text}, {"_id", text}, {"matched", flag}, {"explanation", anObject}, {"get", anObject}})},
		{"ElasticProblem", structure(object{
			{"error", structure(object{
				{"type", text}, {"reason", text}, {"root_cause", arrayOf(cause)}, {"phase", text}, {"grouped", flag}, {"failed_shards", arrayOf(anObject)},
			}, "type", "reason", "root_cause")},
			{"status", integer},
		}, "error", "status")},
	}
}
