import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_READER, type ClusterReader, queuesInForce, unknownPlace } from '#clusters';
import { type ConfigurationWithQueue, isInEntry, type QueueText, withPlaceInEntry } from '#configuration';
import { InputError } from '#contracts';
import type { Applied, ConfigurationError, QueueConfiguration } from '#contracts/api';
import type { Tx } from '#event-store';
import { type CallingClient, ProblemException, type Team } from '#platform';
import { ReadInThread } from '../reading/read-in-thread.js';
import type { ConfigurationSession } from './configuration-session.js';
import {
  noConfiguration,
  readConfigurationInForce,
  type StoredConfiguration,
} from './configuration-store.js';
import { VersionConflict } from './expected-version.js';
import { changedByTeam, OtherQueuesChanged } from './other-queues.js';
import { QueuesWouldBeRemoved, removalRefused } from './removed-queues.js';
import { queuesOf, type ReadSubmission, type Sender, type Submission } from './submission.js';
import { conflict, refusalOf } from './submission-refusals.js';
import { SubmitConfiguration } from './submit-configuration.js';

/** Others may put configurations in force all the time; each attempt merges with the latest one. */
const attemptsAtMost = 10;

/** The entry of one queue, with everything below it. */
export interface QueueEntry {
  queue: string;
  text: string;
  /** Whether unknown keys in the entry are warnings. */
  allowUnknown?: boolean;
  /** The team that sends it: it may not change its own queue, nor properties of the queues below that affect evictions. */
  team?: Pick<Team, 'queue'> | undefined;
}

/** What the sender replaces: the entry with this tag, or a version of the whole configuration; undefined: whichever is in force. */
export type ReplacedEntry = { tag: string } | { version: number } | undefined;

/** The whole configuration with the entry. */
export interface MergedEntry {
  /** The configuration in force into which the entry was put. */
  base: StoredConfiguration;
  submission: Submission;
  result: ReadSubmission;
}

/**
 * Submissions for one queue, from the team to which it belongs. The entry replaces that of the queue in the text of the configuration in
 * force; the result is submitted as a whole, and refused if it changes any other queue. docs/how-to/change-and-go-back.md
 */
@Injectable()
export class SubmitQueue {
  constructor(
    private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    private readonly submissions: SubmitConfiguration,
    private readonly reader: ReadInThread,
  ) {}

  /** @throws ProblemException 404 without a configuration or an entry of the queue, 409 for a format other than queues.yaml. */
  async inForce(
    partition: string,
    queue: string,
    client?: CallingClient,
  ): Promise<{ answer: QueueConfiguration; tag: string }> {
    const base = await this.base(partition);
    const entry = await this.reader.queue({ configuration: base.body, partition, queue }, client);
    if (!entry) throw await this.noEntry(partition, queue);
    const { version, appliedAt } = base;
    return {
      answer: { partition, queue, body: entry.text, version, appliedAt: appliedAt.toISOString() },
      tag: tagOfEntry(entry),
    };
  }

  /**
   * @throws ProblemException as `inForce`; 422 with the errors of the entry, or if other queues would change; 412 if `replaced` is not in
   *   force; 409 if queues would be removed that the sender keeps.
   */
  async submit(
    partition: string,
    entry: QueueEntry,
    sender: Pick<Sender, 'by' | 'removes'> & { replaced?: ReplacedEntry },
    client?: CallingClient,
  ): Promise<Applied> {
    const { replaced, ...fields } = sender;
    for (let attempt = 1; ; attempt++) {
      const merged = await this.read(partition, entry, { replaced, client });
      const { submission, result } = merged;
      if (!result.valid) return this.submissions.refuseNow(partition, submission, result);
      try {
        return await this.db.transaction((tx) => this.apply(tx, partition, entry.queue, merged, fields));
      } catch (error) {
        if (error instanceof QueuesWouldBeRemoved) throw await removalRefused(this.cluster, partition, error);
        if (error instanceof OtherQueuesChanged) {
          return this.submissions.refuseNow(partition, submission, {
            errors: [othersChanged(error)],
            allowUnknownHelps: false,
          });
        }
        if (!(error instanceof VersionConflict)) throw error;
        // Another queue may have changed: the entry may still be the one that the sender replaces.
        if (attempt === attemptsAtMost) throw conflict(partition, error);
      }
    }
  }

  /** @throws ProblemException as `submit`, unless the entry is wrong only inside the whole: then the result has the errors. */
  async read(
    partition: string,
    entry: QueueEntry,
    { replaced, client }: { replaced?: ReplacedEntry; client?: CallingClient | undefined } = {},
  ): Promise<MergedEntry> {
    const base = await this.base(partition);
    const { queue, text, allowUnknown = false } = entry;
    const { body: configuration, quotaPreemptionEnabled } = base;
    // The configuration in force may have been sent with unknown keys allowed.
    const options = await this.submissions.readingOptions(partition, {
      format: 'yunikorn',
      allowUnknown: true,
    });
    const read = await this.reader.entry(
      {
        configuration,
        partition,
        queue,
        sent: text,
        childrenOnly: entry.team?.queue === queue,
        options,
      },
      client,
    );
    if (read === undefined) throw await this.noEntry(partition, queue);
    if ('errors' in read) throw refusalOf({ errors: read.errors, allowUnknownHelps: false });
    const { merged } = read;
    assertReplaced(
      partition,
      queue,
      { version: base.version, tag: tagOfEntry({ text: merged.replaced }) },
      replaced,
    );
    const submission: Submission = { text: merged.text, format: 'yunikorn', quotaPreemptionEnabled };
    const whole = await this.submissions.forCluster(partition, submission, read.result);
    const result = withPlaces(whole, merged, allowUnknown);
    if (!result.valid || entry.team === undefined) return { base, submission, result };
    const before = await queuesInForce(this.db, partition);
    const errors = changedByTeam(before, queuesOf(result, partition));
    return { base, submission, result: { ...result, valid: errors.length === 0, errors } };
  }

