import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { isWithin, queueOfSubject, sentenceOf } from '#contracts';
import type {
  AllocationExplanation,
  EnforcementExplanation,
  QueueExplanation,
  QueueRound,
  QueueRun,
  RecordedPlan,
  RoundsView,
} from '#contracts/api';
import type { CallingClient } from '#platform';
import { firstOfPlan, type PartOfPlan, type PlanOrigin, type PlanPart } from '#replay';
import { READER_DATABASE } from '#runtime';
import { archivedUntil } from '../archive/where-archived.js';
import { Enforcements } from '../queries/enforcements.js';
import { Log } from '../queries/log.js';
import { Pools } from '../queries/pools.js';
import { Queues } from '../queries/queues.js';
import { Rounds } from '../queries/rounds.js';
import { latestPlanned } from '../queries/run-statements.js';
import { Timers } from '../queries/timers.js';
import { RemakeInThread } from '../replay/remake/remake-in-thread.js';
import { replan } from '../replay/remake/replanned.js';
import { ForeseenRuns } from './foreseen-runs.js';
import {
  eventsOfQueue,
  isLonger,
  noticesOfQueue,
  type RecordedEvent,
  runsOfQueue,
  summaryOfVictims,
} from './queue-record.js';

/** How many of the latest runs to plan again, to explain why they spared an allocation. */
const plansMadeAgain = 5;

