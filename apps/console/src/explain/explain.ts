import { isWithin, type Plan, queueOfSubject, type Spared, type SparedReason } from '@curtail/contracts';
import type {
  AllocationExplanation,
  EnforcementExplanation,
  QueueExplanation,
  QueueRound,
  QueueRun,
  RecordedPlan,
  RoundsView,
  SparedGroup,
} from '@curtail/contracts/api';
import { READER_DATABASE } from '@curtail/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { archivedUntil } from '../archive/where-archived.js';
import { Enforcements } from '../queries/enforcements.js';
import { Log } from '../queries/log.js';
import { Pools } from '../queries/pools.js';
import { Queues } from '../queries/queues.js';
import { Rounds } from '../queries/rounds.js';
import { Timers } from '../queries/timers.js';
import { RemakeApart } from '../replay/remake-apart.js';
import { replan } from '../replay/replanned.js';
import { eventsOfQueue, noticesOfQueue, runsOfQueue } from './queue-record.js';
import { sentenceOf } from './sentence-of.js';

/** How many of the latest runs to plan again, to explain why they spared an allocation. */
const plansMadeAgain = 5;

/** The rule and the numbers behind each victim and each spared allocation. */
@Injectable()
export class Explain {
  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    @Inject(Enforcements) private readonly enforcements: Enforcements,
    @Inject(Queues) private readonly queues: Queues,
    @Inject(Timers) private readonly timers: Timers,
    @Inject(Log) private readonly log: Log,
    @Inject(Rounds) private readonly rounds: Rounds,
    @Inject(Pools) private readonly pools: Pools,
    @Inject(RemakeApart) private readonly apart: RemakeApart,
  ) {}

  /**
   * @param limit of victims; absent: everything.
   * @param signal aborted once the client has left.
   * @throws ProblemException as `RemakeApart.explain`.
   */
  async enforcement(
    id: string,
    limit?: number,
    signal?: AbortSignal,
  ): Promise<EnforcementExplanation | undefined> {
    const enforcement = await this.enforcements.run(id);
    if (!enforcement) return undefined;
    const victims = await this.enforcements.victims(id, limit === undefined ? {} : { limit });
    const recorded = await this.log.plan(id);
    const isTooLong = limit !== undefined && recorded && (await this.isLong(recorded.snapshotDigest));
    const explained = isTooLong ? undefined : recorded && (await this.explainedPlan(recorded, signal));
    const plan = explained ?? recorded?.plan ?? null;
    return {
      enforcement,
      victims,
      plan: plan && limit !== undefined ? firstOf(plan, limit) : plan,
      ...(limit !== undefined && { sparedBy: explained ? groupsOf(explained.spared ?? []) : null }),
      settings: recorded ? recorded.settings : null,
      ...(recorded?.limit.maxShare !== undefined && { limit: recorded.limit }),
      snapshotDigest: recorded?.snapshotDigest ?? null,
      replayable: isTooLong === true || explained !== undefined,
      archived: recorded ? null : ((await this.log.archived(id)) ?? null),
    };
  }

  /** Whether planning it again takes seconds and much memory. */
  private async isLong(digest: string): Promise<boolean> {
    const rows: unknown[] = await this.db.query('SELECT 1 FROM snapshots WHERE digest = $1 AND bytes > $2', [
      digest,
      longSnapshotBytes,
    ]);
    return rows.length > 0;
  }

  /** @throws ProblemException as `RemakeApart.explain`. */
  async allocation(
    partition: string,
    allocation: string,
    signal?: AbortSignal,
  ): Promise<AllocationExplanation> {
    const chosen = await this.enforcements.naming(partition, allocation);
    const named = new Set(chosen.map((victim) => victim.enforcement));
    const queue = (await this.queues.ofAllocation(partition, allocation)) ?? chosen[0]?.queue ?? null;
    const spared: AllocationExplanation['spared'] = [];
    const runs =
      queue === null
        ? await this.latestRuns(partition)
        : await runsOfQueue(this.db, partition, queue, plansMadeAgain);
    const tooLarge: string[] = [];
    for (const run of runs) {
      if (named.has(run.enforcement)) continue;
      const recorded = await this.log.plan(run.enforcement);
      if (recorded && (await this.isLong(recorded.snapshotDigest))) {
        tooLarge.push(run.enforcement);
        continue;
      }
      const explained = recorded && (await this.explainedPlan(recorded, signal));
      const reason = explained?.spared?.find((entry) => entry.allocation === allocation)?.reason;
      if (reason) {
        spared.push({
          enforcement: run.enforcement,
          queue: run.queue,
          at: run.at,
          reason,
        });
      }
    }
    return { allocation, partition, queue, chosen, spared, ...(tooLarge.length > 0 && { tooLarge }) };
  }

  private async latestRuns(partition: string): Promise<Pick<QueueRun, 'enforcement' | 'queue' | 'at'>[]> {
    const rows: { enforcement: string; queue: string; at: Date }[] = await this.db.query(
      `SELECT enforcement, queue, started_at AS at FROM read_enforcements
       WHERE partition = $1 AND plan_outcome IS NOT NULL ORDER BY started_at DESC LIMIT $2`,
      [partition, plansMadeAgain],
    );
    return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
  }

  async queue(partition: string, path: string): Promise<QueueExplanation | undefined> {
    const queue = await this.queues.one(partition, path);
    if (!queue) return undefined;
    const [timer, pools, rounds, runs, events, notices, archived] = await Promise.all([
      this.timers.ofQueue(partition, path),
      // Pools are listed by path: of a queue and those below it, it comes first.
      this.pools.list('pool', { partition, queue: path, limit: 1 }),
      this.rounds.list({ partition }),
      runsOfQueue(this.db, partition, path),
      eventsOfQueue(this.db, partition, path),
      noticesOfQueue(this.db, partition, path),
      archivedUntil(this.db),
    ]);
    return {
      queue,
      timer,
      pool: pools.items.find(({ name }) => name === path) ?? null,
      rounds: rounds.items.flatMap((round) => foundIn(round, path)),
      runs,
      archivedUntil: archived,
      history: events.map(({ at, event, data }) => ({ at, event, sentence: sentenceOf(event, data) })),
      notices,
    };
  }

  /** The same plan with `spared`; undefined if its input is no longer kept or does not match the recorded digest. */
  private async explainedPlan(recorded: RecordedPlan, signal?: AbortSignal): Promise<Plan | undefined> {
    const origin = { ...recorded, settings: { ...recorded.settings, explain: true } };
    // The input is read when its turn comes, so that waiting requests hold no memory.
    const made = await this.apart.explain((remake) => replan(this.db, origin, undefined, remake), signal);
    return made !== 'not kept' && 'plan' in made ? made.plan : undefined;
  }
}

