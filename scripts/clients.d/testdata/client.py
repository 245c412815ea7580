"""Asks the node at argv[1] with Elasticsearch's own client, and prints what it read."""
import sys
import warnings

warnings.simplefilter("ignore")
from elasticsearch import Elasticsearch, exceptions

es = Elasticsearch([sys.argv[1]], max_retries=0)
index = "site"


def show(*values):
    print(*(str(v).lower() if isinstance(v, bool) else v for v in values))


def ids(hits):
    return ",".join(h["_id"] for h in hits)


def failed(request):
    try:
        request()
    except exceptions.TransportError as e:
        error = e.info.get("error") if isinstance(e.info, dict) else None
        return f"{e.status_code} {error['type'] if error else str(e.info['found']).lower()}"
    return "no error"


hours = {"match": {"Data.content": "hours"}}
show("info", es.info()["version"]["number"], es.ping())
body = es.search(index=index, body={"query": hours, "_source": ["Name"], "aggs": {"t": {"terms": {"field": "TemplateName.keyword"}}}})
bucket = body["aggregations"]["t"]["buckets"][0]
first = body["hits"]["hits"][0]
show("search", body["hits"]["total"]["value"], ids(body["hits"]["hits"]), first["_source"]["Name"], first["_score"] == body["hits"]["max_score"], f"{bucket['key']}:{bucket['doc_count']}")
body = es.search(index=index, q="TemplateName:News", sort=[{"CreatedAt": "desc"}], size=1)
show("uri", body["hits"]["total"]["value"], ids(body["hits"]["hits"]), body["hits"]["hits"][0]["sort"][0])
show("count", es.count(index=index, body={"query": {"match_all": {}}})["count"])
show("get", es.get(index=index, id="Content_01")["_source"]["Name"])
show("missing", failed(lambda: es.get(index=index, id="none")))
show("exists", es.exists(index=index, id="Content_01"), es.exists(index=index, id="none"))
show("source", es.get_source(index=index, id="Content_01")["Name"])
show("mget", ",".join(str(d["found"]).lower() for d in es.mget(index=index, body={"ids": ["Content_01", "none"]})["docs"]))
body = es.msearch(index=index, body=[{}, {"query": hours}, {"index": "none"}, {}])
show("msearch", body["responses"][0]["hits"]["total"]["value"], body["responses"][1]["status"])
body = es.msearch(body=[{"index": index}, {"query": hours, "size": 0}])
show("node msearch", body["responses"][0]["hits"]["total"]["value"])
show("mapping", es.indices.get_mapping(index=index)["site"]["mappings"]["properties"]["Name"]["fields"]["keyword"]["type"])
show("caps", ",".join(es.field_caps(index=index, fields="Name*")["fields"]))
show("validate", es.indices.validate_query(index=index, body={"query": {"nope": {}}})["valid"])
show("analyze", ",".join(t["token"] for t in es.indices.analyze(index=index, body={"text": "Hello, World"})["tokens"]))
show("bad", failed(lambda: es.search(index=index, body={"query": {"nope": {}}})))
show("no index", failed(lambda: es.search(index="none")))
show("write", failed(lambda: es.index(index=index, id="x", body={})))