/** The rule and the numbers behind each victim and each spared allocation. */
@Injectable()
export class Explain {
  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    private readonly enforcements: Enforcements,
    private readonly queues: Queues,
    private readonly timers: Timers,
    private readonly log: Log,
    private readonly rounds: Rounds,
    private readonly pools: Pools,
    private readonly foreseen: ForeseenRuns,
    private readonly remakes: RemakeInThread,
  ) {}

  /**
   * @param limit of victims; absent: everything. @param groups of victims in the summary, of each kind.
   * @throws ProblemException as `RemakeInThread.explain`.
   */
  async enforcement(
    id: string,
    { limit, groups }: { limit?: number | undefined; groups: number },
    client?: CallingClient,
  ): Promise<EnforcementExplanation | undefined> {
    const enforcement = await this.enforcements.withVictims(id);
    if (!enforcement) return undefined;
    const [victims, summary, { recorded, ...explained }] = await Promise.all([
      this.enforcements.victims(id, limit === undefined ? {} : { limit }),
      enforcement.victims > 0 ? summaryOfVictims(this.db, id, groups) : undefined,
      limit === undefined ? this.whole(id, client) : this.first(id, limit, client),
    ]);
    return {
      enforcement,
      victims,
      ...(summary && { summary }),
      ...explained,
      settings: recorded ? recorded.settings : null,
      ...(recorded?.limit.maxShare !== undefined && { limit: recorded.limit }),
      snapshotDigest: recorded?.snapshotDigest ?? null,
      archived: recorded ? null : ((await this.log.archived(id)) ?? null),
    };
  }

  /** The plan with all spared allocations, while its input is kept. */
  private async whole(id: string, client?: CallingClient): Promise<ExplainedPlan> {
    const recorded = await this.log.plan(id);
    if (!recorded) return { plan: null, replayable: false };
    const made = await this.madeAgain(recorded, 'without victims', client);
    const { victims } = recorded.plan;
    return {
      recorded,
      plan: made ? { ...made.plan, victims } : recorded.plan,
      replayable: made !== undefined,
    };
  }

  /** The first of each list of the plan, and the spared allocations by reason, unless recomputing the plan takes long. */
  private async first(id: string, limit: number, client?: CallingClient): Promise<ExplainedPlan> {
    const recorded = await this.log.planOrigin(id);
    if (!recorded) return { plan: null, sparedBy: null, replayable: false };
    const isTooLong = await this.isLong(recorded.snapshotDigest);
    const made = isTooLong ? undefined : await this.madeAgain(recorded, { first: limit }, client);
    if (made) return { recorded, sparedBy: null, ...made, replayable: true };
    const whole = await this.log.plan(id);
    const part = whole ? firstOfPlan(whole.plan, limit) : { plan: null };
    return { recorded, ...part, sparedBy: null, replayable: isTooLong };
  }

  /** Whether planning it again takes seconds and much memory. */
  private async isLong(digest: string): Promise<boolean> {
    const rows = await isLonger(this.db, digest, longSnapshotBytes);
    return rows.length > 0;
  }

  /**
   * @returns undefined if it is not in the cluster, and no run that could be planned again knows it.
   * @throws ProblemException as `RemakeInThread.explain`.
   */
  async allocation(
    partition: string,
    allocation: string,
    client?: CallingClient,
  ): Promise<AllocationExplanation | undefined> {
    const chosen = await this.enforcements.naming(partition, allocation);
    const named = new Set(chosen.map((victim) => victim.enforcement));
    const running = await this.queues.ofAllocation(partition, allocation);
    const queue = running?.queue ?? chosen[0]?.queue ?? null;
    const spared: AllocationExplanation['spared'] = [];
    const runs =
      queue === null
        ? await this.latestRuns(partition)
        : await runsOfQueue(this.db, partition, queue, plansMadeAgain);
    const tooLarge: string[] = [];
    for (const run of runs) {
      if (named.has(run.enforcement)) continue;
      const recorded = await this.log.planOrigin(run.enforcement);
      if (recorded && (await this.isLong(recorded.snapshotDigest))) {
        tooLarge.push(run.enforcement);
        continue;
      }
      const made = recorded && (await this.madeAgain(recorded, { spared: allocation }, client));
      const why = made?.plan.spared?.[0];
      if (why) {
        spared.push({
          enforcement: run.enforcement,
          queue: run.queue,
          at: run.at,
          reason: why.reason,
          ...(why.message && { message: why.message }),
        });
      }
    }
    if (queue === null && spared.length + tooLarge.length === 0) {
      await this.queues.assertPartition(partition);
      return undefined;
    }
    const foreseen = running ? await this.foreseen.of(partition, { id: allocation, ...running }) : [];
    return {
      allocation,
      partition,
      queue,
      chosen: await this.withRuns(chosen),
      foreseen,
      spared,
      ...(tooLarge.length > 0 && { tooLarge }),
    };
  }

  /** Adds the numbers of the runs, for an answer in a sentence. */
  private async withRuns(
    chosen: Awaited<ReturnType<Enforcements['naming']>>,
  ): Promise<AllocationExplanation['chosen']> {
    const explained: AllocationExplanation['chosen'] = [];
    for (const victim of chosen) {
      const run = await this.enforcements.run(victim.enforcement);
      if (!run) continue;
      const { queue, policy, startedAt, target, victims, evicted } = run;
      const recorded = await this.log.planOrigin(victim.enforcement);
      const quota = recorded?.limit.max ?? null;
      explained.push({ ...victim, run: { queue, policy, startedAt, target, victims, evicted }, quota });
    }
    return explained;
  }

  private async latestRuns(partition: string): Promise<Pick<QueueRun, 'enforcement' | 'queue' | 'at'>[]> {
    const rows = await latestPlanned(this.db, partition, plansMadeAgain);
    return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
  }

  /** @throws ProblemException 404 for a queue that nothing is known of. */
  async queue(partition: string, path: string): Promise<QueueExplanation> {
    const { queue, isConfigured } = await this.queues.known(partition, path);
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
      configured: isConfigured,
      removedAt: isConfigured ? null : removedAt(events),
      timer,
      pool: pools.items.find(({ name }) => name === path) ?? null,
      rounds: rounds.items.flatMap((round) => foundIn(round, path)),
      runs,
      archivedUntil: archived,
      history: events.map(({ at, event, data }) => ({ at, event, sentence: sentenceOf(event, data) })),
      notices,
    };
  }

  /** A part of the same plan with `spared`; undefined if its input is no longer kept or does not match the recorded digest. */
  private async madeAgain(
    { snapshotDigest, trigger, settings }: PlanOrigin,
    part: PlanPart,
    client?: CallingClient,
  ): Promise<PartOfPlan | undefined> {
    const origin = { snapshotDigest, trigger, settings: { ...settings, explain: true } };
    // The input is read when its turn comes, so that waiting requests hold no memory.
    const made = await this.remakes.explain(
      (remake) => replan(this.db, origin, undefined, (question) => remake({ ...question, part })),
      client,
    );
    return made !== 'not kept' && 'plan' in made ? made : undefined;
  }
}

/** The part of an explanation that comes from the plan, and the record of the plan. */
type ExplainedPlan = Pick<EnforcementExplanation, 'plan' | 'sparedBy' | 'counts' | 'replayable'> & {
  recorded?: Omit<RecordedPlan, 'plan'>;
};

const longSnapshotBytes = 32 * 1024 * 1024;

/** When the last change of its quota removed the queue. */
function removedAt(events: readonly RecordedEvent[]): string | null {
  const last = events.find(({ event }) => event === 'QuotaChanged' || event === 'QueueRemoved');
  return last?.event === 'QueueRemoved' ? last.at : null;
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
