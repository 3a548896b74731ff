import { InventoryControl } from '@curtail/clusters';
import type { EnforcementView, PartitionSituation, PartitionView, StatusView } from '@curtail/contracts/api';
import { DatabaseClock, databaseTime } from '@curtail/event-store';
import { type ConsumerStatus, EVENT_BUS, type EventBus } from '@curtail/messaging';
import { databaseAway, type ServerDown, ServersDown } from '@curtail/platform';
import { READER_DATABASE, type Webhook } from '@curtail/runtime';
import { answerWithin } from '@curtail/waiting';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Freezes } from '../freezes/freezes.js';
import { Enforcements } from '../queries/enforcements.js';
import { Partitions } from '../queries/partitions.js';
import { Timers } from '../queries/timers.js';
import { webhookStatus } from '../webhook/outbox.js';
import { WEBHOOK } from '../webhook/webhook.js';
import { type ConfiguredAttention, needsAttention, serverDown } from './needs-attention.js';
import { QueuesAbove } from './queues-above.js';

/** The length of the lists in an answer. */
const shown = 20;
const mostPartitions = 1000;

/** Servers that have not answered by then count as down: the whole answer is there within two seconds. */
const serversWithinMs = 1200;
/** Then a database that answers no check is given up. */
const databaseWithinMs = 1500;

/**
 * The situation of all partitions on one screen. It is the first command in trouble: its answer never waits for a server that is down, and names
 * it first.
 */
@Injectable()
export class Status {
  /** A read that was given up, and still waits for the database. */
  private givenUp: Promise<unknown> | undefined;
  private lags: Promise<ConsumerStatus[]> | undefined;

  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    @Inject(Partitions) private readonly partitions: Partitions,
    @Inject(Timers) private readonly timers: Timers,
    @Inject(Enforcements) private readonly enforcements: Enforcements,
    @Inject(QueuesAbove) private readonly queuesAbove: QueuesAbove,
    @Inject(Freezes) private readonly freezes: Freezes,
    @Inject(EVENT_BUS) private readonly bus: EventBus,
    @Inject(WEBHOOK) private readonly webhook: Webhook | null,
    @Inject(DatabaseClock) private readonly clock: DatabaseClock,
    @Inject(ServersDown) private readonly servers: ServersDown,
    @Optional() @Inject(InventoryControl) private readonly inventory: InventoryControl | null,
  ) {}

  /** @param partition undefined: all. @throws ProblemException 404 if there is no such partition. */
  async of(partition?: string): Promise<StatusView> {
    const began = performance.now();
    const asking = this.servers.within(serversWithinMs);
    const reading = this.givenUp ? this.givenUp.then(() => this.read(partition)) : this.read(partition);
    const read = reading.then(
      (status) => ({ status }),
      (error: unknown) => ({ error }),
    );
    const down = await asking;
    const isAway = down.some(isSilentDatabase);
    const restMs = Math.max(0, databaseWithinMs - (performance.now() - began));
    const found = isAway
      ? await answerWithin(restMs, () => read).catch((error: unknown) => ({ error, isLate: true }))
      : await read;
    // It has answered, only not the check as well: the machine is busy.
    if ('status' in found)
      return this.answer(
        found.status,
        down.filter((server) => !isSilentDatabase(server)),
      );
    if (!isAway && !databaseAway(found.error)) throw found.error;
    if ('isLate' in found) {
      this.givenUp ??= read.finally(() => {
        this.givenUp = undefined;
      });
    }
    return this.withoutDatabase(down, found.error);
  }

  private answer(
    { configured, ...status }: Awaited<ReturnType<Status['read']>>,
    down: ServerDown[],
  ): StatusView {
    return {
      ...status,
      attention: needsAttention({ ...status, configured, down, outdated: this.bus.waiting() }),
      down: down.map(({ name, code, reason }) => ({ name, code, reason })),
    };
  }

  private withoutDatabase(down: ServerDown[], error: unknown): StatusView {
    const isNamed = down.some(({ name }) => name === 'database');
    const reason = error instanceof Error ? error.message : String(error);
    const all = isNamed ? down : [{ name: 'database', code: 'no-answer', reason }, ...down];
    return {
      at: this.clock.now().toISOString(),
      attention: all.map(serverDown),
      down: all.map(({ name, code, reason }) => ({ name, code, reason })),
      incomplete: true,
      partitions: [],
      unread: 0,
      consumers: [],
      deadLetters: 0,
      webhook: null,
    };
  }

  private async read(partition?: string) {
    const views = await this.views(partition);
    const at = (await databaseTime(this.db)).toISOString();
    const [freezes, reports, consumers, deadLetters, webhook, configured] = await Promise.all([
      this.freezes.list(partition),
      this.inventory?.status(partition, serversWithinMs / 2),
      this.consumers(),
      this.deadLetters(),
      this.webhook ? webhookStatus(this.db) : null,
      this.configured(views.map((view) => view.partition)),
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
      configured,
      partitions,
      unread: (reports?.unread ?? []).reduce((sum, place) => sum + place.reports, 0),
      consumers: consumers
        .map(({ name, lag, ageSeconds }) => ({ name, lag, ageSeconds }))
        .sort((a, b) => b.ageSeconds - a.ageSeconds),
      deadLetters,
      webhook,
    };
  }

  /** None where Kafka does not tell them in time. */
  private async consumers(): Promise<ConsumerStatus[]> {
    // One request at a time: those that Kafka does not answer last longer than this answer.
    this.lags ??= this.bus.status().finally(() => {
      this.lags = undefined;
    });
    const { lags } = this;
    return answerWithin(serversWithinMs, () => lags).catch(() => []);
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

  /** What needs attention in the configurations in force, as their senders and readers found. */
  private async configured(partitions: string[]): Promise<ConfiguredAttention[]> {
    return this.db.query(
      `SELECT partition, attention AS notices FROM partitions
       WHERE partition = ANY ($1) AND attention IS NOT NULL ORDER BY partition`,
      [partitions],
    );
  }

  private async deadLetters(): Promise<number> {
    const rows = await this.db.query<{ count: number }[]>('SELECT count(*)::int AS count FROM dead_letters');
    return rows[0]!.count;
  }
}

const isSilentDatabase = ({ name, code }: ServerDown) => name === 'database' && code === 'no-answer';

const firstOf = <T>(items: readonly T[]) => ({ count: items.length, first: items.slice(0, shown) });
