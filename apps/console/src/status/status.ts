import { Inject, Injectable, Optional } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { InventoryControl } from '#clusters';
import { waitingForApproval } from '#contracts';
import type { EnforcementView, PartitionSituation, PartitionView, StatusView } from '#contracts/api';
import { cancelledWith, DatabaseClock, databaseTime } from '#event-store';
import { type ConsumerStatus, EVENT_BUS, type EventBus } from '#messaging';
import {
  AccessControl,
  type CallingClient,
  databaseAway,
  forAllCallers,
  ownWork,
  ProblemException,
  type ServerDown,
  ServersDown,
} from '#platform';
import { READER_DATABASE, type Webhook } from '#runtime';
import { answerWithin } from '#waiting';
import { Freezes } from '../freezes/freezes.js';
import { Enforcements } from '../queries/enforcements.js';
import { attentionIn, type ConfiguredAttention, countDeadLetters } from '../queries/partition-statements.js';
import { Partitions } from '../queries/partitions.js';
import { Timers } from '../queries/timers.js';
import { byPartition } from '../waiting/for-someone.js';
import { WEBHOOK } from '../webhook/announcements.js';
import { webhookStatus } from '../webhook/outbox.js';
import { needsAttention, serverDown } from './needs-attention.js';
import { QueuesAbove } from './queues-above.js';
import { SharedReads } from './shared-reads.js';

/** The length of the lists in an answer. */
const shown = 20;
const mostPartitions = 1000;

/** Servers that have not answered by then count as down: the whole answer is there within two seconds. */
const serversWithinMs = 1200;
/** Then a database that answers no check is given up. */
const databaseWithinMs = 1500;

/** The time limit of the whole answer while the database answers. */
const readWithinMs = 15_000;

/** What is read of the database and of the bus. */
type Read = Omit<StatusView, 'attention' | 'down' | 'incomplete'> & { configured: ConfiguredAttention[] };

/**
 * The situation of all partitions on one screen. It is the first command in trouble: its answer never waits for a server that is down, and names
 * it first.
 */
@Injectable()
export class Status {
  private readonly reads = new SharedReads<Read>();
  private lags: Promise<ConsumerStatus[]> | undefined;

  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    private readonly partitions: Partitions,
    private readonly timers: Timers,
    private readonly enforcements: Enforcements,
    private readonly queuesAbove: QueuesAbove,
    private readonly freezes: Freezes,
    @Inject(EVENT_BUS) private readonly bus: EventBus,
    @Inject(WEBHOOK) private readonly webhook: Webhook | null,
    private readonly clock: DatabaseClock,
    private readonly servers: ServersDown,
    private readonly access: AccessControl,
    @Optional() @Inject(InventoryControl) private readonly inventory: InventoryControl | null,
  ) {}

  /**
   * However many ask, one status of each partition is read at a time for operators, and one for all others.
   *
   * @param partition undefined: all.
   * @throws ProblemException 404 if there is no such partition, 503 if it took too long, 499 if the client has left.
   */
  async of(partition?: string, client: CallingClient = ownWork): Promise<StatusView> {
    const began = performance.now();
    const asking = this.servers.within(serversWithinMs);
    const key = JSON.stringify(partition ?? null);
    const lane = client.isOperator ? `operators ${key}` : 'others';
    const read = this.reads
      .ask(key, { lane, ms: readWithinMs, gone: client.gone }, (signal) =>
        // One status is read at a time for all callers, on the turn of the first.
        forAllCallers(() => cancelledWith(signal, () => this.read(partition, signal))),
      )
      .then(
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
    if (client.gone.aborted) throw clientLeft();
    if (!isAway && (found.error as Error).name === 'TimeoutError') throw tookTooLong();
    if (!isAway && !databaseAway(found.error)) throw found.error;
    return this.withoutDatabase(down, found.error);
  }

  private answer({ configured, ...status }: Read, down: ServerDown[]): StatusView {
    return {
      ...status,
      attention: needsAttention({
        ...status,
        configured,
        down,
        outdated: this.bus.waiting(),
        stale: this.access.stale,
      }),
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

  /** The same statements for any number of partitions. @param signal ends it: in the middle of a statement of the queries, otherwise between two. */
  private async read(partition: string | undefined, signal: AbortSignal): Promise<Read> {
    const views = await this.views(partition);
    const names = views.map((view) => view.partition);
    const at = (await databaseTime(this.db)).toISOString();
    signal.throwIfAborted();
    const [freezes, reports, consumers, deadLetters, webhook, configured] = await Promise.all([
      this.freezes.list(partition, this.db),
      this.inventory?.status(partition, serversWithinMs / 2),
      this.consumers(),
      countDeadLetters(this.db),
      this.webhook ? webhookStatus(this.db) : null,
      attentionIn(this.db, names),
    ]);
    signal.throwIfAborted();
    const [clocks, runs] = await Promise.all([
      this.timers.ofQuotas(names, shown),
      this.enforcements.open(names),
    ]);
    signal.throwIfAborted();
    const above = await this.queuesAbove.of(views, runs, { first: shown, at, signal });
    const runsOf = byPartition(runs, (run) => run);
    const freezesOf = byPartition(
      freezes.filter(({ inEffect }) => inEffect),
      (freeze) => freeze,
    );
    const reportsOf = new Map(reports?.items.map((item) => [item.partition, item]));
    return {
      at,
      configured,
      partitions: views.map((view): PartitionSituation => {
        const own = runsOf.get(view.partition) ?? [];
        const { first, due, suspended } = clocks.get(view.partition)!;
        return {
          ...view,
          above: above.get(view.partition)!,
          due: { count: due, first },
          suspended,
          running: firstOf(own.filter((run) => !isWaiting(run))),
          waiting: firstOf(own.filter(isWaiting)),
          inventory: reportsOf.get(view.partition) ?? null,
          freezes: freezesOf.get(view.partition) ?? [],
        };
      }),
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
}

const isWaiting = ({ state }: EnforcementView) => state === waitingForApproval;

const tookTooLong = () =>
  new ProblemException(
    {
      code: 'status-too-long',
      title: 'The status took too long to read',
      status: 503,
      detail: `The status was not read within ${readWithinMs / 1000} s: the database answers slowly, or others ask for much at the same time.`,
      remedy: 'Ask again, or for one partition: curtail status --partition NAME',
      retryAfterSeconds: 5,
    },
    { 'Retry-After': '5' },
  );

/** No client reads it: it ends the request. */
const clientLeft = () =>
  new ProblemException({
    code: 'client-left',
    title: 'The client has disconnected',
    status: 499,
    detail: 'The connection was closed before the status was read.',
    remedy: 'Repeat the request, and wait for the answer.',
  });

const isSilentDatabase = ({ name, code }: ServerDown) => name === 'database' && code === 'no-answer';

const firstOf = <T>(items: readonly T[]) => ({ count: items.length, first: items.slice(0, shown) });
