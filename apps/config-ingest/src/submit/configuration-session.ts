import type { QueueInForce } from '#clusters';
import type { DomainEvent } from '#contracts';
import type { ConfigurationError } from '#contracts/api';
import { configStream, type EventTrace, type NewEvent, type Tx } from '#event-store';
import { type ConfiguredFreeze, configuredFreezes, putConfiguredFreezes } from '#holds';
import { changesOfVersion } from '../history/changes-of-version.js';
import type { RecordedText, RecordedVersion } from '../history/configuration-history.js';
import { lockAndRead, type PartitionInForce, type Replacement } from './configuration-store.js';
import { type Before, type DecidedConfiguration, decideConfiguration } from './decide-configuration.js';
import { differingQueues } from './differing-queues.js';
import { assertVersion } from './expected-version.js';
import { assertOthersStay } from './other-queues.js';
import { queueOf, recordChanges } from './record-configuration.js';
import { assertMayRemove } from './removed-queues.js';
import { bodyOf, digestOfText, type ReadSubmission, type Sender, type Submission } from './submission.js';

const mostErrors = 100;

/** The allocations of queues that a configuration would remove, as `ClusterReader.held`. */
type Held = Parameters<typeof assertMayRemove>[2];

/** A partition, as far as the session has decided. */
interface Entry {
  configuration: Before['configuration'];
  queues: readonly QueueInForce[];
  /** Those that the tables have. */
  written: readonly QueueInForce[];
  /** The last version of the stream, with the events that are not written yet. */
  version: number;
  hasFreezes: boolean;
  /** Not written yet. */
  events: NewEvent[];
  replacement: Replacement | undefined;
  /** By queue. */
  changedAt: Map<string, number>;
}

/** A decision, and where it is on record. */
export interface Recorded extends DecidedConfiguration {
  /** The version of the configuration in force: of its last event. */
  version: number;
  at: Date;
}

/**
 * The configurations of some partitions inside one transaction: decided on one after the other, written together. The decisions are those
 * of single transactions, with the same events in the same order of each stream: each one finds what the one before has put in force.
 * Only the time is the same for all.
 */
export class ConfigurationSession {
  private readonly entries = new Map<string, Entry>();
  private versions: (() => RecordedVersion)[] = [];
  private texts: RecordedText[] = [];

  private constructor(
    readonly tx: Tx,
    private readonly at: Date,
    inForce: ReadonlyMap<string, PartitionInForce>,
  ) {
    for (const [partition, { configuration, queues, streamVersion, hasFreezes }] of inForce) {
      this.entries.set(partition, {
        configuration,
        queues,
        written: queues,
        version: streamVersion,
        hasFreezes,
        events: [],
        replacement: undefined,
        changedAt: new Map(),
      });
    }
  }

  /** Locks the configurations of the partitions until the end of the transaction, and reads what is in force. */
  static async open(tx: Tx, partitions: Iterable<string>): Promise<ConfigurationSession> {
    const { at, inForce } = await lockAndRead(tx, [...new Set(partitions)]);
    return new ConfigurationSession(tx, at, inForce);
  }

  /**
   * Puts a valid configuration in force.
   *
   * @param held which queues hold work, for a sender that may not remove all.
   * @throws VersionConflict, OtherQueuesChanged or QueuesWouldBeRemoved before anything is changed.
   */
  async put(
    partition: string,
    submission: Submission,
    result: ReadSubmission,
    sender: Sender,
    held: Held,
  ): Promise<Recorded> {
    const entry = this.entry(partition);
    const { configuration } = entry;
    const { ifVersion, removes = 'all', onlyQueue } = sender;
    const version = configuration?.version ?? 0;
    // The message of a conflict names changes on record.
    if (ifVersion !== undefined && ifVersion !== version && entry.events.length > 0) {
      await (await this.save()).written;
    }
    await assertVersion(this.tx, partition, version, ifVersion);
    const before = { configuration, queues: entry.queues };
    const decided = decideConfiguration(partition, before, submission, result, sender);
    const { differing } = decided;
    const { queues } = decided.after;
    if (onlyQueue !== undefined) assertOthersStay(onlyQueue, differing.before, differing.after);
    if (removes !== 'all') await assertMayRemove(removes, { ...differing, version }, held);
    const freezes = await this.freezeEvents(partition, entry, configuredFreezes(partition, queues), sender);
    return this.take(partition, entry, decided, freezes, sender);
  }

