import type { KafkaMessage } from 'kafkajs';
import type { EventData } from '#contracts';
import { catalog, eventName, topics } from '#contracts/events';
import type { KafkaConnection } from '#messaging/kafka';
import { keepConsuming } from './keep-consuming.js';
import type { PastEviction } from './past-evictions.js';
import { remember } from './remember.js';

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
    const { connection, group, onTrouble } = this.options;
    const eachMessage = async ({ message }: { message: KafkaMessage }) => this.note(message);
    this.running = keepConsuming(
      {
        connection,
        group,
        topics: recordTopics,
        run: { autoCommit: false, eachMessage },
        doing: 'reading the evictions of agents before',
        onTrouble,
      },
      this.stopping.signal,
    );
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Those that have come to be known since the last call. */
  take(): PastEviction[] {
    return this.matching.take();
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
}

/** Requests and evictions with the same id; topics are read in no order between them. */
class MatchedRecords {
  private readonly graces = new Map<string, number>();
  private readonly unmatched = new Map<string, string>();
  private found: PastEviction[] = [];

  requested({ evictionId, graceSeconds }: EventData<'EvictionRequested'>): void {
    remember(this.graces, evictionId, graceSeconds, mostRemembered);
    this.match(evictionId);
  }

  evicted({ evictionId, allocation }: EventData<'VictimEvicted'>): void {
    remember(this.unmatched, evictionId, allocation, mostRemembered);
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

function parsed(value: Buffer | null): unknown {
  try {
    return JSON.parse(value?.toString() ?? '');
  } catch {
    return undefined;
  }
}
