import { setTimeout as delay } from 'node:timers/promises';
import type { Admin, ITopicMetadata } from 'kafkajs';
import { endsWithin } from './ends-within.js';
import { answerOf } from './kafka-trouble.js';
import { kafkajs } from './kafkajs.js';
import type { KafkaConnection } from './open-kafka.js';

/** An admin client that connects on first use. After `close` the next request connects a new one. */
export class KeptAdmin {
  private admin: Promise<Admin> | undefined;

  /** @param pausesMs its pauses while it waits for leaders. */
  constructor(
    private readonly connection: KafkaConnection,
    private readonly pausesMs = usualPausesMs,
  ) {}

  /**
   * Waits for the leaders of partitions that are new or moving: the requests may be made several times.
   *
   * @throws the error of the broker, or of the connection.
   */
  ask<T>(requests: (admin: Admin) => Promise<T>): Promise<T> {
    return this.askWhile(moving, requests);
  }

  /**
   * As `ask`, about topics that were listed: also waits for brokers that do not know them yet.
   *
   * @throws the error of the broker, or of the connection.
   */
  askOfListed<T>(requests: (admin: Admin) => Promise<T>): Promise<T> {
    return this.askWhile(movingOrNew, requests);
  }

  connected(): Promise<Admin> {
    this.admin ??= (async () => {
      const admin = this.connection.admin();
      await admin.connect();
      return admin;
    })();
    return this.admin;
  }

  async close(): Promise<void> {
    const { admin } = this;
    this.admin = undefined;
    await leave(admin);
  }

  private askWhile<T>(passing: ReadonlySet<string>, requests: (admin: Admin) => Promise<T>): Promise<T> {
    return askWhile(
      passing,
      async () => requests(await this.connected()),
      () => this.close(),
      this.pausesMs,
    );
  }
}

/**
 * The partitions of topics.
 *
 * @throws the error of the broker, or of the connection.
 */
export async function partitionsOfTopics(admin: Admin, topics: string[]): Promise<ITopicMetadata[]> {
  try {
    return (await admin.fetchTopicMetadata({ topics })).topics;
  } catch (error) {
    // kafkajs drops the broker's refusal (`withBroker`) and reads from null. What it knew a moment before has most likely no leader yet.
    if ((error as Error).name !== 'TypeError') throw error;
    throw noLeader(`a partition of ${topics.join(', ')} has no leader yet`);
  }
}

const noLeader = (message: string) =>
  Object.assign(new kafkajs.KafkaJSProtocolError(message), {
    type: 'LEADER_NOT_AVAILABLE',
    code: 5,
    retriable: true,
  });

/** The maximum wait for a discarded client, which may wait for answers over a lost connection. */
const leaveMs = 3000;

/** Disconnects a client, even one that is still connecting; ignores errors, and work that takes longer than `ms`. */
export async function leave(
  client: { disconnect(): Promise<void> } | Promise<{ disconnect(): Promise<void> }> | undefined,
  ms = leaveMs,
): Promise<void> {
  await endsWithin(
    (async () => (await client)?.disconnect())().catch(() => {}),
    ms,
  );
}

/** A partition is new, or moving to another broker. */
const moving: ReadonlySet<string> = new Set(['NOT_LEADER_FOR_PARTITION', 'LEADER_NOT_AVAILABLE']);
/** The same, or a listed topic is new: some brokers learn of it a moment later than the one that listed it. */
const movingOrNew: ReadonlySet<string> = new Set([...moving, 'UNKNOWN_TOPIC_OR_PARTITION']);
/** Brokers elect a new leader within a second or two. */
export const usualPausesMs: readonly number[] = [50, 100, 200, 400, 800];

/**
 * Retries with a new client while the brokers give an answer that passes.
 *
 * @param passing the answers that pass by themselves.
 * @param close ends the client: a new one refreshes its metadata.
 * @param pausesMs the pauses before the attempts after the first.
 * @throws the error of the broker, or of the connection.
 */
async function askWhile<T>(
  passing: ReadonlySet<string>,
  ask: () => Promise<T>,
  close: () => Promise<void>,
  pausesMs: readonly number[],
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      await close();
      const pauseMs = pausesMs[attempt];
      if (pauseMs === undefined || !passing.has(answerOf(error) ?? '')) throw error;
      await delay(pauseMs);
    }
  }
}
