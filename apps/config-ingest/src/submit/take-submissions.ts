import { clusterOf } from '@curtail/contracts';
import type { ConfigurationError } from '@curtail/contracts/api';
import { inboundTopics } from '@curtail/contracts/events';
import type { KnownEvent } from '@curtail/event-store';
import { type Consumer, type Effects, EventNotReady } from '@curtail/messaging';
import { ProblemException } from '@curtail/platform';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { VersionConflict } from './expected-version.js';
import { otherCluster } from './other-cluster.js';
import { type Submission, SubmitConfiguration } from './submit-configuration.js';

const notFound = 404;
const unavailable = 503;

/**
 * Receives configurations as events, just as `PUT /v1/partitions/{p}/config` does. The sender finds the result
 * by its own id: in ConfigApplied, or in ConfigRefused with all problems.
 */
@Injectable()
export class TakeSubmissions implements Consumer {
  readonly name = 'config-ingest';
  readonly topics = [inboundTopics.submissions];
  /** Each may take seconds to read and change thousands of queues. */
  readonly batchSize = 1;

  constructor(
    @Inject(SubmitConfiguration) private readonly submissions: SubmitConfiguration,
    @Inject(DataSource) private readonly db: DataSource,
  ) {}

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

  private async take({ data, source }: KnownEvent<'ConfigSubmitted'>): Promise<Effects> {
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
    const refuse =
      (errors: ConfigurationError[]): Effects =>
      async (tx) => {
        await this.submissions.refuse(tx, partition, submission, errors, data.submission);
        return undefined;
      };
    const cluster = clusterOf(source);
    const foreign = await otherCluster(this.db, partition, cluster);
    if (foreign) return refuse([foreign]);
    try {
      const result = await this.submissions.read(partition, submission);
      if (!result.valid) return refuse(result.errors);
      return async (tx) => {
        const sender = {
          submission: data.submission,
          by: data.by,
          via: 'kafka' as const,
          source,
          cluster,
          ifVersion: data.ifVersion,
          ...(data.senderNotices && { notices: data.senderNotices }),
        };
        try {
          await this.submissions.apply(tx, partition, submission, result, sender);
        } catch (error) {
          if (!(error instanceof VersionConflict)) throw error;
          await refuse([{ path: 'ifVersion', message: error.message }])(tx);
        }
        return undefined;
      };
    } catch (error) {
      if (!(error instanceof ProblemException)) throw error;
      if (error.problem.status === unavailable) throw new EventNotReady(error.problem.detail);
      if (error.problem.status !== notFound) throw error;
      return refuse([{ path: 'partitions', message: error.problem.detail }]);
    }
  }
}
