"""Calls routes of a real Curtail with the client that openapi-python-client has made, and prints what each of them is parsed as."""

import importlib
import json
import os
import pkgutil

import curtail_client
from curtail_client import Client
from curtail_client.api.configuration import get_partitions_config, put_partitions_config
from curtail_client.api.dead_letters import post_dead_letters_retry
from curtail_client.api.inventory import get_inventory
from curtail_client.api.log import post_log_archive
from curtail_client.api.operator import post_kill_switch
from curtail_client.api.owner import post_answers
from curtail_client.api.queries import get_events, get_events_by_id, get_queues, get_queues_by_path
from curtail_client.api.replay import post_replays, post_republications
from curtail_client.api.simulated_cluster import post_partitions_simulated_load
from curtail_client.api.why import get_explained
from curtail_client.models import (
    PostAnswersBody,
    PostDeadLettersRetryBody,
    PostKillSwitchBody,
    PostLogArchiveBody,
    PostPartitionsSimulatedLoadBody,
    PostReplaysBody,
    PostRepublicationsBody,
    PutPartitionsConfigJsonBodyType0,
)

for module in pkgutil.walk_packages(curtail_client.__path__, "curtail_client."):
    importlib.import_module(module.name)

client = Client(os.environ["CURTAIL_URL"], timeout=60, raise_on_unexpected_status=True)
partition = os.environ["CURTAIL_TEST_PARTITION"]


def call(name, route, *arguments, **named):
    """Prints the status and the class of the answer, and more of it where `show` picks that out."""
    show = named.pop("show", lambda parsed: None)
    answer = route.sync_detailed(*arguments, client=client, **named)
    line = [name, int(answer.status_code), type(answer.parsed).__name__, show(answer.parsed)]
    print(json.dumps(line), flush=True)
    return answer


def problem(parsed):
    return parsed.type_.split(":")[-1]


configuration = {"partitions": [{"name": partition, "queues": [{"name": "root", "queues": [{"name": "a"}]}]}]}
as_object = PutPartitionsConfigJsonBodyType0.from_dict(configuration)
applied = call("put config", put_partitions_config, partition, body=as_object)
as_text = f"partitions: [{{name: {partition}, queues: [{{name: root, queues: [{{name: a}}, {{name: b}}]}}]}}]"
call("preview config", put_partitions_config, partition, body=as_text, dry_run=True, show=lambda p: p.partition)
call("put config again", put_partitions_config, partition, body=as_text, if_none_match="*", show=problem)
call("get config", get_partitions_config, partition, show=lambda p: p.version == applied.parsed.version)

load = PostPartitionsSimulatedLoadBody.from_dict({"queues": 2, "allocations": 20})
call("load", post_partitions_simulated_load, partition, body=load, show=lambda p: p.result.allocations)
again = {"body": load, "show": lambda p: p.errors[0].path}
call("load again", post_partitions_simulated_load, partition, **again)

call("queues", get_queues, partition=partition, show=lambda p: [queue.queue for queue in p.items])
call("no queue", get_queues_by_path, "root.nosuch", partition=partition, show=problem)
events = call("events", get_events, partition=partition, limit=5, show=lambda p: len(p.items) > 0)
newest = events.parsed.items[0]
call("event", get_events_by_id, newest.id, show=lambda p: p == newest)

call("replay", post_replays, body=PostReplaysBody.from_dict({"into": "digest"}), show=lambda p: type(p.result).__name__)
republication = PostRepublicationsBody.from_dict({"topic": "curtail.control"})
call("republication", post_republications, body=republication, show=problem)
archive = PostLogArchiveBody.from_dict({"before": os.environ["CURTAIL_TEST_NOW"], "dryRun": True})
call("archive", post_log_archive, body=archive, show=lambda p: len(p.result.partitions) > 0)

call("explained", get_explained, show=problem)
call("inventory", get_inventory, show=problem)
stop = PostKillSwitchBody.from_dict({"partition": "nosuch", "reason": "a look"})
call("kill switch", post_kill_switch, body=stop, show=problem)
answer = PostAnswersBody.from_dict({"partition": partition, "allocation": "nosuch", "answer": "ready"})
call("answer", post_answers, body=answer, show=problem)
letter = {"consumer": "planner", "event": "00000000-0000-0000-0000-000000000000"}
call("retry", post_dead_letters_retry, body=PostDeadLettersRetryBody.from_dict(letter), show=problem)
