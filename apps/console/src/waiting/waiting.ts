import { Inject, Injectable, Optional } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { InventoryControl, NODE_LABELS_OF } from '#clusters';
import { ancestors, clockKind } from '#contracts';
import type { EnforcementView, TimerView } from '#contracts/api';
import {
  type ClockHolds,
  type FlappingWait,
  flappingWait,
  type ScheduleState,
  startsAt,
  type WaitingClock,
  type WaitingRun,
  whyClockWaits,
  whyRunWaits,
} from '#enforcement';
import { databaseTime } from '#event-store';
import { FROZEN_PARTITIONS, heldBy, holdsOf, noHolds } from '#holds';
import { READER_DATABASE } from '#runtime';
import { type ExtendedVictim, extendedVictims } from '../answers/extensions.js';

/** The clock of a queue, or of rounds. */
export interface Clock {
  partition: string;
  queue: string;
  enforcement: string | null;
  dueAt: string | Date;
  /** `pending`, `waiting` or `suspended`. */
  state: string;
  /** Of a clock that waits for the end of a freeze: when its delay was over. */
  servedAt?: string | null;
}

/** A run without what holds it. */
export type Run = Omit<EnforcementView, 'waiting' | 'startsAt'>;

/** A queue of a partition. */
type Place = Pick<Clock, 'partition' | 'queue'>;

/** When the run of a clock starts, and what it waits for. */
type Start = Pick<TimerView, 'waiting' | 'frozenUntil' | 'startsAt'>;

/** The victims of a run that it has not settled. */
interface OpenVictims {
  enforcement: string;
  ready: number;
  refused: number;
  asked: number;
  refusal: { allocation: string; message: string | null } | null;
  extended?: WaitingRun['extended'];
}

/** A run of a queue above another one. */
interface RunAbove {
  queue: string;
  enforcement: string;
  /** null: it is in progress. */
  dueAt: Date | null;
}

interface Blocked {
  queue: string;
  noSize: boolean;
  above: { queue: string; enforcement: string } | null;
}

/** The run of a queue above a clock `t`, and whether its quota is a share of the cluster. */
const blockedBy = `
  LEFT JOIN clocks s ON s.partition = t.partition AND s.queue = t.name
  LEFT JOIN LATERAL (
    SELECT json_build_object('queue', r.queue, 'enforcement', r.running_enforcement) AS run FROM clocks r
    WHERE r.partition = t.partition AND r.running_enforcement IS NOT NULL AND starts_with(t.name, r.queue || '.')
    ORDER BY r.queue LIMIT 1) above ON t.state = 'waiting'`;
const noSize = `t.state = 'waiting' AND s.state #>> '{values,maxShare}' IS NOT NULL`;

const startStates = new Set(['scheduled', 'suspended']);

