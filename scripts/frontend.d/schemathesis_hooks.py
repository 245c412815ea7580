"""What schemathesis does not know: bodies of JSON texts, one a line."""

import sys

import schemathesis

# Queries hold queries. Python 3.11 fails to parse while it is deep in a recursion that is near its limit.
sys.setrecursionlimit(20_000)


@schemathesis.serializer("application/x-ndjson")
def ndjson(ctx, value):
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else str(value).encode()
