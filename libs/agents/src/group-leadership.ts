import { setTimeout as delay } from 'node:timers/promises';
import type { Consumer } from 'kafkajs';
import { topics } from '#contracts/events';
import { describeTrouble, type KafkaConnection, leave } from '#messaging/kafka';
import { whenAborted } from '#waiting';
import { AgentError } from './agent-error.js';

/** The time in which one agent is active, and no other. */
export interface Term {
  /** Aborts at the end of the term; nothing more may be sent then. */
  readonly signal: AbortSignal;
  /** The sequence of every report of this term is greater. */
  readonly sequenceAfter: number;
  /** Whether the term still lasts at this moment, even if timers are late. */
  holds(): boolean;
}

/**
 * What an agent does in one term. Resolves when nothing more can be sent.
 *
 * @param registerSequence receives a function that returns the greatest sequence sent so far.
 */
export type ActInTerm = (term: Term, registerSequence: (sequence: () => number) => void) => Promise<void>;

export interface GroupLeadershipOptions {
  connection: KafkaConnection;
  /** The consumer group of the agents of one cluster that elects, without the prefix. */
  group: string;
  /** By the clock of this machine: sequences begin with it. */
  now: () => Date;
  onTrouble: (error: Error) => void;
  /** Milliseconds of a monotonic clock. */
  elapsed?: () => number;
}

/** Between the end of one term and the beginning of the next, messages in flight arrive or are lost. */
const settleMs = 2000;
const restMs = { first: 250, longest: 5000 };
/** Who has it is active; every agent may read this topic anyway. */
const electing = { topic: topics.control, partition: 0 };

/**
 * Selects one active agent of several where the cluster itself has no leases: by a consumer group of Kafka. The member that the first partition
 * of a topic is assigned to is active; nothing is read from it.
 *
 *     joining --assigned--> settling --settleMs--> active --rebalance, crash, or no heartbeat in time--> joining
 *
 * The brokers assign the partition to another member only when this one has joined the group again, or has sent no heartbeat for the time of a
 * session. A term ends earlier than that: two thirds of a session after the last answered heartbeat was sent. A heartbeat that is answered
 * later shows that this member still has the partition, and another term begins.
 */
export class GroupLeadership {
  private readonly elapsed: () => number;
  private readonly holdMs: number;

  constructor(private readonly options: GroupLeadershipOptions) {
    this.elapsed = options.elapsed ?? (() => performance.now());
    this.holdMs = (options.connection.patience.sessionTimeoutMs * 2) / 3;
  }

  /** Calls `act` for each term, until `signal` aborts. The group is left only after `act` has resolved. */
  async run(act: ActInTerm, signal: AbortSignal): Promise<void> {
    for (let rest = restMs.first; !signal.aborted; rest = Math.min(2 * rest, restMs.longest)) {
      try {
        if (await this.join(act, signal)) rest = restMs.first;
      } catch (error) {
        if (signal.aborted) return;
        this.options.onTrouble(this.described(error));
      }
      await delay(rest, undefined, { signal }).catch(() => undefined);
    }
  }

  /** @returns whether it was a member, until its client crashed or `signal` aborted. @throws if it cannot become one. */
  private async join(act: ActInTerm, signal: AbortSignal): Promise<boolean> {
    const { connection, group } = this.options;
    const client = connection.consumer(connection.groupName(group));
    const membership = new Membership(client, {
      topic: connection.topicName(electing.topic),
      holdMs: this.holdMs,
      elapsed: this.elapsed,
      begin: (term) => act({ ...term, sequenceAfter: this.options.now().getTime() * 1000 }, () => {}),
      onTrouble: this.options.onTrouble,
    });
    try {
      await client.connect();
      await client.subscribe({ topics: [connection.topicName(electing.topic)] });
      // Nothing is handled, and no place is kept.
      await client.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch: async () => {} });
      const crash = await Promise.race([membership.crashed, whenAborted(signal)]);
      if (crash) this.options.onTrouble(this.described(crash));
      return membership.hasJoined;
    } finally {
      await membership.close();
      await leave(client, connection.patience.requestTimeoutMs);
    }
  }

  private described(error: unknown): Error {
    const { connection, group } = this.options;
    return describeTrouble(error, {
      doing: 'electing the active agent',
      topics: [connection.topicName(electing.topic)],
      group: connection.groupName(group),
    });
  }
}

interface MembershipOptions {
  topic: string;
  holdMs: number;
  elapsed: () => number;
  begin: (term: { signal: AbortSignal; holds: () => boolean }) => Promise<void>;
  onTrouble: (error: Error) => void;
}

/** What one client knows of its place in the group. */
class Membership {
  hasJoined = false;
  /** Resolves with the error, when the client has given up. */
  readonly crashed: Promise<Error>;
  /** Of the current term, or of the last one while the partition stays assigned. */
  private over: AbortController | undefined;
  private working: Promise<void> = Promise.resolve();
  private heldUntil = 0;
  private isClosed = false;

  constructor(
    client: Consumer,
    private readonly options: MembershipOptions,
  ) {
    const { events } = client;
    this.crashed = new Promise((resolve) => client.on(events.CRASH, ({ payload }) => resolve(payload.error)));
    void this.crashed.then(() => this.end());
    // The session of a member lasts from the moment at which the brokers received its heartbeat, so from when it was sent.
    let sentAt = options.elapsed();
    client.on(events.REQUEST, ({ payload: { apiName, duration } }) => {
      if (apiName === 'Heartbeat' || apiName === 'SyncGroup') sentAt = options.elapsed() - duration;
    });
    client.on(events.HEARTBEAT, () => {
      this.heldUntil = sentAt + options.holdMs;
      // A late answer has ended the term, or its work has failed: no other member would begin one.
      if (this.over?.signal.aborted && !this.isClosed) this.begin();
    });
    client.on(events.REBALANCING, () => this.end());
    client.on(events.GROUP_JOIN, ({ payload: { memberAssignment } }) => {
      this.hasJoined = true;
      this.end();
      if (this.isClosed || !memberAssignment[options.topic]?.includes(electing.partition)) return;
      this.heldUntil = sentAt + options.holdMs;
      this.begin();
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.end();
    await this.working;
  }

  private end(): void {
    this.over?.abort();
    this.over = undefined;
  }

  private begin(): void {
    const over = new AbortController();
    this.over = over;
    const { elapsed, onTrouble, begin } = this.options;
    const holds = () => !over.signal.aborted && elapsed() < this.heldUntil;
    // One term after the other.
    this.working = this.working
      .then(async () => {
        await delay(settleMs, undefined, { signal: over.signal }).catch(() => undefined);
        if (!holds()) {
          over.abort();
          return;
        }
        const watching = this.endInTime(over, holds);
        await begin({ signal: over.signal, holds }).finally(() => over.abort());
        await watching;
      })
      .catch(onTrouble);
  }

  private async endInTime(over: AbortController, holds: () => boolean): Promise<void> {
    while (holds()) {
      const ms = Math.max(1, this.heldUntil - this.options.elapsed());
      await delay(ms, undefined, { signal: over.signal }).catch(() => undefined);
    }
    if (over.signal.aborted) return;
    this.options.onTrouble(
      new AgentError('not-active', 'the brokers have not answered in time: this agent is no longer active'),
    );
    over.abort();
  }
}
