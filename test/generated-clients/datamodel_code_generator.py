"""Reads answers of a real Curtail, and writes a message for it, with the classes that datamodel-code-generator has made."""

import json
import os
from enum import Enum

import curtail_answers as answers
import curtail_messages as messages
import httpx

# Each component keeps its name, unless an enumeration inside another one has taken it.
for name, schema in json.load(open("openapi.json"))["components"]["schemas"].items():
    assert issubclass(getattr(answers, name), Enum) == ("enum" in schema), name

partition = os.environ["CURTAIL_TEST_PARTITION"]
client = httpx.Client(base_url=os.environ["CURTAIL_URL"], timeout=60)


def call(model, method, path, **given):
    """Prints the status of an answer that the class takes, and the class of its result."""
    answer = client.request(method, path, **given)
    parsed = model.model_validate_json(answer.text)
    of_task = [type(parsed.result).__name__] if hasattr(parsed, "result") else []
    line = [f"{method} {path.replace(partition, '{partition}')}", answer.status_code, model.__name__]
    print(json.dumps(line + of_task), flush=True)
    return parsed


of_partition = {"params": {"partition": partition}}
queues = [{"name": "root", "queues": [{"name": "a"}, {"name": "b"}]}]
configuration = {"partitions": [{"name": partition, "queues": queues}]}
config = f"/v1/partitions/{partition}/config"
call(answers.Preview, "PUT", config, json=configuration, params={"dryRun": "true"})
call(answers.Applied, "PUT", config, json=configuration)
call(answers.Problem, "PUT", config, json={"partitions": []})
call(answers.Problem, "PUT", config, content="x", headers={"Content-Type": "image/png"})
call(answers.ConfigurationInForce, "GET", config)
call(answers.QueuePage, "GET", "/v1/queues", **of_partition)
load = {"queues": 2, "allocations": 20, "under": "root.a"}
call(answers.LoadDone, "POST", f"/v1/partitions/{partition}/simulated/load", json=load)
call(answers.AllocationPage, "GET", "/v1/allocations", **of_partition)
events = call(answers.EventPage, "GET", "/v1/events", **of_partition)
client.get(f"/v1/events/{events.items[0].id}").raise_for_status()
call(answers.Status, "GET", "/v1/status", **of_partition)
call(answers.Problem, "GET", "/v1/queues/root.nosuch", **of_partition)
call(answers.Problem, "GET", "/v1/inventory")
call(answers.ReplayDone, "POST", "/v1/replays", json={"into": "digest"})

lines = {"json": {"into": "projections"}, "headers": {"Accept": "application/x-ndjson"}}
with client.stream("POST", "/v1/replays", **lines) as stream:
    parsed = [answers.ReplayLine.model_validate_json(line).root for line in stream.iter_lines()]
print(json.dumps(["lines", type(parsed[0]).__name__, type(parsed[-1]).__name__]), flush=True)

started = messages.AllocationStarted(
    **{"partition": partition, "sequence": 1, "id": "a-1", "uid": "u-1", "application": "app", "queue": "root.a"},
    **{"resources": {"memory": 1}, "startedAt": "2026-11-21T09:00:00Z"},
)
print(started.model_dump_json(exclude_none=True), flush=True)
