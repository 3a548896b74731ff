import { Inject, Injectable, Optional } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { InventoryControl } from '#clusters';
import { ancestors } from '#contracts';
import type { EnforcementView, TimerView } from '#contracts/api';
import {
  type ClockHolds,
  type FlappingWait,
  flappingWait,
  runStartsAt,
  type WaitingClock,
  whyClockWaits,
  whyRunWaits,
} from '#enforcement';
import { databaseTime } from '#event-store';
import { heldBy, holdsOf, noHolds } from '#holds';
import { READER_DATABASE } from '#runtime';
import { type ExtendedVictim, extendedVictims } from '../answers/extensions.js';
import {
  type BlockedQueue,
  blockedClocks,
  type ClockThatWaits,
  clocksAt,
  clocksThatWait,
  clocksThatWaitForFreezes,
  flappingClocks,
  nodeLabelsOfPartitions,
  type OpenVictims,
  openVictimsOf,
  type Run,
  type RunAbove,
  runsOfPlaces,
  startedRuns,
  type WaitingPlace,
} from './statements.js';

/** When the run of a clock starts, and what it waits for. */
type Start = Pick<TimerView, 'waiting' | 'frozenUntil' | 'startsAt'>;

const startStates = new Set(['scheduled', 'suspended']);
const keyOf = ({ partition, queue }: WaitingPlace): string => JSON.stringify([partition, queue]);
const distinct = <T extends WaitingPlace>(places: readonly T[]): T[] => [
  ...new Map(places.map((place) => [keyOf(place), place])).values(),
];
const partitionsOf = (items: readonly { partition: string }[]): string[] => [
  ...new Set(items.map(({ partition }) => partition)),
];

