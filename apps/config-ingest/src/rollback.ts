import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { assertPartition } from '#clusters';
import type { Applied, Preview } from '#contracts/api';
import { type CallingClient, ProblemException } from '#platform';
import { type EarlierVersion, earlierVersion } from './history/configuration-history.js';
import { PreviewConfiguration } from './preview/preview-configuration.js';
import type { Sender, Submission } from './submit/submission.js';
import { otherCluster, refusalOf } from './submit/submission-refusals.js';
import { SubmitConfiguration } from './submit/submit-configuration.js';

/** Puts an earlier version in force again, as a new version: the history is never rewritten. */
@Injectable()
export class Rollback {
  constructor(
    private readonly db: DataSource,
    private readonly submissions: SubmitConfiguration,
    private readonly previews: PreviewConfiguration,
  ) {}

  /** @throws ProblemException 404 if the version is not kept, else as `SubmitConfiguration.submit`. */
  async to(
    partition: string,
    version: number,
    sender: Pick<Sender, 'by' | 'ifVersion'>,
    client?: CallingClient,
  ): Promise<Applied> {
    const earlier = await this.find(partition, version);
    const { cluster } = earlier;
    return this.submissions.submit(
      partition,
      submissionOf(earlier),
      { ...sender, ...(cluster === null ? {} : { cluster }), rolledBackTo: version },
      client,
    );
  }

  /** @throws as `to`, and as `PreviewConfiguration.preview`. */
  async preview(partition: string, version: number, client?: CallingClient): Promise<Preview> {
    return this.previews.preview(partition, submissionOf(await this.find(partition, version)), client);
  }

  private async find(partition: string, version: number): Promise<EarlierVersion> {
    const earlier = await earlierVersion(this.db, partition, version);
    if (!earlier) {
      await assertPartition(this.db, partition);
      throw new ProblemException({
        code: 'unknown-version',
        title: 'There is no such version',
        status: 404,
        detail: `Partition ${partition} has no configuration version ${version}, or it is no longer kept.`,
        remedy: `List them: curtail get configurations --partition ${partition}`,
      });
    }
    const foreign = await otherCluster(this.db, partition, earlier.cluster ?? undefined);
    if (foreign) throw refusalOf({ errors: [foreign], allowUnknownHelps: false });
    return earlier;
  }
}

/** The text as it was in force: its sender may have overridden the switch, and allowed keys that Curtail does not know. */
const submissionOf = ({ body, format, quotaPreemptionEnabled }: EarlierVersion): Submission => ({
  text: body,
  format,
  quotaPreemptionEnabled,
  allowUnknown: true,
});
