import { Controller } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { DataSource } from 'typeorm';
import { type FeedMessages, noteFeeds } from '#clusters';
import { clusterOf } from '#contracts';
import type { ConfigurationError, IgnoredReason } from '#contracts/api';
import { inboundTopics } from '#contracts/events';
import { type KnownEvent, traceOfEvent } from '#event-store';
import {
  type ConsumerOptions,
  type Effects,
  EVENT_BUS_TRANSPORT,
  EventNotReady,
  HandleApart,
} from '#messaging';
import { actingAs, ProblemException } from '#platform';
import { ConfigurationSession } from './configuration-session.js';
import { assertVersion, VersionConflict } from './expected-version.js';
import { OtherQueuesChanged } from './other-queues.js';
import type { Sender, Submission } from './submission.js';
import { otherCluster } from './submission-refusals.js';
import { SubmitConfiguration, type Surroundings } from './submit-configuration.js';
import { othersChanged, SubmitQueue } from './submit-queue.js';

const notFound = 404;
const otherFormat = 409;
const refusedStatus = 422;
const unavailable = 503;
/** Of all configurations in a transaction: so many are compared and written in about a second. */
const mostQueues = 10_000;
/** Codes of configurations that are too much to read. */
const unreadable: ReadonlySet<string> = new Set(['configuration-too-long', 'configuration-too-large']);

type Submitted = KnownEvent<'ConfigSubmitted'>;

/**
 * Decides about a submission that was read before the transaction.
 *
 * @returns why it is refused.
 */
type Decide = (session: ConfigurationSession) => Promise<IgnoredReason | undefined>;

interface Taken {
  decide: Decide;
  /** How many queues it has, as far as it is read. */
  queues: number;
}

/**
 * Receives configurations as events, just as `PUT /v1/partitions/{p}/config` does. The sender finds the result
 * by its own id: in ConfigApplied, or in ConfigRefused with all problems.
 *
 * Those that arrive together share a transaction, except where one is read against what another one changes (`firstApart`).
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
    // The log is not read beyond an open transaction: none has so many that it takes long.
    batchSize: 50,
    batchBytes: 512 * 1024,
  } satisfies ConsumerOptions)
  async handle(all: KnownEvent[]): Promise<Effects | undefined> {
    const events = all.filter((event): event is Submitted => event.name === 'ConfigSubmitted');
    if (events.length === 0) return undefined;
    const partitions = [...new Set(events.map(partitionOf))];
    const surroundings = new Map<string, Surroundings>();
    for (const partition of partitions)
      surroundings.set(partition, await this.submissions.surroundings(partition));
    const apart = firstApart(events, (event) =>
      surroundings.get(partitionOf(event))!.configured.includes(partitionOf(event)),
    );
    if (apart !== undefined) throw new HandleApart(apart);
    const taken: Taken[] = [];
    let queues = 0;
    for (const [i, event] of events.entries()) {
      const next = await this.take(event, surroundings.get(partitionOf(event))!);
      queues += next.queues;
      if (i > 0 && queues > mostQueues) throw new HandleApart(i);
      taken.push(next);
    }
    return actingFor(events[0]!, async (tx) => {
      const session = await ConfigurationSession.open(tx, partitions);
      const feeds: FeedMessages[] = [];
      for (const [i, { decide }] of taken.entries()) {
        const reason = await decide(session);
        feeds.push(feedOf(events[i]!, reason === undefined ? {} : { [reason]: 1 }));
      }
      const { written } = await session.save();
      const noted = noteFeeds(tx, feeds);
      // If an earlier statement failed, this one fails because of that.
      noted.catch(() => {});
      await written;
      await noted;
      return undefined;
    });
  }

  private async take(event: Submitted, surroundings: Surroundings): Promise<Taken> {
    const { data, source } = event;
    const partition = partitionOf(event);
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
    const cause = traceOfEvent(event);
    const refuse: Refuse = (session, reason, errors) => {
      session.refuse(partition, submission, errors, { id: data.submission, cause });
      return reason;
    };
    const refused = (reason: IgnoredReason, errors: ConfigurationError[]): Taken => ({
      decide: async (session) => refuse(session, reason, errors),
      queues: 0,
    });
    const cluster = clusterOf(source);
    const foreign = await otherCluster(this.db, partition, cluster);
    if (foreign) return refused('other-cluster', [foreign]);
    const sender = {
      submission: data.submission,
      by: event.sender ?? data.by,
      via: 'kafka' as const,
      source,
      ...(data.senderNotices && { notices: data.senderNotices }),
      cause,
    };
    try {
      if (data.queue !== undefined) return await this.takeQueue(data.queue, data, sender, refuse);
      const result = await this.submissions.read(partition, submission, undefined, surroundings);
      if (!result.valid) return refused('invalid', result.errors);
      const { ifVersion } = data;
      const decide: Decide = async (session) => {
        try {
          await this.submissions.put(session, partition, submission, result, {
            ...sender,
            cluster,
            ifVersion,
          });
          return undefined;
        } catch (error) {
          if (!(error instanceof VersionConflict)) throw error;
          return refuse(session, 'other-version', [{ path: 'ifVersion', message: error.message }]);
        }
      };
      return { decide, queues: result.queues.length };
    } catch (error) {
      if (!(error instanceof ProblemException)) throw error;
      const { status, detail, errors } = error.problem;
      // It would be no shorter the next time, and no other submission is taken before it.
      if (unreadable.has(error.code)) return refused('invalid', [{ path: '', message: detail }]);
      if (status === unavailable) throw new EventNotReady(detail);
      if (status === refusedStatus && errors) return refused('invalid', errors as ConfigurationError[]);
      if (data.queue !== undefined && (status === notFound || status === otherFormat)) {
        return refused('invalid', [{ path: 'queue', message: detail }]);
      }
      if (status !== notFound) throw error;
      return refused('unknown-partition', [{ path: 'partitions', message: detail }]);
    }
  }

  /** The entry of one queue, merged with the configuration in force. */
  private async takeQueue(
    path: string,
    data: Submitted['data'],
    sender: Sender,
    refuse: Refuse,
  ): Promise<Taken> {
    const partition = data.partition.toLowerCase();
    const queue = path.toLowerCase();
    const { configuration, allowUnknown = false, ifVersion } = data;
    const text = typeof configuration === 'string' ? configuration : JSON.stringify(configuration);
    const merged = await this.queues.read(partition, { queue, text, allowUnknown });
    const { valid, errors, queues } = merged.result;
    if (!valid) return { decide: async (session) => refuse(session, 'invalid', errors), queues: 0 };
    const decide: Decide = async (session) => {
      try {
        await assertVersion(session.tx, partition, merged.base.version, ifVersion);
        await this.queues.put(session, partition, queue, merged, sender);
        return undefined;
      } catch (error) {
        if (error instanceof OtherQueuesChanged) return refuse(session, 'invalid', [othersChanged(error)]);
        if (!(error instanceof VersionConflict)) throw error;
        if (ifVersion === undefined) throw new EventNotReady(error.message);
        return refuse(session, 'other-version', [{ path: 'ifVersion', message: error.message }]);
      }
    };
    return { decide, queues: queues.length };
  }
}

