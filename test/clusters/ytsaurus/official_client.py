"""Drives the HTTP API of a YTsaurus with its official client, and prints what it got as one JSON."""

import json
import sys

import yt.wrapper as yt
from yt.wrapper.errors import YtError

url, operation, job, other = sys.argv[1:5]
client = yt.YtClient(
    proxy=url.replace("http://", ""),
    token="t",
    config={
        "proxy": {
            "enable_proxy_discovery": False,
            "retries": {"count": 3, "backoff": {"policy": "constant_time", "constant_time": 50}},
        }
    },
)
tree = "//sys/pool_trees/physical"
orchid = "//sys/scheduler/orchid/scheduler/pool_trees/physical"


def plain(value):
    return yt.yson.yson_to_json(value)


def failure(call):
    try:
        call()
    except YtError as error:
        return [code for code in (203, 901, 1135, 1916, 4419) if error.contains_code(code)]
    return None


client.set(tree + "/prod/@weight", 3)
found = {
    "pools": sorted(client.list(tree)),
    "printed": plain(client.get(tree, attributes=["weight", "resource_limits"])),
    "weight": client.get(tree + "/prod/@weight"),
    "exists": [bool(client.exists(tree + name)) for name in ("/prod", "/nobody")],
    "orchid": plain(client.get(orchid + "/operations/" + operation)),
    "operations": plain(client.list_operations(state="running", pool_tree="physical", limit=10)),
    "operation": plain(client.get_operation(operation)),
    "jobs": plain(client.list_jobs(operation, job_state="running", limit=2)),
    "rest": plain(client.list_jobs(operation, job_state="running", limit=2, offset=2)),
}
client.abort_job(job, interrupt_timeout=5000)
client.abort_job(other)
found["gone"] = failure(lambda: client.abort_job(other))
json.dump(found, sys.stdout)
