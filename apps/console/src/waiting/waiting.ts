import { InventoryControl, NODE_LABELS_OF } from '@curtail/clusters';
import { ancestors, clockKind } from '@curtail/contracts';
import type { EnforcementView, TimerView } from '@curtail/contracts/api';
import {
  type ClockHolds,
  coveringStop,
  type FlappingWait,
  flappingWait,
  type ScheduleState,
  type Stop,
  startsAt,
  type WaitingClock,
  type WaitingRun,
  whyClockWaits,
  whyRunWaits,
} from '@curtail/enforcement';
import { databaseTime } from '@curtail/event-store';
import { FREEZES_OF, type Freeze, frozenClock } from '@curtail/freezes';
import { READER_DATABASE } from '@curtail/runtime';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { DataSource } from 'typeorm';
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
  LEFT JOIN schedules s ON s.partition = t.partition AND s.queue = t.name
  LEFT JOIN LATERAL (
    SELECT json_build_object('queue', r.queue, 'enforcement', r.running_enforcement) AS run FROM schedules r
    WHERE r.partition = t.partition AND r.running_enforcement IS NOT NULL AND starts_with(t.name, r.queue || '.')
    ORDER BY r.queue LIMIT 1) above ON t.state = 'waiting'`;
const noSize = `t.state = 'waiting' AND s.state #>> '{values,maxShare}' IS NOT NULL`;

const startStates = new Set(['scheduled', 'suspended']);