/** Why clocks and runs wait: for the lists, the status and the metrics. Those of all partitions are read with the same statements. */
@Injectable()
export class Waiting {
  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    @Optional() @Inject(InventoryControl) private readonly inventory: InventoryControl | null,
  ) {}

  /** Clocks of any partitions. */
  async ofClocks<T extends ClockThatWaits>(clocks: readonly T[]): Promise<(Omit<T, 'servedAt'> & Start)[]> {
    if (clocks.length === 0) return [];
    const at = (await databaseTime(this.db)).toISOString();
    const holds = await this.clockHolds(clocks, at);
    return clocks.map(({ servedAt, ...clock }) => {
      const held = holds(clock);
      // Its freeze was cleared a moment ago: the timer is about to set it.
      const isFree = servedAt && !held.frozen && clock.state !== 'suspended';
      const shown = isFree ? { ...clock, dueAt: servedAt > at ? servedAt : at } : clock;
      const waiting = waitingClock(shown);
      return {
        ...shown,
        frozenUntil: held.frozen?.until ?? null,
        startsAt: runStartsAt(waiting, held, at),
        waiting: whyClockWaits(waiting, held, at),
      };
    });
  }

  /**
   * What holds back clocks of any partitions.
   *
   * @param at by the clock of the database.
   * @param others queues without a clock.
   */
  async clockHolds(
    clocks: readonly (WaitingPlace & Pick<ClockThatWaits, 'dueAt' | 'state'>)[],
    at: string,
    others: readonly WaitingPlace[] = [],
  ): Promise<(clock: WaitingPlace & Partial<Pick<ClockThatWaits, 'dueAt'>>) => ClockHolds> {
    const due = clocks.filter(({ state, dueAt }) => state !== 'suspended' && new Date(dueAt) <= new Date(at));
    const suspended = clocks.filter(({ state }) => state === 'suspended');
    const [set, flapping, nodeLabels, unknown, blocked, runsAbove] = await Promise.all([
      holdsOf(this.db, partitionsOf([...clocks, ...others])),
      this.flapping(clocks),
      this.nodeLabels(partitionsOf(suspended)),
      this.unknown(partitionsOf(due)),
      this.blocked(clocks.filter(({ state }) => state === 'waiting')),
      this.runsAbove(clocks.filter(({ state }) => state === 'pending')),
    ]);
    return ({ partition, queue, dueAt }) => {
      const of = blocked.get(keyOf({ partition, queue }));
      const dueMs = dueAt === undefined ? undefined : new Date(dueAt).getTime();
      const { stop, frozen } = heldBy(queue, set.get(partition) ?? noHolds, Date.parse(at), dueMs);
      return {
        nodeLabels: nodeLabels.get(partition) ?? [],
        stop,
        frozen: dueMs === undefined ? undefined : frozen,
        flapping: flapping.get(keyOf({ partition, queue })),
        unknown: unknown.get(partition),
        above: of?.above ?? undefined,
        before: dueMs === undefined ? undefined : firstAbove({ partition, queue }, dueMs, runsAbove),
        noSize: of?.noSize,
      };
    };
  }

  /** Runs of any partitions. */
  async ofRuns(runs: readonly Run[]): Promise<EnforcementView[]> {
    const open = runs.filter(({ outcome, endedAt }) => outcome === null && endedAt === null);
    if (open.length === 0) return runs.map((run) => ({ ...run, waiting: null, startsAt: null }));
    const clocks = await this.clocksOfRuns(open);
    const started = open.filter(({ state }) => !startStates.has(state));
    const isExecuting = ({ state }: Run) => state === 'executing' || state === 'approved';
    const [victims, unknown] = await Promise.all([
      this.openVictims(started.filter(isExecuting).map(({ enforcement }) => enforcement)),
      this.unknown(partitionsOf(started)),
    ]);
    const starts = await this.ofClocks(clocks);
    const holds = new Map<string | null, Pick<EnforcementView, 'waiting' | 'startsAt'>>(
      starts.map((clock) => [clock.enforcement, { waiting: clock.waiting, startsAt: clock.startsAt }]),
    );
    for (const run of started) {
      const { ready = 0, refused = 0, asked = 0, refusal, extended } = victims.get(run.enforcement) ?? {};
      const of = { ...run, ready, refused, asked, extended, refusal: refusal ?? undefined };
      const reason = whyRunWaits(of, { unknown: unknown.get(run.partition) });
      if (reason) holds.set(run.enforcement, { waiting: reason, startsAt: null });
    }
    return runs.map((run) => ({ ...run, waiting: null, startsAt: null, ...holds.get(run.enforcement) }));
  }

  /** How many clocks and runs wait in all partitions, by the code of the reason. */
  async counts(): Promise<Map<string, number>> {
    const at = (await databaseTime(this.db)).toISOString();
    // Clocks that wait for the same are one row: there may be a hundred thousand. Only those that are past their due time need their state.
    const clocks = await clocksThatWait(this.db, at);
    const counts = new Map<string, number>();
    const add = (code: string, more: number) => counts.set(code, (counts.get(code) ?? 0) + more);
    const isDue = ({ dueAt }: ClockThatWaits) => new Date(dueAt) <= new Date(at);
    const unknowns = await this.unknown(partitionsOf(clocks.filter(isDue)));
    for (const clock of clocks) {
      const unknown = isDue(clock) ? unknowns.get(clock.partition) : undefined;
      const holds = { unknown, above: clock.above ?? undefined, noSize: clock.noSize };
      add(whyClockWaits(waitingClock(clock), holds, at).code, clock.clocks);
    }
    // Read a moment later: some may be due by now.
    const frozen = Math.min(await this.waitingForFreezes(), counts.get('due') ?? 0);
    if (frozen > 0) {
      add('frozen', frozen);
      add('due', -frozen);
    }
    const runs = await startedRuns(this.db);
    for (const { waiting } of await this.ofRuns(runs)) if (waiting) add(waiting.code, 1);
    return counts;
  }

  /** The clocks that wait for the end of a freeze; those that will fall due in one still wait for their delay. */
  private async waitingForFreezes(): Promise<number> {
    const rows: { count: number }[] = await clocksThatWaitForFreezes(this.db);
    return rows[0]!.count;
  }

  /** Those of the queues whose clocks wait for a max that goes up and down. */
  private async flapping(places: readonly WaitingPlace[]): Promise<Map<string, FlappingWait>> {
    if (places.length === 0) return new Map();
    const rows = await flappingClocks(this.db, places);
    return new Map(
      rows.flatMap(({ state, ...place }): [string, FlappingWait][] => {
        const wait = flappingWait(state);
        return wait ? [[keyOf(place), wait]] : [];
      }),
    );
  }

  /** Why nothing is planned or evicted now, by partition; absent: its cluster is known. */
  private async unknown(partitions: readonly string[]): Promise<Map<string, string>> {
    if (!this.inventory || partitions.length === 0) return new Map();
    const [one, ...others] = partitions;
    const { items } = await this.inventory.status(others.length === 0 ? one : undefined);
    return new Map(
      items.flatMap(({ partition, known, notices: [notice] }): [string, string][] =>
        known || !notice ? [] : [[partition, notice.message]],
      ),
    );
  }

  private async nodeLabels(partitions: readonly string[]): Promise<Map<string, string[]>> {
    if (partitions.length === 0) return new Map();
    const rows = await nodeLabelsOfPartitions(this.db, partitions);
    return new Map(rows.map(({ partition, labels }) => [partition, labels ?? []]));
  }

  private async blocked(places: readonly WaitingPlace[]): Promise<Map<string, BlockedQueue>> {
    if (places.length === 0) return new Map();
    const rows = await blockedClocks(this.db, places);
    return new Map(rows.map((row) => [keyOf(row), row]));
  }

  /** The runs of the queues above some queues: those in progress, and those whose clocks run. By queue. */
  private async runsAbove(places: readonly WaitingPlace[]): Promise<Map<string, RunAbove[]>> {
    const above = new Map(
      places.flatMap(({ partition, queue }) =>
        ancestors(queue).map((path): [string, WaitingPlace] => {
          const place = { partition, queue: path };
          return [keyOf(place), place];
        }),
      ),
    );
    if (above.size === 0) return new Map();
    const rows = await runsOfPlaces(this.db, [...above.values()]);
    const found = new Map<string, RunAbove[]>();
    for (const row of rows) found.set(keyOf(row), [...(found.get(keyOf(row)) ?? []), row]);
    return found;
  }

  /** The clocks of runs that have not started. */
  private async clocksOfRuns(runs: readonly Run[]): Promise<ClockThatWaits[]> {
    const waiting = runs.filter(({ state }) => startStates.has(state));
    if (waiting.length === 0) return [];
    return clocksAt(this.db, distinct(waiting));
  }

  private async openVictims(enforcements: readonly string[]): Promise<Map<string, OpenVictims>> {
    if (enforcements.length === 0) return new Map();
    const rows = await openVictimsOf(this.db, enforcements);
    const extended = await extendedVictims(this.db, enforcements, await databaseTime(this.db));
    return new Map(
      rows.map((row) => [row.enforcement, apartFromExtended(row, extended.get(row.enforcement))]),
    );
  }
}