  /** @throws VersionConflict if another configuration is in force by now. */
  private apply(
    tx: Tx,
    partition: string,
    queue: string,
    merged: MergedEntry,
    sender: Sender,
  ): Promise<Applied> {
    const { submission, result } = merged;
    return this.submissions.apply(tx, partition, submission, result, ofEntry(queue, merged, sender));
  }

  /** The same in a session, whose `save` writes it. */
  async put(
    session: ConfigurationSession,
    partition: string,
    queue: string,
    merged: MergedEntry,
    sender: Sender,
  ): Promise<void> {
    const { submission, result } = merged;
    await this.submissions.put(session, partition, submission, result, ofEntry(queue, merged, sender));
  }

  private async noEntry(partition: string, queue: string): Promise<ProblemException> {
    const { meant, hint } = await unknownPlace(this.db, { partition, queue });
    return new ProblemException({
      code: 'no-entry',
      title: 'The queue has no entry in the configuration',
      status: 404,
      detail: `The configuration of partition ${partition} has no entry for ${queue}: there is no such queue, or an alias (*) stands for it or for a queue above it.${hint}`,
      remedy: `List the queues: curtail get queues --partition ${partition}. A new queue is sent with the queue above it.`,
      ...(meant !== undefined && { meant }),
    });
  }

  private async base(partition: string): Promise<StoredConfiguration> {
    const base = await readConfigurationInForce(this.db, partition);
    if (!base) throw await noConfiguration(this.db, partition);
    if (base.format === 'yunikorn') return base;
    throw new ProblemException({
      code: 'format-without-entries',
      title: 'The format has no entries of queues',
      status: 409,
      detail: `The configuration in force is of the format ${base.format}; only a queues.yaml can be read and changed queue by queue.`,
      remedy: 'Send the whole configuration: curtail apply -f FILE, without --queue.',
    });
  }
}

const ofEntry = (queue: string, { base }: MergedEntry, sender: Sender): Sender => ({
  ...sender,
  cluster: base.cluster ?? undefined,
  ifVersion: base.version,
  onlyQueue: queue,
});

/** The entity tag of an entry: it changes with its text alone. */
const tagOfEntry = ({ text }: Pick<QueueText, 'text'>): string =>
  `"${createHash('sha256').update(text).digest('hex').slice(0, 32)}"`;

/**
 * @param ifMatch `"7"`, a version of the whole configuration, or the tag of an entry.
 * @throws InputError
 */
export function replacedBy(ifMatch: string | undefined): ReplacedEntry {
  if (ifMatch === undefined) return undefined;
  const tag = ifMatch.trim();
  if (/^"[0-9a-f]{32}"$/.test(tag)) return { tag };
  const [, version] = /^"(\d{1,9})"$/.exec(tag) ?? [];
  if (version !== undefined) return { version: Number(version) };
  throw new InputError(
    'If-Match',
    'write the ETag of GET /v1/partitions/{partition}/queues/{queue}/config, or a version such as "7"',
  );
}

function assertReplaced(
  partition: string,
  queue: string,
  inForce: { version: number; tag: string },
  replaced: ReplacedEntry,
): void {
  if (replaced === undefined) return;
  if ('tag' in replaced ? replaced.tag === inForce.tag : replaced.version === inForce.version) return;
  throw new ProblemException(
    {
      code: 'configuration-changed',
      title: 'Another configuration is in force',
      status: 412,
      detail: `The configuration of ${queue} is no longer the one that was to be replaced. Nothing was changed.`,
      remedy: `Read it again (curtail export --queue ${queue} --partition ${partition}), and send your change of it.`,
    },
    { ETag: inForce.tag },
  );
}

/**
 * Errors of the whole configuration with their places in the entry, and the warnings of the entry alone. Unknown keys of the entry are
 * errors again unless they are allowed.
 */
function withPlaces(
  result: ReadSubmission,
  merged: ConfigurationWithQueue,
  allowUnknown: boolean,
): ReadSubmission {
  const warnings = result.warnings
    .filter(({ path }) => isInEntry(path, merged))
    .map((warning) => withPlaceInEntry(warning, merged));
  const errors = result.errors.map((error) => withPlaceInEntry(error, merged));
  const unknown = allowUnknown ? [] : warnings.filter(({ code }) => code === 'unknown-key');
  if (unknown.length === 0) return { ...result, errors, warnings };
  return {
    ...result,
    valid: false,
    errors: [
      ...errors,
      ...unknown.map(
        ({ path, line, column }): ConfigurationError => ({
          path,
          message: 'unknown key',
          ...(line === undefined ? {} : { line }),
          ...(column === undefined ? {} : { column }),
        }),
      ),
    ],
    allowUnknownHelps: errors.length === 0,
    warnings: warnings.filter(({ code }) => code !== 'unknown-key'),
  };
}

/** The error of a submission that would change other queues. */
export const othersChanged = ({ message }: OtherQueuesChanged): ConfigurationError => ({ path: '', message });
