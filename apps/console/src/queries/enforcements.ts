import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { waitingForApproval } from '#contracts';
import type { EnforcementView, FoundVictim, ListPage, RunTimeline, VictimView } from '#contracts/api';
import { secondsToEvict } from '#enforcement';
import { READER_DATABASE } from '#runtime';
import { isMissing } from '../read-model/missing-victims.js';
import { INSTALLATION_SETTINGS, type InstallationSettings } from '../settings/effective-settings.js';
import { settingsOfChain } from '../settings/settings-of-chain.js';
import { type Run, Waiting } from '../waiting/waiting.js';
import { ceilingOfRun } from './ceiling-of-run.js';
import { freedSoFar } from './freed-so-far.js';
import { below, type QueryOf, timedNext, timedPlace } from './list-query.js';
import { type VictimPage, victimGroupings } from './part-query.js';
import { timelineOf } from './run-timeline.js';
import { onceThere, victimsAreThere } from './victims-follow.js';

const columns = `enforcement, partition, queue, policy, round::int AS round, state, outcome, due_at AS "dueAt", started_at AS "startedAt",
  ended_at AS "endedAt", late_ms AS "lateMs", mode, plan_outcome AS "planOutcome", target, claimed, shortfall, freed,
  victims, notified, evicted, message, updated_at AS "updatedAt"`;

/** Not a parameter: a plan for all values of it could not use the index of the needed runs. */
const isNeeded = "outcome IS DISTINCT FROM 'not-needed'";

/** An approved run is carried out at once: it executes, too. */
function statesOf(state: NonNullable<QueryOf<'enforcements'>['state']>): string[] {
  if (state === 'waiting') return [waitingForApproval];
  return state === 'executing' ? [state, 'approved'] : [state];
}

/** The statement that reads a page of runs, and one more run if there are more. */
export function selectionOfRuns(query: QueryOf<'enforcements'>): { sql: string; values: unknown[] } {
  const place = timedPlace(query.after);
  return {
    sql: `SELECT ${columns} FROM read_runs
       WHERE partition = $1 AND ${below('queue', 2)} AND ($3::timestamptz IS NULL OR updated_at >= $3)
         AND ($4::timestamptz IS NULL OR updated_at < $4 OR (updated_at = $4 AND enforcement > $5))
         AND ($7::text[] IS NULL OR state = ANY ($7)) AND ($8::text IS NULL OR policy = $8)
         ${query.needed === undefined ? '' : `AND ${isNeeded}`}
       ORDER BY updated_at DESC, enforcement LIMIT $6`,
    values: [
      query.partition,
      query.queue ?? null,
      query.since ?? null,
      place?.at ?? null,
      place?.name ?? null,
      query.limit + 1,
      query.state === undefined ? null : statesOf(query.state),
      query.policy ?? null,
    ],
  };
}

/** It is open: its end, which states what it freed, is not recorded yet. */
const isEvicting = ({ startedAt, endedAt, outcome, victims }: Run) =>
  startedAt !== null && endedAt === null && outcome === null && victims > 0;

