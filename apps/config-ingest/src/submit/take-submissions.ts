import { Controller } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { DataSource } from 'typeorm';
import { noteFeeds } from '#clusters';
import { clusterOf } from '#contracts';
import type { ConfigurationError, IgnoredReason } from '#contracts/api';
import { inboundTopics } from '#contracts/events';
import type { KnownEvent, Tx } from '#event-store';
import { type ConsumerOptions, type Effects, EVENT_BUS_TRANSPORT, EventNotReady } from '#messaging';
import { ProblemException } from '#platform';
import { assertVersion, VersionConflict } from './expected-version.js';
import { OtherQueuesChanged } from './other-queues.js';
import type { Sender, Submission } from './submission.js';
import { otherCluster } from './submission-refusals.js';
import { SubmitConfiguration } from './submit-configuration.js';
import { othersChanged, SubmitQueue } from './submit-queue.js';

const notFound = 404;
const otherFormat = 409;
const refusedStatus = 422;
const unavailable = 503;
/** Codes of configurations that are too much to read. */
const unreadable: ReadonlySet<string> = new Set(['configuration-too-long', 'configuration-too-large']);

/** The effects of one submission. */
interface Taken {
  /** Counts it for its feed. */
  note: (tx: Tx, ignored: Partial<Record<IgnoredReason, number>>) => Promise<void>;
  refuse: (reason: IgnoredReason, errors: ConfigurationError[]) => Effects;
}

/**
 * Receives configurations as events, just as `PUT /v1/partitions/{p}/config` does. The sender finds the result
 * by its own id: in ConfigApplied, or in ConfigRefused with all problems.
 */
@Controller()
export class TakeSubmissions {
  constructor(
    private readonly submissions: SubmitConfiguration,
    private readonly queues: SubmitQueue,
    private readonly db: DataSource,
  ) {}

  @EventPattern(inboundTopics.submissions, EVENT_BUS_TRANSPORT, {
    name: 'config-ingest',
    // Each may take seconds to read and change thousands of queues.
    batchSize: 1,
  } satisfies ConsumerOptions)
  async handle(events: KnownEvent[]): Promise<Effects | undefined> {
    const effects: Effects[] = [];
    for (const event of events) {
      if (event.name === 'ConfigSubmitted') effects.push(await this.take(event));
    }
    if (effects.length === 0) return undefined;
    return async (tx) => {
      for (const effect of effects) await effect(tx);
      return undefined;
    };
  }

  private async take({ data, source, time }: KnownEvent<'ConfigSubmitted'>): Promise<Effects> {
    const partition = data.partition.toLowerCase();
    const submission: Submission = {
      ...(typeof data.configuration === 'string'
        ? { text: data.configuration }
        : { json: data.configuration }),
      ...(data.format === undefined ? {} : { format: data.format }),
      ...(data.allowUnknown === undefined ? {} : { allowUnknown: data.allowUnknown }),
      ...(data.quotaPreemptionEnabled === undefined
        ? {}
        : { quotaPreemptionEnabled: data.quotaPreemptionEnabled }),
    };
    const note = (tx: Tx, ignored: Partial<Record<IgnoredReason, number>>) =>
      noteFeeds(tx, [
        {
          partition,
          kind: 'configuration',
          source: source ?? '',
          messages: 1,
          submission: data.submission,
          sentAt: time,
          ignored,
        },
      ]);
    const refuse =
      (reason: IgnoredReason, errors: ConfigurationError[]): Effects =>
      async (tx) => {
        await this.submissions.refuse(tx, partition, submission, errors, data.submission);
        await note(tx, { [reason]: 1 });
        return undefined;
      };
    const cluster = clusterOf(source);
    const foreign = await otherCluster(this.db, partition, cluster);
    if (foreign) return refuse('other-cluster', [foreign]);
    const sender = {
      submission: data.submission,
      by: data.by,
      via: 'kafka' as const,
      source,
      ...(data.senderNotices && { notices: data.senderNotices }),
    };
    const taken = { note, refuse };
    try {
      if (data.queue !== undefined) return await this.takeQueue(data.queue, data, sender, taken);
      const result = await this.submissions.read(partition, submission);
      if (!result.valid) return refuse('invalid', result.errors);
      return async (tx) => {
        const { ifVersion } = data;
        try {
          await this.submissions.apply(tx, partition, submission, result, { ...sender, cluster, ifVersion });
          await note(tx, {});
        } catch (error) {
          if (!(error instanceof VersionConflict)) throw error;
          await refuse('other-version', [{ path: 'ifVersion', message: error.message }])(tx);
        }
        return undefined;
      };
    } catch (error) {
      if (!(error instanceof ProblemException)) throw error;
      const { status, detail, errors } = error.problem;
      // It would be no shorter the next time, and no other submission is taken before it.
      if (unreadable.has(error.code)) return refuse('invalid', [{ path: '', message: detail }]);
      if (status === unavailable) throw new EventNotReady(detail);
      if (status === refusedStatus && errors) return refuse('invalid', errors as ConfigurationError[]);
      if (data.queue !== undefined && (status === notFound || status === otherFormat)) {
        return refuse('invalid', [{ path: 'queue', message: detail }]);
      }
      if (status !== notFound) throw error;
      return refuse('unknown-partition', [{ path: 'partitions', message: detail }]);
    }
  }

  /** The entry of one queue, merged with the configuration in force. */
  private async takeQueue(
    path: string,
    data: KnownEvent<'ConfigSubmitted'>['data'],
    sender: Sender,
    { note, refuse }: Taken,
  ): Promise<Effects> {
    const partition = data.partition.toLowerCase();
    const queue = path.toLowerCase();
    const { configuration, allowUnknown = false, ifVersion } = data;
    const text = typeof configuration === 'string' ? configuration : JSON.stringify(configuration);
    const merged = await this.queues.read(partition, { queue, text, allowUnknown });
    if (!merged.result.valid) return refuse('invalid', merged.result.errors);
    return async (tx) => {
      try {
        await assertVersion(tx, partition, merged.base.version, ifVersion);
        await this.queues.apply(tx, partition, queue, merged, sender);
        await note(tx, {});
      } catch (error) {
        if (error instanceof OtherQueuesChanged) await refuse('invalid', [othersChanged(error)])(tx);
        else if (!(error instanceof VersionConflict)) throw error;
        else if (ifVersion === undefined) throw new EventNotReady(error.message);
        else await refuse('other-version', [{ path: 'ifVersion', message: error.message }])(tx);
      }
      return undefined;
    };
  }
}
