import { setTimeout as delay } from 'node:timers/promises';
import type { Consumer, KafkaMessage } from 'kafkajs';
import type { EventData } from '#contracts';
import { catalog, eventName, topics } from '#contracts/events';
import { describeTrouble, type KafkaConnection, leave } from '#messaging/kafka';
import { whenAborted } from '#waiting';
import { crashOf } from './kafka-transport.js';
import type { PastEviction } from './past-evictions.js';

export interface EvictionRecordsOptions {
  connection: KafkaConnection;
  /** Its consumer group, without the prefix. No place is kept in it: the records are read from their beginning each time. */
  group: string;
  partition: string;
  now: () => Date;
  /** Called when it cannot consume from Kafka; it retries. */
  onTrouble: (error: Error) => void;
}

const recordTopics = [topics.evictionRequests, topics.evictions];
/** The longest grace period is one day. */
const recordedWithinMs = 2 * 86_400_000;
const mostRemembered = 100_000;
const restMs = { first: 250, longest: 5000 };

/**
 * The evictions of a partition that Curtail has recorded on Kafka, for agents that store nothing: an agent that has just begun learns what those
 * before it have signalled. A request alone may have been refused; with the record of its eviction it was carried out.
 */
export class EvictionRecords {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private readonly matching = new MatchedRecords();

  constructor(private readonly options: EvictionRecordsOptions) {}

  start(): void {
    this.running = this.read();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Those that have come to be known since the last call. */
  take(): PastEviction[] {
    return this.matching.take();
  }

  private async read(): Promise<void> {
    const { signal } = this.stopping;
    for (let rest = restMs.first; !signal.aborted; rest = Math.min(2 * rest, restMs.longest)) {
      try {
        await this.consume(signal);
      } catch (error) {
        if (!signal.aborted) this.options.onTrouble(this.described(error));
      }
      await delay(rest, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Resolves when `stop` is called. @throws if the client crashes or cannot start. */
  private async consume(signal: AbortSignal): Promise<void> {
    const { connection, group } = this.options;
    const client: Consumer = connection.consumer(connection.groupName(group));
    const crashed = crashOf(client);
    try {
      await client.connect();
      await client.subscribe({ topics: recordTopics.map(connection.topicName), fromBeginning: true });
      if (signal.aborted) return;
      await client.run({ autoCommit: false, eachMessage: async ({ message }) => this.note(message) });
      await Promise.race([crashed, whenAborted(signal)]);
    } finally {
      await leave(client, connection.patience.requestTimeoutMs);
    }
  }

  /** The transport of the agent reports a message that cannot be read. */
  private note({ headers, value }: KafkaMessage): void {
    const { partition, now } = this.options;
    const header = (name: string) => headers?.[name]?.toString();
    if (header('ce_partition') !== partition || header('ce_replayed') === 'true') return;
    if (Date.parse(header('ce_time') ?? '') < now().getTime() - recordedWithinMs) return;
    const name = eventName(header('ce_type') ?? '');
    if (name !== 'EvictionRequested' && name !== 'VictimEvicted') return;
    const { data } = catalog[name].schema.safeParse(parsed(value));
    if (data === undefined) return;
    if (name === 'EvictionRequested') this.matching.requested(data as EventData<'EvictionRequested'>);
    else this.matching.evicted(data as EventData<'VictimEvicted'>);
  }

  private described(error: unknown): Error {
    const { connection, group } = this.options;
    return describeTrouble(error, {
      doing: 'reading the evictions of agents before',
      topics: recordTopics.map(connection.topicName),
      group: connection.groupName(group),
    });
  }
}

/** Requests and evictions with the same id; topics are read in no order between them. */
class MatchedRecords {
  private readonly graces = new Map<string, number>();
  private readonly unmatched = new Map<string, string>();
  private found: PastEviction[] = [];

  requested({ evictionId, graceSeconds }: EventData<'EvictionRequested'>): void {
    remember(this.graces, evictionId, graceSeconds);
    this.match(evictionId);
  }

  evicted({ evictionId, allocation }: EventData<'VictimEvicted'>): void {
    remember(this.unmatched, evictionId, allocation);
    this.match(evictionId);
  }

  take(): PastEviction[] {
    const taken = this.found;
    this.found = [];
    return taken;
  }

  private match(evictionId: string): void {
    const graceSeconds = this.graces.get(evictionId);
    const allocation = this.unmatched.get(evictionId);
    if (graceSeconds === undefined || allocation === undefined) return;
    this.graces.delete(evictionId);
    this.unmatched.delete(evictionId);
    this.found.push({ allocation, graceSeconds });
  }
}

function remember<T>(all: Map<string, T>, key: string, value: T): void {
  all.set(key, value);
  if (all.size > mostRemembered) all.delete([...all.keys()][0] ?? '');
}

function parsed(value: Buffer | null): unknown {
  try {
    return JSON.parse(value?.toString() ?? '');
  } catch {
    return undefined;
  }
}
