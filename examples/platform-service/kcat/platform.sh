#!/usr/bin/env bash
# A platform service in a shell: reports one queue with eight allocations, lowers its quota, carries out requested evictions.
# Needs kcat and jq. See ../README.md.
#
#     KAFKA_BROKERS=localhost:9092 ./platform.sh
set -euo pipefail

brokers=${KAFKA_BROKERS:-localhost:9092}
prefix=${CURTAIL_KAFKA_TOPIC_PREFIX:-}
partition=${PARTITION:-example-kcat}
limit=${LIMIT_SECONDS:-90}
source=/examples/kcat/$partition
queue=root.batch

for tool in kcat jq; do
  command -v "$tool" >/dev/null || { echo "$tool is missing: apt-get install $tool" >&2; exit 1; }
done

now() { date -u +%Y-%m-%dT%H:%M:%S.%3NZ; }
new_id() { cat /proc/sys/kernel/random/uuid; }
# Grows with every message, across restarts too.
next() { echo $(($(date +%s%N) / 1000)); }

# send TOPIC TYPE KEY ID < data: one CloudEvent in binary mode.
send() {
  jq -c . | kcat -P -b "$brokers" -X enable.idempotence=true -t "$prefix$1" -k "$3" \
    -H ce_specversion=1.0 -H "ce_id=$4" -H "ce_source=$source" -H "ce_type=io.curtail.$2.v1" -H "ce_time=$(now)" \
    -H content-type=application/json
}

# read_events TOPIC OPTIONS: one line for each event, with its headers and data as one JSON object.
read_events() {
  local topic=$prefix$1
  shift
  kcat -C -q -u -b "$brokers" -t "$topic" -J "$@" |
    jq -c --unbuffered '{headers: ([.headers // [] | range(0; length; 2) as $i | {(.[$i]): .[$i + 1]}] | add // {}),
                         data: (.payload | fromjson? // {})}'
}

# first TOPIC FILTER: waits for an event that matches the filter.
first() {
  local event
  for ((tries = 0; tries < limit; tries++)); do
    event=$(read_events "$1" -o -1000 -e | jq -c "select($2)" | head -n 1 || true)
    [ -n "$event" ] && { echo "$event"; return; }
    sleep 1
  done
  echo "not done after $limit s: does Curtail run with CURTAIL_CLUSTER=inventory?" >&2
  return 1
}

allocations() { # those that run
  for number in 1 2 3 4 5 6 7 8; do
    [ -e "$work/released-nightly-$number" ] && continue
    jq -nc --arg id "nightly-$number" --arg uid "$uid-$number" --arg queue $queue --arg at "$started" \
      '{id: $id, uid: $uid, application: "nightly", queue: $queue, resources: {memory: 1000000000}, startedAt: $at}'
  done
}

list() {
  allocations | jq -s --arg partition "$partition" --argjson sequence "$(next)" --arg queue $queue \
    '{partition: $partition, sequence: $sequence, page: 1, last: true,
      applications: [{id: "nightly", queue: $queue, user: "ada"}], allocations: .}' |
    send curtail.inventory inventory.listed "$partition" "$(new_id)"
}

submit() { # MEMORY SUBMISSION
  jq -n --arg partition "$partition" --arg memory "$1" --arg submission "$2" \
    '{partition: $partition, submission: $submission, format: "yunikorn", configuration: {partitions: [
       {name: $partition, preemption: {quotapreemptionenabled: true}, queues: [{name: "root", queues: [
         {name: "batch", resources: {max: {memory: $memory}, "quota.preemption.delay": 1}}]}]}]}}' |
    send curtail.config.submissions config.submitted "$partition" "$(new_id)"
}

evict() { # REQUEST
  local id answer
  id=$(jq -r .allocation <<<"$1")
  if [ -e "$work/released-$id" ]; then answer=gone; else answer=accepted; fi
  jq -c --arg answer $answer '{evictionId, attempt, answer: $answer}' <<<"$1" |
    send curtail.evictions.answers eviction.answered $queue "$(new_id)"
  echo "asked to evict $id: $answer"
  [ $answer = gone ] && return
  jq -c --argjson sequence "$(next)" '{partition, sequence: $sequence, id: .allocation, uid}' <<<"$1" |
    send curtail.inventory allocation.released $queue "$(new_id)"
  touch "$work/released-$id"
  echo "released $id"
}

work=$(mktemp -d)
uid=$(new_id)
started=$(now)
# Each of the two loops below is a process group, which ends with this script.
set -m
trap 'exec 2>/dev/null; for job in $(jobs -p); do kill -- "-$job" || true; done; rm -rf "$work"' EXIT

# Answers eviction requests from here on; a repeated request is answered again and carried out once. Earlier requests, for allocations
# that are gone, are past their deadline.
read_events curtail.evictions.requests -o end | while read -r event; do
  jq -e --arg partition "$partition" --arg now "$(now)" \
    '.headers.ce_replayed != "true" and .data.partition == $partition and .data.deadlineAt > $now' <<<"$event" >/dev/null || continue
  evict "$(jq -c .data <<<"$event")"
done &
sleep 1

list
echo "listed 8 allocations"
# Confirms while nothing else is sent, so that Curtail knows its view is current.
while sleep 5; do
  jq -n --arg partition "$partition" '{partition: $partition}' |
    send curtail.inventory inventory.confirmed "$partition" "$(new_id)"
done &

for memory in 8G 5G; do
  submission=$(new_id)
  submit $memory "$submission"
  first curtail.quota ".data.submission == \"$submission\"" | jq -r '"the configuration with '$memory': \(.headers.ce_type)"'
done
is_end=".headers.ce_type == \"io.curtail.enforcement.ended.v1\" and .headers.ce_time > \"$started\""
ended=$(first curtail.enforcement "$is_end and .data.partition == \"$partition\" and .data.evicted > 0")
jq -r '"the run on \(.data.queue) ended as \(.data.outcome): \(.data.evicted) evicted"' <<<"$ended"
until [ "$(find "$work" -name 'released-*' | wc -l)" -ge "$(jq .data.evicted <<<"$ended")" ]; do sleep 0.1; done

wrong=$(new_id)
jq -n --arg partition "$partition" '{partition: $partition, sequence: 1, id: "x"}' |
  send curtail.inventory allocation.released $queue "$wrong"
first curtail.dead-letters ".headers.ce_id == \"$wrong\"" |
  jq -r '"a wrong message is refused at \(.headers.curtail_field): \(.headers.curtail_reason)"'
echo "$(allocations | wc -l) allocations run"
