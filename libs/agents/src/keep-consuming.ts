import { setTimeout as delay } from 'node:timers/promises';
import type { Consumer, ConsumerRunConfig } from 'kafkajs';
import { describeTrouble, endsWithin, type KafkaConnection, leave } from '#messaging/kafka';
import { whenAborted } from '#waiting';

export interface Consuming {
  connection: KafkaConnection;
  /** The consumer group, without the prefix. */
  group: string;
  /** Topics of the catalog; a group without a place in them begins at their beginning. */
  topics: readonly string[];
  run: ConsumerRunConfig;
  /** What fails if it fails, such as `consuming messages of Curtail`. */
  doing: string;
  /** Called when it cannot consume; it retries. */
  onTrouble: (error: Error) => void;
}

const restMs = { first: 250, longest: 5000 };
const joinMs = 3000;

/** Consumes until the signal, with a new client after each one that has crashed or could not start. It never rejects. */
export async function keepConsuming(options: Consuming, signal: AbortSignal): Promise<void> {
  let rest = restMs.first;
  while (!signal.aborted) {
    const began = performance.now();
    try {
      await consume(options, signal);
    } catch (error) {
      if (signal.aborted) return;
      options.onTrouble(described(error, options));
      rest =
        performance.now() - began > 10 * restMs.longest ? restMs.first : Math.min(2 * rest, restMs.longest);
      await delay(rest, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Resolves at the signal. @throws if the client crashes or cannot start. */
async function consume(options: Consuming, signal: AbortSignal): Promise<void> {
  const { connection, group } = options;
  const consumer = connection.consumer(connection.groupName(group));
  let started: Promise<void> | undefined;
  try {
    const crashed = crashOf(consumer);
    const stopped = whenAborted(signal);
    started = run(consumer, options, signal);
    await Promise.race([started.then(() => stopped), crashed, stopped]);
  } finally {
    // A member left in the group would withhold messages from the next agent: a joining consumer must have joined before it can leave.
    // The wait is limited, since the broker may be unavailable; a consumer that joins later leaves at once.
    await endsWithin(
      started?.catch(() => undefined),
      joinMs,
    );
    await leave(consumer);
    void started?.then(() => consumer.disconnect()).catch(() => undefined);
  }
}

async function run(
  consumer: Consumer,
  { connection, topics, run }: Consuming,
  signal: AbortSignal,
): Promise<void> {
  await consumer.connect();
  if (signal.aborted) return;
  await consumer.subscribe({ topics: topics.map(connection.topicName), fromBeginning: true });
  if (signal.aborted) return;
  await consumer.run(run);
}

function described(error: unknown, { connection, group, topics, doing }: Consuming): Error {
  return describeTrouble(error, {
    doing,
    topics: topics.map(connection.topicName),
    group: connection.groupName(group),
  });
}

/** Rejects when the client has given up. */
function crashOf(consumer: Consumer): Promise<never> {
  const crashed = new Promise<never>((_, reject) => {
    consumer.on(consumer.events.CRASH, ({ payload: { error } }) => reject(error));
  });
  // It may crash during the start.
  crashed.catch(() => undefined);
  return crashed;
}
