"""A platform service that talks to Curtail over Kafka, with a different client than Curtail's own: it reports its work,
submits configurations, carries out requested evictions, and reads the outcomes of its messages. See ../README.md.

    pip install -r requirements.txt
    KAFKA_BROKERS=localhost:9092 python platform_service.py
"""

import json
import os
import sys
import threading
import time
import uuid
from datetime import datetime, timedelta, timezone

from confluent_kafka import Consumer, KafkaError, Producer

BROKERS = os.environ.get("KAFKA_BROKERS", "localhost:9092")
PREFIX = os.environ.get("CURTAIL_KAFKA_TOPIC_PREFIX", "")
PARTITION = os.environ.get("PARTITION", "example-python")
LIMIT_SECONDS = float(os.environ.get("LIMIT_SECONDS", "90"))
SOURCE = f"/examples/python/{PARTITION}"
QUEUE = "root.batch"


def log(line):
    print(line, flush=True)


def instant(moment=None):
    moment = moment or datetime.now(timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Sender:
    """Sends CloudEvents in binary mode. Its counter grows with every message, across restarts too."""

    def __init__(self):
        self._producer = Producer(
            {"bootstrap.servers": BROKERS, "enable.idempotence": True, "linger.ms": 0}
        )
        self._sequence = time.time_ns() // 1000
        self._lock = threading.Lock()

    def send(self, topic, event_type, key, data):
        event_id = str(uuid.uuid4())
        headers = {
            "ce_specversion": "1.0",
            "ce_id": event_id,
            "ce_source": SOURCE,
            "ce_type": f"io.curtail.{event_type}.v1",
            "ce_time": instant(),
            "content-type": "application/json",
        }
        self._producer.produce(
            PREFIX + topic, key=key, value=json.dumps(data), headers=headers, on_delivery=self._delivered
        )
        self._producer.poll(0)
        return event_id

    def report(self, event_type, key, data):
        with self._lock:  # messages leave in the order of the counter
            self._sequence += 1
            payload = {"partition": PARTITION, "sequence": self._sequence, **data}
            return self.send("curtail.inventory", event_type, key, payload)

    def close(self):
        self._producer.flush(10)

    @staticmethod
    def _delivered(error, message):
        if error is not None:
            log(f"not delivered to {message.topic()}: {error}")


class Scheduler:
    """A minimal scheduler: one queue with eight allocations of 1 GB each. Replace it with yours."""

    node = {"id": "node-1", "capacity": {"memory": 16_000_000_000, "vcore": 16_000}}
    application = {"id": "nightly", "queue": QUEUE, "user": "ada", "priority": 1}

    def __init__(self, sender):
        self._sender = sender
        self._lock = threading.Lock()
        self._leaving = set()
        now = datetime.now(timezone.utc)
        self.running = {
            f"nightly-{number}": {
                "id": f"nightly-{number}",
                "uid": str(uuid.uuid4()),
                "application": "nightly",
                "queue": QUEUE,
                "node": "node-1",
                "resources": {"memory": 1_000_000_000, "vcore": 1000},
                "startedAt": instant(now - timedelta(minutes=number)),
            }
            for number in range(1, 9)
        }

    @property
    def losing(self):
        """Whether evictions are in progress."""
        with self._lock:
            return bool(self._leaving)

    def evict(self, request):
        """A request may arrive twice: the allocation is then leaving already, or gone."""
        answer = {"evictionId": request["evictionId"], "attempt": request["attempt"]}
        with self._lock:
            allocation = self.running.get(request["allocation"])
            if allocation is None:
                return {**answer, "answer": "gone"}
            if allocation["uid"] != request["uid"]:
                return {**answer, "answer": "other-incarnation", "uid": allocation["uid"]}
            if allocation["uid"] in self._leaving:
                return {**answer, "answer": "accepted", "repeated": True}
            self._leaving.add(allocation["uid"])
        # The owner is notified, and finishes before the grace period ends.
        threading.Timer(min(request["graceSeconds"], 0.2), self._release, [allocation]).start()
        return {**answer, "answer": "accepted"}

    def _release(self, allocation):
        with self._lock:
            del self.running[allocation["id"]]
        log(f"released {allocation['id']}")
        self._sender.report(
            "allocation.released", QUEUE, {"id": allocation["id"], "uid": allocation["uid"]}
        )
        with self._lock:
            self._leaving.discard(allocation["uid"])


class PlatformService:
    def __init__(self):
        self.sender = Sender()
        self.scheduler = Scheduler(self.sender)
        # A fixed group: after a restart it continues where it stopped.
        self.consumer = Consumer(
            {
                "bootstrap.servers": BROKERS,
                "group.id": f"{PREFIX}platform-{PARTITION}",
                "auto.offset.reset": "earliest",
                "session.timeout.ms": 10_000,
                "allow.auto.create.topics": False,
            }
        )
        topics = ["curtail.quota", "curtail.enforcement", "curtail.evictions.requests", "curtail.dead-letters"]
        self.consumer.subscribe([PREFIX + topic for topic in topics])
        self.outcomes = {}  # by the id of a submission, message or queue
        self.deadline = time.monotonic() + LIMIT_SECONDS
        self.confirmed_at = 0.0

    def list(self):
        """Lists everything, in pages of at most 2000 items; here in one page."""
        everything = {
            "nodes": [self.scheduler.node],
            "applications": [self.scheduler.application],
            "allocations": list(self.scheduler.running.values()),
        }
        self.sender.report("inventory.listed", PARTITION, {"page": 1, "last": True, **everything})

    def submit(self, memory, more=None):
        batch = {"name": "batch", "resources": {"max": {"memory": memory}, "quota.preemption.delay": 1}, **(more or {})}
        configuration = {
            "partitions": [
                {
                    "name": PARTITION,
                    "preemption": {"quotapreemptionenabled": True},
                    "queues": [{"name": "root", "queues": [batch]}],
                }
            ]
        }
        submission = str(uuid.uuid4())
        data = {
            "partition": PARTITION,
            "submission": submission,
            "format": "yunikorn",
            "configuration": configuration,
        }
        self.sender.send("curtail.config.submissions", "config.submitted", PARTITION, data)
        return submission

    def outcome_of(self, about):
        """Handles incoming messages until there is an outcome."""
        while about not in self.outcomes:
            if time.monotonic() > self.deadline:
                raise TimeoutError(
                    f"not done after {LIMIT_SECONDS:g} s: does Curtail run with CURTAIL_CLUSTER=inventory?"
                )
            self.confirm_now_and_then()
            message = self.consumer.poll(0.1)
            if message is None:
                continue
            if message.error() is not None:
                if message.error().code() != KafkaError._PARTITION_EOF:
                    log(f"Kafka: {message.error()}")
                continue
            self.receive(message)
        return self.outcomes[about]

    def confirm_now_and_then(self):
        """Confirms while nothing else is sent, so that Curtail knows its view is current."""
        if time.monotonic() - self.confirmed_at > 5:
            self.confirmed_at = time.monotonic()
            self.sender.send("curtail.inventory", "inventory.confirmed", PARTITION, {"partition": PARTITION})

    def receive(self, message):
        header = {name: (value or b"").decode() for name, value in message.headers() or []}
        if message.topic() == f"{PREFIX}curtail.dead-letters":
            if header.get("ce_source") == SOURCE:  # Curtail could not handle one of our messages
                why = f"{header.get('curtail_field')}: {header.get('curtail_reason')}"
                self.outcomes[header.get("ce_id")] = why
            return
        if header.get("ce_replayed") == "true":
            return
        kind = header.get("ce_type", "")
        data = json.loads(message.value())
        if kind == "io.curtail.eviction.requested.v1":
            self.answer(data)
        elif kind in ("io.curtail.config.applied.v1", "io.curtail.config.refused.v1"):
            self.outcomes[data.get("submission")] = data.get("errors", [])
        elif kind == "io.curtail.enforcement.ended.v1":
            if data["partition"] == PARTITION and data["evicted"] > 0:
                self.outcomes[data["queue"]] = data

    def answer(self, request):
        deadline = datetime.fromisoformat(request["deadlineAt"].replace("Z", "+00:00"))
        if request["partition"] != PARTITION or deadline < datetime.now(timezone.utc):
            return  # of another partition, or too late: Curtail repeats a request that is still needed
        answer = self.scheduler.evict(request)
        log(f"asked to evict {request['allocation']}: {answer['answer']}")
        self.sender.send("curtail.evictions.answers", "eviction.answered", request["queue"], answer)

    def run(self):
        self.list()
        log(f"listed {len(self.scheduler.running)} allocations")
        self.outcome_of(self.submit("8G"))
        log("the first configuration is in force")
        self.outcome_of(self.submit("5G"))
        log("the lowered configuration is in force")
        ended = self.outcome_of(QUEUE)
        log(f"the run on {QUEUE} ended as {ended['outcome']}: {ended['evicted']} evicted")

        error = self.outcome_of(self.submit("5G", {"colour": "green"}))[0]
        log(f"a wrong configuration is refused at {error['path']}: {error['message']}")
        wrong = {**next(iter(self.scheduler.running.values())), "resources": {"memory": 0.5}}
        why = self.outcome_of(self.sender.report("allocation.started", QUEUE, wrong))
        log(f"a wrong message is refused at {why}")
        while self.scheduler.losing:
            time.sleep(0.05)
        log(f"{len(self.scheduler.running)} allocations run")

    def close(self):
        self.sender.close()
        self.consumer.close()


if __name__ == "__main__":
    service = PlatformService()
    try:
        service.run()
    except TimeoutError as error:
        sys.exit(str(error))
    finally:
        service.close()