@Injectable()
export class Enforcements {
  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    private readonly waiting: Waiting,
    @Inject(INSTALLATION_SETTINGS) private readonly installation: InstallationSettings,
  ) {}

  /** Planned, open and ended runs, latest change first. */
  async list(query: QueryOf<'enforcements'>): Promise<ListPage<EnforcementView>> {
    const { sql, values } = selectionOfRuns(query);
    const rows = await this.db.query<Run[]>(sql, values);
    const items = await this.waiting.ofRuns(rows.slice(0, query.limit));
    const last = items.at(-1);
    return {
      items,
      ...(last && rows.length > items.length ? { next: timedNext(last.updatedAt, last.enforcement) } : {}),
    };
  }

  /** Runs of these partitions that started and have not ended, oldest first: at most one for each queue and policy. */
  async open(partitions: readonly string[]): Promise<EnforcementView[]> {
    const runs = await this.db.query<Run[]>(
      `SELECT ${columns} FROM read_runs
       WHERE partition = ANY ($1) AND outcome IS NULL AND started_at IS NOT NULL ORDER BY started_at, enforcement`,
      [partitions],
    );
    return this.waiting.ofRuns(runs);
  }

  /** `next` is there if there are more victims. */
  async one(
    enforcement: string,
    page: VictimPage,
  ): Promise<
    | (EnforcementView & {
        approvedWith: number | null;
        leastSeconds: number | null;
        plannedVictims: VictimView[];
        next?: string;
      })
    | undefined
  > {
    const run = await this.withVictims(enforcement);
    if (!run) return undefined;
    const ceiling = run.state === waitingForApproval ? await ceilingOfRun(this.db, enforcement) : undefined;
    const found = await this.victims(enforcement, { ...page, limit: page.limit + 1 });
    const plannedVictims = found.slice(0, page.limit);
    const last = plannedVictims.at(-1)?.rank ?? page.after;
    const isMore = found.length > plannedVictims.length;
    const approvedWith = ceiling?.configuration ?? null;
    const leastSeconds = await this.leastSeconds(run);
    return { ...run, approvedWith, leastSeconds, plannedVictims, ...(isMore ? { next: String(last) } : {}) };
  }

  /** How long the evictions that remain take at least; null: none follows. */
  private async leastSeconds(run: EnforcementView): Promise<number | null> {
    const { partition, queue, victims, evicted, endedAt, outcome } = run;
    if (endedAt !== null || outcome !== null || victims === 0) return null;
    const settings = await settingsOfChain(this.db, partition, queue, this.installation);
    const rate = (name: string) => settings.find(({ setting }) => setting === name)?.value;
    const ofPartition = rate('partitionVictimsPerSecond');
    return secondsToEvict(victims - evicted, {
      victimsPerSecond: Number(rate('victimsPerSecond')),
      ...(typeof ofPartition === 'number' && { partitionVictimsPerSecond: ofPartition }),
    });
  }

  async run(enforcement: string): Promise<EnforcementView | undefined> {
    const rows = await this.db.query<Run[]>(`SELECT ${columns} FROM read_runs WHERE enforcement = $1`, [
      enforcement,
    ]);
    const [run] = rows;
    if (!run) return undefined;
    const freed = isEvicting(run) ? await freedSoFar(this.db, enforcement) : run.freed;
    return (await this.waiting.ofRuns([{ ...run, freed }]))[0];
  }

  /**
   * A run of which all victims are there.
   *
   * @throws ProblemException if they do not follow in time.
   */
  withVictims(enforcement: string): Promise<EnforcementView | undefined> {
    return onceThere(
      () => this.run(enforcement),
      // Asked after the run was read, since that row comes together with the one of what is missing.
      async (run) =>
        run && run.victims > 0 && (await isMissing(this.db, enforcement)) ? enforcement : undefined,
    );
  }

  /** Its steps, and those of its clock. */
  async timeline(enforcement: string): Promise<RunTimeline | undefined> {
    const run = await this.run(enforcement);
    return run && timelineOf(this.db, run);
  }

  /** In the order of eviction; without a limit all of them. */
  async victims(
    enforcement: string,
    { after = 0, limit, ...groups }: Partial<VictimPage> = {},
  ): Promise<VictimView[]> {
    const values: unknown[] = [enforcement, after, limit ?? null];
    const within = victimGroupings.flatMap((by) => {
      const name = groups[by];
      if (name === undefined) return [];
      return name === '' ? `AND ${by} IS NULL` : `AND ${by} = $${values.push(name)}`;
    });
    return this.db.query(
      `SELECT allocation, queue, application, rank, uid, resources, reason, rule, facts, owner, state, code, message, about
       FROM read_victims WHERE enforcement = $1 AND rank > $2 ${within.join(' ')} ORDER BY rank LIMIT $3`,
      values,
    );
  }

  /**
   * The runs that chose an allocation, latest first.
   *
   * @throws ProblemException as `victimsAreThere`.
   */
  async naming(partition: string, allocation: string): Promise<(VictimView & { enforcement: string })[]> {
    await victimsAreThere(this.db, partition);
    return this.db.query(
      `SELECT enforcement, allocation, queue, application, rank, uid, resources, reason, rule, facts, owner, state, code, message, about
       FROM read_victims WHERE partition = $1 AND allocation = $2 ORDER BY updated_at DESC LIMIT 100`,
      [partition, allocation],
    );
  }

  /**
   * The victims of an application or of a user, or of both, latest first.
   *
   * @throws ProblemException as `victimsAreThere`.
   */
  async victimsOf({ partition, application, user, limit }: QueryOf<'victims'>): Promise<FoundVictim[]> {
    await victimsAreThere(this.db, partition);
    const rows = await this.db.query<(Omit<FoundVictim, 'at'> & { at: Date })[]>(
      `SELECT enforcement, allocation, application, queue, owner, state, reason, updated_at AS at
       FROM read_victims
       WHERE partition = $1 AND ($2::text IS NULL OR application = $2) AND ($3::text IS NULL OR owner = $3)
       ORDER BY updated_at DESC, enforcement, rank LIMIT $4`,
      [partition, application ?? null, user ?? null, limit],
    );
    return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
  }
}