/** The first run above a queue that begins before a clock of the queue is due: that clock waits for its end. */
function firstAbove(
  { partition, queue }: WaitingPlace,
  dueMs: number,
  runs: ReadonlyMap<string, readonly RunAbove[]>,
): ClockHolds['before'] {
  for (const path of ancestors(queue).reverse()) {
    // A queue goes before those above it that are due at the same moment.
    const first = runs
      .get(keyOf({ partition, queue: path }))
      ?.find(({ dueAt }) => dueAt === null || dueAt.getTime() < dueMs);
    if (first) return { queue: first.queue, enforcement: first.enforcement };
  }
  return undefined;
}

/** The same counts without the victims that wait for their extensions, and these. */
function apartFromExtended(row: OpenVictims, victims: readonly ExtendedVictim[] = []): OpenVictims {
  const [first] = victims.toSorted((a, b) => (a.until < b.until ? -1 : 1));
  if (!first) return row;
  const count = (state: string) => victims.filter((victim) => victim.state === state).length;
  return {
    ...row,
    ready: row.ready - count('planned'),
    refused: row.refused - count('refused'),
    asked: row.asked - count('notified'),
    extended: { victims: victims.length, first: first.allocation, until: first.until },
  };
}

function waitingClock({ partition, enforcement, dueAt, state }: ClockThatWaits): WaitingClock {
  return {
    partition,
    enforcement: enforcement ?? undefined,
    dueAt: new Date(dueAt).toISOString(),
    suspended: state === 'suspended',
  };
}
