import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { assertPartition, CLUSTER_READER, type ClusterReader, queuesInForce } from '#clusters';
import { type ConfigurationFormat, InputError, nodeLabelsOf } from '#contracts';
import type { AlternativeOutcome, WhatIf } from '#contracts/api';
import {
  outcomeOf,
  type ProposedQuota,
  presentOf,
  typeWarnings,
  unenforcedDecreases,
  withAssumedDelay,
  withProposedQuotas,
} from '#forecast';
import type { CallingClient } from '#platform';
import { readPartitionState } from '../preview/partition-state.js';
import { type MakePlan, PlanInThread } from '../preview/plan-in-thread.js';
import { PreviewConfiguration, type Proposed, proposedBy } from '../preview/preview-configuration.js';
import { INGEST_SETTINGS, type IngestSettings } from '../settings/ingest-settings.js';
import { readConfigurationInForce } from '../submit/configuration-store.js';
import { SubmitConfiguration } from '../submit/submit-configuration.js';

/** A whole configuration, or some quotas of the one in force. */
export type Alternative = {
  name: string;
  /** A delay for the queues that have none: enforcement then counts as switched on. */
  delaySeconds?: number | undefined;
} & (
  | {
      configuration: string | object;
      format?: ConfigurationFormat | undefined;
      allowUnknown?: boolean | undefined;
    }
  | { quotas: ProposedQuota[] }
);

type Read = { name: string } & ({ proposed: Proposed } | { errors: AlternativeOutcome['errors'] });

/** Compares proposed configurations against the current allocations. Stores nothing. */
@Injectable()
export class CompareConfigurations {
  constructor(
    private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(INGEST_SETTINGS) private readonly settings: IngestSettings,
    private readonly submissions: SubmitConfiguration,
    private readonly previews: PreviewConfiguration,
    private readonly plans: PlanInThread,
  ) {}

  /**
   * Configurations with errors are part of the answer, so that the others are still compared.
   *
   * @throws InputError for quotas that cannot be tried, among them of unknown types; InventoryUnknown, TooManyAllocations; ProblemException as `PlanInThread.preview`.
   */
  async compare(
    partition: string,
    alternatives: readonly Alternative[],
    client?: CallingClient,
  ): Promise<WhatIf> {
    const read: Read[] = [];
    for (const [index, alternative] of alternatives.entries()) {
      read.push(await this.read(partition, alternative, `alternatives[${index}]`, client));
    }
    return this.plans.preview((plan) => this.compareRead(partition, read, plan), client);
  }

  private async compareRead(partition: string, read: readonly Read[], plan: MakePlan): Promise<WhatIf> {
    const { db, cluster, settings } = this;
    const { at, mode } = await readPartitionState(db, partition, settings);
    const present = presentOf(await cluster.snapshot({ partition, most: settings.mostAllocations }));
    const outcomes: AlternativeOutcome[] = [];
    for (const one of read) {
      const { name } = one;
      if ('errors' in one) {
        outcomes.push({ name, errors: one.errors });
        continue;
      }
      const preview = await this.previews.foresee(partition, one.proposed, plan);
      const changed = [...preview.changed, ...preview.removed].map(({ queue }) => queue);
      outcomes.push(outcomeOf(name, preview, present, await cluster.usage(partition, changed)));
    }
    return { partition, at: at.toISOString(), mode, alternatives: outcomes };
  }

  private async read(
    partition: string,
    alternative: Alternative,
    at: string,
    client: CallingClient | undefined,
  ): Promise<Read> {
    const { name, delaySeconds } = alternative;
    if ('quotas' in alternative) {
      const { quotas } = alternative;
      const named = new Set(quotas.map(({ queue }) => queue));
      const proposed = await this.withQuotas(partition, quotas, `${at}.quotas`);
      return { name, proposed: enforcedAfter(delaySeconds, proposed, (path) => named.has(path)) };
    }
    const { configuration, format, allowUnknown = false } = alternative;
    const sent = typeof configuration === 'string' ? { text: configuration } : { json: configuration };
    const submission = await this.submissions.withSwitchInForce(
      partition,
      { ...sent, allowUnknown, ...(format === undefined ? {} : { format }) },
      client,
    );
    const result = await this.submissions.read(partition, submission, client);
    return result.valid
      ? { name, proposed: enforcedAfter(delaySeconds, proposedBy(result, partition)) }
      : { name, errors: result.errors };
  }

  private async withQuotas(
    partition: string,
    quotas: readonly ProposedQuota[],
    at: string,
  ): Promise<Proposed> {
    const { db, cluster } = this;
    const inForce = await readConfigurationInForce(db, partition);
    if (!inForce) {
      await assertPartition(db, partition);
      throw new InputError(
        'partition',
        `has no configuration whose quotas could be changed: ${partition}; compare whole configurations instead`,
      );
    }
    const { quotaPreemptionEnabled: enabled, policies } = inForce;
    const before = await queuesInForce(db, partition);
    const queues = withProposedQuotas(before, quotas, at);
    const clusterSize = await cluster.capacity(partition);
    const warnings = [
      ...typeWarnings(before, quotas, await cluster.resourceTypes(partition), at),
      ...unenforcedDecreases(before, { enabled, queues, policies }, clusterSize),
    ];
    return {
      queues,
      enabled,
      policies,
      clusterSize,
      warnings: () => warnings,
    };
  }
}

/**
 * The same proposal, enforced after a delay where it has none; then no warning says that it would not be. Node labels keep it from being
 * enforced all the same, of which another warning tells.
 */
function enforcedAfter(
  delaySeconds: number | undefined,
  proposed: Proposed,
  isMeant?: (path: string) => boolean,
): Proposed {
  if (delaySeconds === undefined) return proposed;
  const queues = withAssumedDelay(proposed.queues, delaySeconds * 1000, isMeant);
  return {
    ...proposed,
    queues,
    enabled: nodeLabelsOf(queues).length === 0,
    warnings: (...given) => proposed.warnings(...given).filter(({ code }) => code !== 'nothing-enforced'),
  };
}