/** Queues as a table: $1 their partitions, $2 their paths. */
const PLACES = 'unnest($1::text[], $2::text[]) AS place (partition, queue)';
const columnsOf = (places: readonly Place[]): [string[], string[]] => [
  places.map(({ partition }) => partition),
  places.map(({ queue }) => queue),
];
const keyOf = ({ partition, queue }: Place): string => JSON.stringify([partition, queue]);
const distinct = <T extends Place>(places: readonly T[]): T[] => [
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
  async ofClocks<T extends Clock>(clocks: readonly T[]): Promise<(Omit<T, 'servedAt'> & Start)[]> {
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
        startsAt: startsAt(waiting, held, at),
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
    clocks: readonly (Place & Pick<Clock, 'dueAt' | 'state'>)[],
    at: string,
    others: readonly Place[] = [],
  ): Promise<(clock: Place & Partial<Pick<Clock, 'dueAt'>>) => ClockHolds> {
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
    const clocks = await this.db.query<(Clock & Blocked & { clocks: number })[]>(
      `SELECT partition, min(name) AS queue, NULL AS enforcement, max(due_at) AS "dueAt", state, false AS "noSize", NULL::json AS above,
              count(*)::int AS clocks
       FROM timers WHERE kind = '${clockKind}' AND state <> 'waiting' GROUP BY partition, due_at <= $1, state
       UNION ALL
       SELECT t.partition, min(t.name), NULL, max(t.due_at), t.state, ${noSize}, above.run::text::json, count(*)::int
       FROM timers t ${blockedBy}
       WHERE t.kind = '${clockKind}' AND t.state = 'waiting' GROUP BY t.partition, t.due_at <= $1, t.state, ${noSize}, above.run::text`,
      [at],
    );
    const counts = new Map<string, number>();
    const add = (code: string, more: number) => counts.set(code, (counts.get(code) ?? 0) + more);
    const isDue = ({ dueAt }: Clock) => new Date(dueAt) <= new Date(at);
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
    const runs = await this.db.query<Run[]>(
      `SELECT enforcement, partition, queue, state, outcome, ended_at AS "endedAt", message FROM read_runs
       WHERE outcome IS NULL AND ended_at IS NULL AND started_at IS NOT NULL ORDER BY partition`,
    );
    for (const { waiting } of await this.ofRuns(runs)) if (waiting) add(waiting.code, 1);
    return counts;
  }

  /** The clocks that wait for the end of a freeze; those that will fall due in one still wait for their delay. */
  private async waitingForFreezes(): Promise<number> {
    const rows: { count: number }[] = await this.db.query(
      `SELECT count(*)::int AS count
       FROM timers t JOIN clocks s ON s.partition = t.partition AND s.queue = t.name
       WHERE t.partition IN (${FROZEN_PARTITIONS}) AND t.kind = '${clockKind}' AND t.state = 'pending'
         AND t.due_at > clock_timestamp() AND s.state #> '{pending,frozen}' IS NOT NULL`,
    );
    return rows[0]!.count;
  }

  /** Those of the queues whose clocks wait for a max that goes up and down. */
  private async flapping(places: readonly Place[]): Promise<Map<string, FlappingWait>> {
    if (places.length === 0) return new Map();
    const rows = await this.db.query<(Place & { state: ScheduleState })[]>(
      `SELECT partition, queue, state FROM clocks JOIN ${PLACES} USING (partition, queue)
       WHERE state #> '{pending,flapping}' IS NOT NULL`,
      columnsOf(places),
    );
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
    const rows = await this.db.query<{ partition: string; labels: string[] | null }[]>(
      `SELECT partition, ${NODE_LABELS_OF('asked.partition')} AS labels FROM unnest($1::text[]) AS asked (partition)`,
      [partitions],
    );
    return new Map(rows.map(({ partition, labels }) => [partition, labels ?? []]));
  }

  private async blocked(places: readonly Place[]): Promise<Map<string, Blocked>> {
    if (places.length === 0) return new Map();
    const rows = await this.db.query<(Place & Blocked)[]>(
      `SELECT t.partition, t.name AS queue, above.run AS above, ${noSize} AS "noSize"
       FROM ${PLACES} JOIN timers t ON t.partition = place.partition AND t.name = place.queue ${blockedBy}
       WHERE t.kind = '${clockKind}'`,
      columnsOf(places),
    );
    return new Map(rows.map((row) => [keyOf(row), row]));
  }

  /** The runs of the queues above some queues: those in progress, and those whose clocks run. By queue. */
  private async runsAbove(places: readonly Place[]): Promise<Map<string, RunAbove[]>> {
    const above = new Map(
      places.flatMap(({ partition, queue }) =>
        ancestors(queue).map((path): [string, Place] => {
          const place = { partition, queue: path };
          return [keyOf(place), place];
        }),
      ),
    );
    if (above.size === 0) return new Map();
    const rows = await this.db.query<(RunAbove & Place)[]>(
      `SELECT partition, queue, running_enforcement AS enforcement, NULL::timestamptz AS "dueAt"
       FROM clocks JOIN ${PLACES} USING (partition, queue) WHERE running_enforcement IS NOT NULL
       UNION ALL
       SELECT t.partition, t.name, s.state #>> '{pending,enforcement}', t.due_at
       FROM ${PLACES} JOIN timers t ON t.partition = place.partition AND t.name = place.queue
         JOIN clocks s ON s.partition = t.partition AND s.queue = t.name
       WHERE t.kind = '${clockKind}' AND t.state = 'pending' AND s.state #> '{pending,enforcement}' IS NOT NULL`,
      columnsOf([...above.values()]),
    );
    const found = new Map<string, RunAbove[]>();
    for (const row of rows) found.set(keyOf(row), [...(found.get(keyOf(row)) ?? []), row]);
    return found;
  }

  /** The clocks of runs that have not started. */
  private async clocksOfRuns(runs: readonly Run[]): Promise<Clock[]> {
    const waiting = runs.filter(({ state }) => startStates.has(state));
    if (waiting.length === 0) return [];
    return this.db.query(
      `SELECT t.partition, t.name AS queue, s.state #>> '{pending,enforcement}' AS enforcement, t.due_at AS "dueAt", t.state
       FROM ${PLACES} JOIN timers t ON t.partition = place.partition AND t.name = place.queue
         JOIN clocks s ON s.partition = t.partition AND s.queue = t.name
       WHERE t.kind = '${clockKind}'`,
      columnsOf(distinct(waiting)),
    );
  }

  private async openVictims(enforcements: readonly string[]): Promise<Map<string, OpenVictims>> {
    if (enforcements.length === 0) return new Map();
    const rows = await this.db.query<OpenVictims[]>(
      `SELECT enforcement, (count(*) FILTER (WHERE state IN ('planned', 'ordered')))::int AS ready,
              (count(*) FILTER (WHERE state = 'refused'))::int AS refused,
              (count(*) FILTER (WHERE state IN ('notified', 'waiting')))::int AS asked,
              (array_agg(json_build_object('allocation', allocation, 'message', message) ORDER BY rank)
               FILTER (WHERE state = 'refused'))[1] AS refusal
       FROM read_victims WHERE enforcement = ANY ($1) GROUP BY enforcement`,
      [enforcements],
    );
    const extended = await extendedVictims(this.db, enforcements, await databaseTime(this.db));
    return new Map(
      rows.map((row) => [row.enforcement, apartFromExtended(row, extended.get(row.enforcement))]),
    );
  }
}

/** The first run above a queue that begins before a clock of the queue is due: that clock waits for its end. */
function firstAbove(
  { partition, queue }: Place,
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

function waitingClock({ partition, enforcement, dueAt, state }: Clock): WaitingClock {
  return {
    partition,
    enforcement: enforcement ?? undefined,
    dueAt: new Date(dueAt).toISOString(),
    suspended: state === 'suspended',
  };
}