  /** Records that a submission was refused; the configuration in force stays. `id` is the sender's own. */
  refuse(
    partition: string,
    submission: Submission,
    errors: readonly ConfigurationError[],
    { id, cause }: { id?: string; cause?: EventTrace } = {},
  ): void {
    const event: DomainEvent = {
      name: 'ConfigRefused',
      data: {
        partition,
        digest: digestOfText(bodyOf(submission)),
        errors: errors.slice(0, mostErrors),
        ...(id === undefined ? {} : { submission: id }),
      },
    };
    this.add(this.entry(partition), [{ event, key: partition, cause }]);
  }

  /** Writes the decisions so far. @returns when all statements are sent. */
  async save(): Promise<{ written: Promise<void> }> {
    const all = [...this.entries];
    const { versions, texts } = this;
    const changes = {
      versions,
      texts,
      appends: all.flatMap(([partition, { events, version }]) =>
        events.length === 0
          ? []
          : [
              {
                stream: configStream(partition),
                partition,
                expectedVersion: version - events.length,
                events,
              },
            ],
      ),
      quotas: all.flatMap(([partition, { changedAt }]) =>
        [...changedAt].map(([queue, version]) => ({ partition, queue, version })),
      ),
      replacements: all.flatMap(([, { replacement }]) => replacement ?? []),
    };
    this.versions = [];
    this.texts = [];
    for (const [, entry] of all) {
      entry.events = [];
      entry.changedAt = new Map();
      entry.written = entry.queues;
      entry.replacement = undefined;
    }
    return recordChanges(this.tx, changes);
  }

  private take(
    partition: string,
    entry: Entry,
    decided: DecidedConfiguration,
    freezes: DomainEvent[],
    sender: Sender,
  ): Recorded {
    const { at } = this;
    const { before, after, differing, applied, followed, attention } = decided;
    const { by, via = 'http', source, submission, rolledBackTo, onlyQueue, cause } = sender;
    const { queues, policies, clusterSize: _, body, ...text } = after;
    for (const [i, event] of followed.entries()) entry.changedAt.set(queueOf(event), entry.version + 2 + i);
    this.add(entry, [
      { event: applied, at, key: partition, cause },
      ...followed.map((event) => ({ event, at, key: queueOf(event), cause })),
      ...freezes.map((event) => ({ event, at, key: queueOf(event) || partition, cause })),
    ]);
    const { version } = entry;
    // The partition stays that of its cluster when an operator configures it; a platform says for which it speaks.
    const kept = via === 'kafka' ? undefined : (before.configuration?.cluster ?? undefined);
    const cluster = sender.cluster ?? kept;
    const configuration = { ...text, policies, attention, partition, appliedAt: at, version, cluster };
    const isKnown = before.configuration?.digest === after.digest;
    this.texts.push({ partition, digest: after.digest, body: isKnown ? undefined : body, appliedAt: at });
    this.versions.push(() => ({
      ...text,
      ...{ partition, appliedAt: at, version, cluster },
      previous: before.configuration?.version ?? null,
      by,
      via,
      source,
      submission,
      rolledBackTo,
      onlyQueue,
      ...changesOfVersion(
        partition,
        before.configuration && { ...before.configuration, queues: differing.before },
        { ...after, queues: differing.after },
      ),
    }));
    entry.replacement = {
      configuration,
      differing: entry.replacement ? differingQueues(entry.written, queues) : differing,
      after: queues,
    };
    const { attention: __, ...inForce } = configuration;
    entry.configuration = {
      ...inForce,
      policies: JSON.parse(JSON.stringify(policies)),
      cluster: cluster ?? null,
    };
    entry.queues = queues;
    return { ...decided, version, at };
  }

  /** Puts the freezes of a configuration in force. @returns the events of those that were set and cleared by that. */
  private async freezeEvents(
    partition: string,
    entry: Entry,
    wanted: readonly ConfiguredFreeze[],
    { by = 'configuration' }: Sender,
  ): Promise<DomainEvent[]> {
    if (wanted.length === 0 && !entry.hasFreezes) return [];
    const { set, cleared } = await putConfiguredFreezes(this.tx, partition, wanted, by);
    entry.hasFreezes = wanted.length > 0;
    const events = set.map(({ freeze, queue, window, reason }): DomainEvent => {
      const why = reason === undefined ? {} : { reason };
      return { name: 'FreezeSet', data: { partition, queue, freeze, window, configured: true, by, ...why } };
    });
    if (cleared.length === 0) return events;
    return [
      ...events,
      { name: 'FreezeCleared', data: { partition, freezes: cleared, configured: true, by } },
    ];
  }

  private add(entry: Entry, events: NewEvent[]): void {
    for (const event of events) entry.events.push(event);
    entry.version += events.length;
  }

  private entry(partition: string): Entry {
    return this.entries.get(partition)!;
  }
}
