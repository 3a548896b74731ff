import { BrokenInvariant } from '#contracts';
import { endsWithin } from '../ends-within.js';
import { answerOf } from '../kafka-trouble.js';
import { type Brokers, type ClientOptions, connectionFailed, grouped } from './library.js';
import type { Broker } from './surface.js';

/** The partitions of each topic. */
export type Assignment = Record<string, number[]>;
export interface NextOffset {
  topic: string;
  partition: number;
  offset: bigint;
}

interface Joined {
  generationId: number;
  protocolName: string | null;
  leader: string;
  memberId: string;
  members: { memberId: string; metadata: Buffer }[];
}
type OffsetsFound = {
  topics: { name: string; partitions: { partitionIndex: number; committedOffset: bigint }[] }[];
};

/** The name and the format of kafkajs: members of a group may use either client. */
const protocol = 'RoundRobinAssigner';
const toGroup = 0;

/**
 * One member of a group: the requests of the classic protocol, each made once. It neither joins again nor sends heartbeats by itself:
 * the library's own consumer does so in the middle of a batch, and commits its offsets under the new generation.
 */
export class GroupMember {
  private id = '';
  private generation = -1;
  private coordinator: Broker | undefined;

  /** @param brokers their time limit is that of joining: it lasts until all members have ended their batches. */
  constructor(
    private readonly brokers: Brokers,
    private readonly client: ClientOptions,
    readonly groupId: string,
    private readonly topics: readonly string[],
  ) {}

  get memberId(): string {
    return this.id;
  }

  async join(): Promise<Assignment> {
    const { library } = this.brokers;
    const { sessionTimeoutMs, rebalanceTimeoutMs } = this.client.limits;
    const metadata = library.encodeConsumerProtocolSubscription({ version: 0, topics: [...this.topics] });
    const ask = () =>
      this.ask<Joined>('JoinGroup', [
        ...[sessionTimeoutMs, rebalanceTimeoutMs, this.id, null, 'consumer'],
        ...[[{ name: protocol, metadata }], ''],
      ]);
    const joined = await ask().catch((error: Error & { memberId?: string }) => {
      if (answerOf(error) === 'UNKNOWN_MEMBER_ID') this.id = '';
      if (answerOf(error) !== 'MEMBER_ID_REQUIRED' || !error.memberId) throw error;
      this.id = error.memberId;
      return ask();
    });
    this.id = joined.memberId;
    this.generation = joined.generationId;
    const shares = joined.leader === joined.memberId ? await this.shares(joined.members) : [];
    const synced = await this.ask<{ assignment: Buffer }>('SyncGroup', [
      ...[this.generation, this.id, null, 'consumer', joined.protocolName ?? protocol, shares],
    ]);
    if (synced.assignment.length === 0) return {};
    const { assignedPartitions } = library.decodeConsumerProtocolAssignment(synced.assignment);
    return Object.fromEntries(assignedPartitions.map(({ topic, partitions }) => [topic, partitions]));
  }

  /** @throws the broker's answer, if it no longer counts this member. */
  async heartbeat(): Promise<void> {
    await this.askInTime('Heartbeat', [this.generation, this.id, null]);
  }

  async commit(places: readonly NextOffset[]): Promise<void> {
    const topics = grouped(places, ({ topic }) => topic);
    const words = [...topics].map(([name, ofTopic]) => ({
      name,
      partitions: ofTopic.map(({ partition, offset }) => ({
        partitionIndex: partition,
        committedOffset: offset,
        committedLeaderEpoch: -1,
        committedMetadata: null,
      })),
    }));
    await this.askInTime('OffsetCommit', [this.generation, this.id, null, words]);
  }

  /** By topic and partition; partitions without a commit are missing. */
  async committed(assignment: Assignment): Promise<Map<string, bigint>> {
    const topics = Object.entries(assignment).map(([name, partitionIndexes]) => ({ name, partitionIndexes }));
    const group = { groupId: this.groupId, memberId: this.id, memberEpoch: -1, topics };
    const found = await this.inTime(() =>
      this.atCoordinator((broker) =>
        this.brokers.ask<OffsetsFound & { groups?: OffsetsFound[] }>(broker, 'OffsetFetch', [group], false),
      ),
    );
    return new Map(
      (found.groups?.[0] ?? found).topics.flatMap(({ name, partitions }) =>
        partitions
          .filter(({ committedOffset }) => committedOffset >= 0n)
          .map(
            ({ partitionIndex, committedOffset }) => [`${name}/${partitionIndex}`, committedOffset] as const,
          ),
      ),
    );
  }

  async leave(): Promise<void> {
    if (this.id === '') return;
    const memberId = this.id;
    this.id = '';
    await this.askInTime('LeaveGroup', [[{ memberId }]]);
  }

  /** As kafkajs shares them, whoever leads the group. */
  private async shares(members: Joined['members']): Promise<{ memberId: string; assignment: Buffer }[]> {
    const { library } = this.brokers;
    const topics = members.flatMap(
      ({ metadata }) => library.decodeConsumerProtocolSubscription(metadata).topics,
    );
    const { leaders } = await this.brokers.cluster([...new Set(topics)]);
    const ids = members.map(({ memberId }) => memberId).sort();
    const all = [...leaders].flatMap(([topic, of]) => of.map((_, partition) => ({ topic, partition })));
    return ids.map((memberId, place) => {
      const mine = grouped(
        all.filter((_, nr) => nr % ids.length === place),
        ({ topic }) => topic,
      );
      const assignedPartitions = [...mine].map(([topic, of]) => ({
        topic,
        partitions: of.map(({ partition }) => partition),
      }));
      return {
        memberId,
        assignment: library.encodeConsumerProtocolAssignment({ version: 0, assignedPartitions }),
      };
    });
  }

  private askInTime<T>(name: string, words: unknown[]): Promise<T> {
    return this.inTime(() => this.ask<T>(name, words));
  }

  /** The connection has the time limit of joining, so a broker that hangs is noticed here. */
  private async inTime<T>(work: () => Promise<T>): Promise<T> {
    const working = work();
    const settled = working.then(
      () => {},
      () => {},
    );
    if (!(await endsWithin(settled, this.client.limits.requestTimeoutMs))) {
      if (this.coordinator) this.brokers.drop(this.coordinator);
      this.coordinator = undefined;
      throw connectionFailed('Request timed out');
    }
    return working;
  }

  private ask<T>(name: string, words: unknown[]): Promise<T> {
    return this.atCoordinator((broker) => this.brokers.ask<T>(broker, name, this.groupId, ...words));
  }

  private async atCoordinator<T>(work: (broker: Broker) => Promise<T>): Promise<T> {
    try {
      this.coordinator ??= await this.findCoordinator();
      return await work(this.coordinator);
    } catch (error) {
      if (mayHaveMoved(error)) this.coordinator = undefined;
      throw error;
    }
  }

  private async findCoordinator(): Promise<Broker> {
    const { coordinators } = await this.brokers.ask<{ coordinators: Broker[] }>(
      undefined,
      'FindCoordinator',
      toGroup,
      [this.groupId],
    );
    const [found] = coordinators;
    if (!found) throw new BrokenInvariant(`no answer about the coordinator of ${this.groupId}`);
    return { host: found.host, port: found.port };
  }
}

/** The coordinator may be another one. Any other answer is its own. */
const mayHaveMoved = (error: unknown) =>
  /^(GROUP_COORDINATOR_NOT_AVAILABLE|NOT_COORDINATOR_FOR_GROUP)$/.test(
    answerOf(error) ?? 'NOT_COORDINATOR_FOR_GROUP',
  );