const longSnapshotBytes = 32 * 1024 * 1024;
const namedOfEach = 3;

function firstOf({ spared: _, ...plan }: Plan, limit: number): Plan {
  return { ...plan, victims: plan.victims.slice(0, limit) };
}

function groupsOf(spared: readonly Spared[]): SparedGroup[] {
  const groups = new Map<SparedReason, SparedGroup>();
  for (const { allocation, reason } of spared) {
    const group = groups.get(reason) ?? { reason, count: 0, first: [] };
    groups.set(reason, group);
    group.count += 1;
    if (group.first.length < namedOfEach) group.first.push(allocation);
  }
  return [...groups.values()];
}

/** Absent if the round found nothing in the queue and below it. */
function foundIn({ policy, plan, plannedRound, plannedAt }: RoundsView, path: string): QueueRound[] {
  if (!plan || plannedRound === null || plannedAt === null) return [];
  const isHere = (queue: string | undefined) => queue !== undefined && isWithin(queue, path);
  const shares = plan.shares.filter(({ queue }) => isHere(queue));
  const reasons = (plan.reasons ?? []).filter(({ queue }) => isHere(queue));
  const notices = plan.notices.filter(({ about }) => about && isHere(queueOfSubject(about)));
  if (shares.length + reasons.length + notices.length === 0) return [];
  return [{ policy, round: plannedRound, at: plannedAt, shares, reasons, notices }];
}
