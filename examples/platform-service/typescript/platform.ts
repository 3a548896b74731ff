/**
 * A platform service that talks to Curtail over Kafka: it reports its work, submits configurations, carries out requested evictions,
 * and reads the outcomes of its messages. See ../README.md.
 *
 *     KAFKA_BROKERS=localhost:9092 node platform.ts
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel, type Message, Partitioners } from 'kafkajs';
import { cloudEvent, type Received, received } from './cloud-events.js';
import { type Allocation, type EvictionRequest, Scheduler } from './scheduler.js';

const brokers = (process.env.KAFKA_BROKERS ?? 'localhost:9092').split(',');
const prefix = process.env.CURTAIL_KAFKA_TOPIC_PREFIX ?? '';
const partition = process.env.PARTITION ?? 'example-typescript';
const source = `/examples/typescript/${partition}`;
const log = (line: string) => console.log(line);

const kafka = new Kafka({ clientId: 'platform-service', brokers, logLevel: logLevel.ERROR });
const producer = kafka.producer({
  idempotent: true,
  maxInFlightRequests: 1,
  allowAutoTopicCreation: false,
  createPartitioner: Partitioners.DefaultPartitioner,
});
// A fixed group: after a restart it continues where it stopped.
const consumer = kafka.consumer({
  groupId: `${prefix}platform-${partition}`,
  heartbeatInterval: 500,
  sessionTimeout: 10_000,
  maxWaitTimeInMs: 250,
  // How soon it notices partitions that were added to a topic.
  metadataMaxAge: 30_000,
  allowAutoTopicCreation: false,
});

/** Grows with every message, across restarts too, so it begins with the clock. */
let sequence = Date.now() * 1000;
const next = () => ({ partition, sequence: ++sequence });

// Messages are sent in order, one after the other.
let sent: Promise<unknown> = Promise.resolve();
function send(topic: string, ...messages: Message[]): Promise<unknown> {
  sent = sent.then(() => producer.send({ topic: prefix + topic, acks: -1, messages }));
  return sent;
}
const report = (type: string, key: string, data: object) => {
  const event = cloudEvent(source, `io.curtail.${type}.v1`, key, data);
  return send('curtail.inventory', event).then(() => event.id);
};

const scheduler = new Scheduler(({ id, uid, queue }) => {
  log(`released ${id}`);
  void report('allocation.released', queue, { ...next(), id, uid });
});

/** Lists everything, in pages of at most 2000 items; here in one page. */
function list(): Promise<string> {
  const { node, application } = scheduler;
  const everything = { nodes: [node], applications: [application], allocations: scheduler.allocations() };
  return report('inventory.listed', partition, { ...next(), page: 1, last: true, ...everything });
}

async function submit(memory: string, more: object = {}): Promise<string> {
  const batch = { name: 'batch', resources: { max: { memory }, 'quota.preemption.delay': 1 }, ...more };
  const queues = [{ name: 'root', queues: [batch] }];
  const configuration = {
    partitions: [{ name: partition, preemption: { quotapreemptionenabled: true }, queues }],
  };
  const submission = randomUUID();
  const data = { partition, submission, format: 'yunikorn', configuration };
  await send(
    'curtail.config.submissions',
    cloudEvent(source, 'io.curtail.config.submitted.v1', partition, data),
  );
  return submission;
}

/** The owner of an allocation has saved its work: less is lost if it is evicted. `ready` and `extend` are sent in the same way. */
async function sendAnswer({ id: allocation, uid }: Allocation): Promise<string> {
  const id = randomUUID();
  const data = { partition, allocation, uid, answer: 'checkpointed', id, by: scheduler.application.user };
  await send(
    'curtail.owner.answers',
    cloudEvent(source, 'io.curtail.owner.answer.sent.v1', allocation, data),
  );
  return id;
}

// Outcomes awaited, by the id of a submission, answer or message, or by queue.
const outcomes = new Map<string, unknown>();
let news = new AbortController();
function cameOut(about: string, outcome: unknown): void {
  outcomes.set(about, outcome);
  news.abort();
  news = new AbortController();
}
async function outcomeOf<T>(about: string): Promise<T> {
  while (!outcomes.has(about)) await once(news.signal, 'abort');
  return outcomes.get(about) as T;
}