/** Records that a submission is refused. @returns the reason. */
type Refuse = (
  session: ConfigurationSession,
  reason: IgnoredReason,
  errors: ConfigurationError[],
) => IgnoredReason;

/** Records whom the effects follow from, where the policy file binds the sender. */
function actingFor({ sender, data }: Submitted, effects: Effects): Effects {
  if (sender === undefined) return effects;
  const claimed = data.by !== undefined && data.by !== sender ? { claimed: data.by } : {};
  return (tx) => actingAs({ issuer: 'kafka', subject: sender, ...claimed }, () => effects(tx));
}

const partitionOf = ({ data }: Submitted): string => data.partition.toLowerCase();

/**
 * The place of the first submission that is not read together with those before it: they are read before their transaction, and the
 * entry of a queue is merged with the configuration in force, and the names of partitions are compared with those that have one. What bound
 * senders cause is recorded with them, one sender in a transaction.
 *
 * @param isConfigured whether the partition of a submission has a configuration.
 * @returns undefined: all are read together.
 */
function firstApart(
  events: readonly Submitted[],
  isConfigured: (event: Submitted) => boolean,
): number | undefined {
  const isAlone = (event: Submitted) => event.data.queue !== undefined || !isConfigured(event);
  const place = events.findIndex(
    (event, i) =>
      i > 0 && (isAlone(event) || isAlone(events[i - 1]!) || event.sender !== events[i - 1]!.sender),
  );
  return place === -1 ? undefined : place;
}

function feedOf({ data, source, time }: Submitted, ignored: FeedMessages['ignored']): FeedMessages {
  return {
    partition: data.partition.toLowerCase(),
    kind: 'configuration',
    source: source ?? '',
    messages: 1,
    submission: data.submission,
    sentAt: time,
    ignored,
  };
}
