import { InventoryControl } from '@curtail/clusters';
import type { EnforcementView, PartitionSituation, PartitionView, StatusView } from '@curtail/contracts/api';
import { databaseTime } from '@curtail/event-store';
import { EVENT_BUS, type EventBus } from '@curtail/messaging';
import { READER_DATABASE, type Webhook } from '@curtail/runtime';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Freezes } from '../freezes/freezes.js';
import { Enforcements } from '../queries/enforcements.js';
import { Partitions } from '../queries/partitions.js';
import { Timers } from '../queries/timers.js';
import { webhookStatus } from '../webhook/outbox.js';
import { WEBHOOK } from '../webhook/webhook.js';
import { needsAttention } from './needs-attention.js';
import { QueuesAbove } from './queues-above.js';

/** The length of the lists in an answer. */
const shown = 20;
const mostPartitions = 1000;

/** The situation of all partitions on one screen. */
@Injectable()
export class Status {
  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    @Inject(Partitions) private readonly partitions: Partitions,
    @Inject(Timers) private readonly timers: Timers,
    @Inject(Enforcements) private readonly enforcements: Enforcements,
    @Inject(QueuesAbove) private readonly queuesAbove: QueuesAbove,
    @Inject(Freezes) private readonly freezes: Freezes,
    @Inject(EVENT_BUS) private readonly bus: EventBus,
    @Inject(WEBHOOK) private readonly webhook: Webhook | null,
    @Optional() @Inject(InventoryControl) private readonly inventory: InventoryControl | null,
  ) {}

  /** @param partition undefined: all. @throws ProblemException 404 if there is no such partition. */
  async of(partition?: string): Promise<StatusView> {
    const views = await this.views(partition);
    const at = (await databaseTime(this.db)).toISOString();
    const [freezes, reports, consumers, deadLetters, webhook] = await Promise.all([
      this.freezes.list(partition),
      this.inventory?.status(partition),
      this.bus.status(),
      this.deadLetters(),
      this.webhook ? webhookStatus(this.db) : null,
    ]);
    const partitions: PartitionSituation[] = [];
    // One after the other: an answer about a hundred partitions takes one connection.
    for (const view of views) {
      const inventory = reports?.items.find((item) => item.partition === view.partition) ?? null;
      const frozen = freezes.filter((freeze) => freeze.partition === view.partition && freeze.inEffect);
      partitions.push({ ...(await this.situation(view, inventory, at)), freezes: frozen });
    }
    return {
      at,
      attention: needsAttention({
        partitions,
        deadLetters,
        webhook,
        consumers,
        outdated: this.bus.waiting(),
      }),
      partitions,
      unread: (reports?.unread ?? []).reduce((sum, place) => sum + place.reports, 0),
      consumers: consumers
        .map(({ name, lag, ageSeconds }) => ({ name, lag, ageSeconds }))
        .sort((a, b) => b.ageSeconds - a.ageSeconds),
      deadLetters,
      webhook,
    };
  }

  private async views(partition: string | undefined): Promise<PartitionView[]> {
    if (partition === undefined) return (await this.partitions.list({ limit: mostPartitions })).items;
    return [await this.partitions.one(partition)];
  }

  private async situation(
    view: PartitionView,
    inventory: PartitionSituation['inventory'],
    at: string,
  ): Promise<Omit<PartitionSituation, 'freezes'>> {
    const { partition } = view;
    const clocks = await this.timers.ofQuotas(partition, shown);
    const runs = await this.enforcements.open(partition);
    const isWaiting = ({ state }: EnforcementView) => state === 'waiting for approval';
    return {
      ...view,
      above: await this.queuesAbove.of(view, runs, shown, at),
      due: { count: clocks.due, first: clocks.first },
      suspended: clocks.suspended,
      running: firstOf(runs.filter((run) => !isWaiting(run))),
      waiting: firstOf(runs.filter(isWaiting)),
      inventory,
    };
  }

  private async deadLetters(): Promise<number> {
    const rows = await this.db.query<{ count: number }[]>('SELECT count(*)::int AS count FROM dead_letters');
    return rows[0]!.count;
  }
}

const firstOf = <T>(items: readonly T[]) => ({ count: items.length, first: items.slice(0, shown) });