interface Ended {
  partition: string;
  queue: string;
  outcome: string;
  evicted: number;
}
interface Answered {
  id: string;
  /** Why it changes nothing; absent: it counts. */
  code?: string;
}
interface Refused {
  submission?: string;
  errors: { path: string; message: string }[];
}

async function receive(topic: string, event: Received<unknown>): Promise<void> {
  if (topic === 'curtail.dead-letters') {
    // Curtail could not handle one of our messages.
    if (event.source === source)
      cameOut(event.id, `${event.header('curtail_field')}: ${event.header('curtail_reason')}`);
    return;
  }
  if (event.replayed) return;
  switch (event.type) {
    case 'io.curtail.eviction.requested.v1': {
      const request = event.data() as EvictionRequest;
      // Of another partition, or too late: Curtail repeats a request that is still needed.
      if (request.partition !== partition || Date.parse(request.deadlineAt) < Date.now()) return;
      const answer = scheduler.evict(request);
      log(`asked to evict ${request.allocation}: ${answer.answer}`);
      const answered = cloudEvent(source, 'io.curtail.eviction.answered.v1', request.queue, answer);
      await send('curtail.evictions.answers', answered);
      return;
    }
    case 'io.curtail.config.applied.v1':
    case 'io.curtail.config.refused.v1': {
      const { submission, errors } = event.data() as Refused;
      if (submission) cameOut(submission, errors ?? []);
      return;
    }
    case 'io.curtail.owner.answered.v1':
    case 'io.curtail.owner.answer.refused.v1': {
      const { id, code } = event.data() as Answered;
      cameOut(id, code ?? 'it counts');
      return;
    }
    case 'io.curtail.enforcement.ended.v1': {
      const ended = event.data() as Ended;
      if (ended.partition === partition && ended.evicted > 0) cameOut(ended.queue, ended);
    }
  }
}

async function main(): Promise<void> {
  await producer.connect();
  await consumer.connect();
  const topics = [
    'curtail.quota',
    'curtail.enforcement',
    'curtail.control',
    'curtail.evictions.requests',
    'curtail.dead-letters',
  ];
  await consumer.subscribe({ topics: topics.map((topic) => prefix + topic), fromBeginning: true });
  await consumer.run({
    eachMessage: ({ topic, message }) => receive(topic.slice(prefix.length), received(message)),
  });

  await list();
  log(`listed ${scheduler.allocations().length} allocations`);
  // Confirms while nothing else is sent, so that Curtail knows its view is current.
  const heartbeat = setInterval(() => void report('inventory.confirmed', partition, { partition }), 5000);

  await outcomeOf(await submit('8G'));
  log('the first configuration is in force');
  log(
    `the answer that nightly-1 is checkpointed: ${await outcomeOf(await sendAnswer(scheduler.allocations()[0]!))}`,
  );
  await outcomeOf(await submit('5G'));
  log('the lowered configuration is in force');
  const ended = await outcomeOf<Ended>(scheduler.queue);
  log(`the run on ${ended.queue} ended as ${ended.outcome}: ${ended.evicted} evicted`);

  const [error] = await outcomeOf<Refused['errors']>(await submit('5G', { colour: 'green' }));
  log(`a wrong configuration is refused at ${error?.path}: ${error?.message}`);
  const wrong = { ...scheduler.allocations()[0], ...next(), resources: { memory: 0.5 } };
  log(
    `a wrong message is refused at ${await outcomeOf(await report('allocation.started', scheduler.queue, wrong))}`,
  );

  while (scheduler.losing) await sleep(50);
  clearInterval(heartbeat);
  log(`${scheduler.allocations().length} allocations run`);
}

const limitSeconds = Number(process.env.LIMIT_SECONDS ?? 90);
const tooLate = sleep(limitSeconds * 1000, undefined, { ref: false }).then(() => {
  throw new Error(`not done after ${limitSeconds} s: does Curtail run with CURTAIL_CLUSTER=inventory?`);
});
await Promise.race([main(), tooLate]).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
await sent.catch(() => {});
await Promise.all([consumer.disconnect(), producer.disconnect()]);
