"""Asks the node at argv[1] with the client of the package argv[2], and prints what it read."""
import importlib
import sys
import warnings

warnings.simplefilter("ignore")
package = importlib.import_module(sys.argv[2])
exceptions = package.exceptions
es = getattr(package, "OpenSearch", None) or package.Elasticsearch
es = es([sys.argv[1]], max_retries=0)
index = "site"


def show(*values):
    print(*(str(v).lower() if isinstance(v, bool) else v for v in values))


def ids(hits):
    return ",".join(h["_id"] for h in hits)


# The class of the error of a status.
classes = {400: exceptions.RequestError, 404: exceptions.NotFoundError, 405: exceptions.TransportError}


def failed(request):
    try:
        request()
    except exceptions.TransportError as e:
        if not isinstance(e, classes[e.status_code]):
            return repr(e)
        error = e.info.get("error") if isinstance(e.info, dict) else None
        return f"{e.status_code} {error['type'] if error else str(e.info['found']).lower()}"
    return "no error"


hours = {"match": {"Data.content": "hours"}}
typed = {
    "query": {
        "bool": {
            "must": [{"multi_match": {"query": "library", "fields": ["Data.title", "Data.content"]}}],
            "filter": [{"range": {"CreatedAt": {"gte": "2024-03-01", "lt": "2024-04-01"}}}],
            "must_not": [{"term": {"Name.keyword": {"value": "none"}}}],
        }
    },
    "sort": [{"CreatedAt": {"order": "desc"}}], "from": 0, "size": 2, "_source": {"includes": ["Name"]},
    "aggs": {
        "templates": {"terms": {"field": "TemplateName.keyword"}, "aggs": {"first": {"min": {"field": "CreatedAt"}}}},
        "months": {"date_histogram": {"field": "CreatedAt", "calendar_interval": "month"}},
        "names": {"cardinality": {"field": "Name.keyword"}},
    },
}
show("info", es.info()["version"]["number"], es.ping())
body = es.search(index=index, body={"query": hours, "_source": ["Name"], "aggs": {"t": {"terms": {"field": "TemplateName.keyword"}}}})
bucket = body["aggregations"]["t"]["buckets"][0]
first = body["hits"]["hits"][0]
show("search", body["hits"]["total"]["value"], ids(body["hits"]["hits"]), first["_source"]["Name"], first["_score"] == body["hits"]["max_score"], f"{bucket['key']}:{bucket['doc_count']}")
body = es.search(index=index, body=typed)
bucket = body["aggregations"]["templates"]["buckets"][0]
month = body["aggregations"]["months"]["buckets"][0]
show("typed", body["hits"]["total"]["value"], ids(body["hits"]["hits"]), f"{bucket['key']}:{bucket['doc_count']}:{bucket['first']['value']:.0f}", f"{month['key']}:{month['doc_count']}", body["aggregations"]["names"]["value"])
body = es.search(index=index, params={"q": "TemplateName:News", "sort": "CreatedAt:desc", "size": 1})
show("uri", body["hits"]["total"]["value"], ids(body["hits"]["hits"]), body["hits"]["hits"][0]["sort"][0])
show("count", es.count(index=index, body={"query": {"match_all": {}}})["count"])
show("get", es.get(index=index, id="Content_01")["_source"]["Name"])
show("missing", failed(lambda: es.get(index=index, id="none")))
show("exists", es.exists(index=index, id="Content_01"), es.exists(index=index, id="none"))
show("exists source", es.exists_source(index=index, id="Content_01"), es.exists_source(index=index, id="none"))
show("source", es.get_source(index=index, id="Content_01")["Name"])
show("mget", ",".join(str(d["found"]).lower() for d in es.mget(index=index, body={"ids": ["Content_01", "none"]})["docs"]))
body = es.msearch(index=index, body=[{}, {"query": hours}, {"index": "none"}, {}])
show("msearch", body["responses"][0]["hits"]["total"]["value"], body["responses"][1]["status"])
body = es.msearch(body=[{"index": index}, {"query": hours, "size": 0}])
show("node msearch", body["responses"][0]["hits"]["total"]["value"])
show("index", es.indices.exists(index=index), es.indices.exists(index="none"))
show("described", es.indices.get(index=index)["site"]["settings"]["index"]["provided_name"])
show("mapping", es.indices.get_mapping(index=index)["site"]["mappings"]["properties"]["Name"]["fields"]["keyword"]["type"])
show("caps", ",".join(es.field_caps(index=index, fields="Name*")["fields"]))
show("validate", es.indices.validate_query(index=index, body={"query": {"nope": {}}})["valid"])
show("analyze", ",".join(t["token"] for t in es.indices.analyze(index=index, body={"text": "Hello, World"})["tokens"]))
show("bad", failed(lambda: es.search(index=index, body={"query": {"nope": {}}})))
show("no index", failed(lambda: es.search(index="none")))
show("no index to describe", failed(lambda: es.indices.get(index="none")))
show("scroll", failed(lambda: es.search(index=index, scroll="1m")))
show("next", failed(lambda: es.scroll(body={"scroll_id": "x", "scroll": "1m"})))
point = getattr(es, "create_pit", None) or es.open_point_in_time
show("point in time", failed(lambda: point(index=index, params={"keep_alive": "1m"})))
show("template", failed(lambda: es.search_template(index=index, body={"id": "x", "params": {}})))
show("cat", failed(lambda: es.cat.indices()))
show("health", failed(lambda: es.cluster.health()))
show("write", failed(lambda: es.index(index=index, id="x", body={})))
show("bulk", failed(lambda: es.bulk(index=index, body=[{"index": {}}, {}])))