/** Why clocks and runs wait: for the lists, the status and the metrics. */
@Injectable()
export class Waiting {
  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    @Optional() @Inject(InventoryControl) private readonly inventory: InventoryControl | null,
  ) {}

  /** Clocks of one partition. */
  async ofClocks<T extends Clock>(
    partition: string,
    clocks: readonly T[],
  ): Promise<(Omit<T, 'servedAt'> & Start)[]> {
    if (clocks.length === 0) return [];
    const at = (await databaseTime(this.db)).toISOString();
    const holds = await this.clockHolds(partition, clocks, at);
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
   * What holds back the clocks of one partition.
   *
   * @param at by the clock of the database.
   */
  async clockHolds(
    partition: string,
    clocks: readonly Pick<Clock, 'queue' | 'dueAt' | 'state'>[],
    at: string,
  ): Promise<(clock: Pick<Clock, 'queue'> & Partial<Pick<Clock, 'dueAt'>>) => ClockHolds> {
    const isDue = clocks.some(({ state, dueAt }) => state !== 'suspended' && new Date(dueAt) <= new Date(at));
    const isSuspended = clocks.some(({ state }) => state === 'suspended');
    const [freezes, flapping, stops, nodeLabels, unknown, blocked, runsAbove] = await Promise.all([
      clocks.length > 0 ? this.freezes(partition) : [],
      this.flapping(
        partition,
        clocks.map(({ queue }) => queue),
      ),
      isSuspended ? this.stops(partition) : [],
      isSuspended ? this.nodeLabels(partition) : [],
      isDue ? this.unknown(partition) : undefined,
      this.blocked(
        partition,
        clocks.filter(({ state }) => state === 'waiting').map(({ queue }) => queue),
      ),
      this.runsAbove(
        partition,
        clocks.filter(({ state }) => state === 'pending').map(({ queue }) => queue),
      ),
    ]);
    return ({ queue, dueAt }) => {
      const of = blocked.get(queue);
      const dueMs = dueAt === undefined ? undefined : new Date(dueAt).getTime();
      return {
        nodeLabels,
        stop: coveringStop(queue, stops),
        frozen: dueMs === undefined ? undefined : frozenClock(queue, freezes, dueMs, Date.parse(at)),
        flapping: flapping.get(queue),
        unknown,
        above: of?.above ?? undefined,
        before: dueMs === undefined ? undefined : firstAbove(queue, dueMs, runsAbove),
        noSize: of?.noSize,
      };
    };
  }

  /** Runs of one partition. */
  async ofRuns(partition: string, runs: readonly Run[]): Promise<EnforcementView[]> {
    const open = runs.filter(({ outcome, endedAt }) => outcome === null && endedAt === null);
    if (open.length === 0) return runs.map((run) => ({ ...run, waiting: null, startsAt: null }));
    const clocks = await this.clocksOfRuns(open);
    const started = open.filter(({ state }) => !startStates.has(state));
    const isExecuting = ({ state }: Run) => state === 'executing' || state === 'approved';
    const [victims, unknown] = await Promise.all([
      this.openVictims(started.filter(isExecuting).map(({ enforcement }) => enforcement)),
      started.length > 0 ? this.unknown(partition) : undefined,
    ]);
    const starts = await this.ofClocks(partition, clocks);
    const holds = new Map<string | null, Pick<EnforcementView, 'waiting' | 'startsAt'>>(
      starts.map((clock) => [clock.enforcement, { waiting: clock.waiting, startsAt: clock.startsAt }]),
    );
    for (const run of started) {
      const { ready = 0, refused = 0, asked = 0, refusal, extended } = victims.get(run.enforcement) ?? {};
      const of = { ...run, ready, refused, asked, extended, refusal: refusal ?? undefined };
      const reason = whyRunWaits(of, { unknown });
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
    const unknowns = new Map<string, Promise<string | undefined>>();
    const unknownIn = (partition: string) => {
      const known = unknowns.get(partition) ?? this.unknown(partition);
      unknowns.set(partition, known);
      return known;
    };
    for (const clock of clocks) {
      const isDue = new Date(clock.dueAt) <= new Date(at);
      const unknown = isDue ? await unknownIn(clock.partition) : undefined;
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
      `SELECT enforcement, partition, queue, state, outcome, ended_at AS "endedAt", message FROM read_enforcements
       WHERE outcome IS NULL AND ended_at IS NULL AND started_at IS NOT NULL ORDER BY partition`,
    );
    for (const partition of new Set(runs.map((run) => run.partition))) {
      const ofPartition = runs.filter((run) => run.partition === partition);
      for (const { waiting } of await this.ofRuns(partition, ofPartition)) if (waiting) add(waiting.code, 1);
    }
    return counts;
  }

  /** The clocks that wait for the end of a freeze; those that will fall due in one still wait for their delay. */
  private async waitingForFreezes(): Promise<number> {
    const rows: { count: number }[] = await this.db.query(
      `SELECT count(*)::int AS count
       FROM timers t JOIN schedules s ON s.partition = t.partition AND s.queue = t.name
       WHERE t.partition IN (SELECT partition FROM freezes) AND t.kind = '${clockKind}' AND t.state = 'pending'
         AND t.due_at > clock_timestamp() AND s.state #> '{pending,frozen}' IS NOT NULL`,
    );
    return rows[0]!.count;
  }

  /** Those of the queues whose clocks wait for a max that goes up and down. */
  private async flapping(partition: string, queues: string[]): Promise<Map<string, FlappingWait>> {
    if (queues.length === 0) return new Map();
    const rows = await this.db.query<{ queue: string; state: ScheduleState }[]>(
      `SELECT queue, state FROM schedules
       WHERE partition = $1 AND queue = ANY ($2) AND state #> '{pending,flapping}' IS NOT NULL`,
      [partition, queues],
    );
    return new Map(
      rows.flatMap(({ queue, state }): [string, FlappingWait][] => {
        const wait = flappingWait(state);
        return wait ? [[queue, wait]] : [];
      }),
    );
  }

  /** Why nothing is planned or evicted in a partition now; undefined: its cluster is known. */
  private async unknown(partition: string): Promise<string | undefined> {
    const [status] = (await this.inventory?.status(partition))?.items ?? [];
    return status?.known === false ? status.notices[0]?.message : undefined;
  }

  private async stops(partition: string): Promise<Stop[]> {
    const rows = await this.db.query<{ queue: string | null; by: string; reason: string | null }[]>(
      `SELECT nullif(queue, '') AS queue, set_by AS by, reason FROM kill_switches WHERE partition = $1 ORDER BY queue`,
      [partition],
    );
    return rows.map(({ queue, by, reason }) => ({ queue, by, ...(reason !== null && { reason }) }));
  }

  private async nodeLabels(partition: string): Promise<string[]> {
    const rows = await this.db.query<{ labels: string[] | null }[]>(
      `SELECT ${NODE_LABELS_OF('$1')} AS labels`,
      [partition],
    );
    return rows[0]!.labels ?? [];
  }

  private async freezes(partition: string): Promise<Freeze[]> {
    const rows = await this.db.query<{ freezes: Freeze[] }[]>(`SELECT ${FREEZES_OF('$1')} AS freezes`, [
      partition,
    ]);
    return rows[0]!.freezes;
  }

  private async blocked(partition: string, queues: readonly string[]): Promise<Map<string, Blocked>> {
    if (queues.length === 0) return new Map();
    const rows = await this.db.query<Blocked[]>(
      `SELECT t.name AS queue, above.run AS above, ${noSize} AS "noSize" FROM timers t ${blockedBy}
       WHERE t.kind = '${clockKind}' AND t.partition = $1 AND t.name = ANY ($2)`,
      [partition, queues],
    );
    return new Map(rows.map((row) => [row.queue, row]));
  }

  /** The runs of the queues above some queues: those in progress, and those whose clocks run. By queue. */
  private async runsAbove(partition: string, queues: readonly string[]): Promise<Map<string, RunAbove[]>> {
    const above = [...new Set(queues.flatMap(ancestors))];
    if (above.length === 0) return new Map();
    const rows = await this.db.query<RunAbove[]>(
      `SELECT queue, running_enforcement AS enforcement, NULL::timestamptz AS "dueAt" FROM schedules
       WHERE partition = $1 AND queue = ANY ($2) AND running_enforcement IS NOT NULL
       UNION ALL
       SELECT t.name, s.state #>> '{pending,enforcement}', t.due_at
       FROM timers t JOIN schedules s ON s.partition = t.partition AND s.queue = t.name
       WHERE t.kind = '${clockKind}' AND t.partition = $1 AND t.name = ANY ($2) AND t.state = 'pending'
         AND s.state #> '{pending,enforcement}' IS NOT NULL`,
      [partition, above],
    );
    const found = new Map<string, RunAbove[]>();
    for (const row of rows) found.set(row.queue, [...(found.get(row.queue) ?? []), row]);
    return found;
  }

  /** The clocks of runs that have not started. */
  private async clocksOfRuns(runs: readonly Run[]): Promise<Clock[]> {
    const waiting = runs.filter(({ state }) => startStates.has(state));
    if (waiting.length === 0) return [];
    return this.db.query(
      `SELECT t.partition, t.name AS queue, s.state #>> '{pending,enforcement}' AS enforcement, t.due_at AS "dueAt", t.state
       FROM timers t JOIN schedules s ON s.partition = t.partition AND s.queue = t.name
       WHERE t.kind = '${clockKind}' AND t.partition = $1 AND t.name = ANY ($2)`,
      [waiting[0]!.partition, waiting.map(({ queue }) => queue)],
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
  queue: string,
  dueMs: number,
  runs: ReadonlyMap<string, readonly RunAbove[]>,
): ClockHolds['before'] {
  for (const path of ancestors(queue).reverse()) {
    // A queue goes before those above it that are due at the same moment.
    const first = runs.get(path)?.find(({ dueAt }) => dueAt === null || dueAt.getTime() < dueMs);
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
