import { eventName, type Notice, type Plan } from '@curtail/contracts';
import { DamagedSnapshot, readSnapshotBody } from '@curtail/event-store';
import { planInput } from '@curtail/planning';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Enforcements, type EnforcementView, type VictimView } from '../queries/enforcements.js';
import { Log, type RecordedPlan } from '../queries/log.js';
import { Queues, type QueueView } from '../queries/queues.js';
import { type RoundPlanView, Rounds } from '../queries/rounds.js';
import { Timers, type TimerView } from '../queries/timers.js';
import { sentenceOf } from './sentence-of.js';

export interface EnforcementExplanation {
  enforcement: EnforcementView;
  victims: VictimView[];
  /** The recorded plan; with `spared`, made again from the recorded input, while that is kept. */
  plan: Plan | null;
  settings: Record<string, unknown> | null;
  snapshotDigest: string | null;
  /** The input is kept: the plan can be made again. */
  replayable: boolean;
}

export interface AllocationExplanation {
  allocation: string;
  partition: string;
  /** Runs that chose it. */
  chosen: (VictimView & { enforcement: string })[];
  /** Runs of its queue, or of one above, that left it alone, and why. */
  spared: { enforcement: string; queue: string; at: string; reason: string }[];
}

export interface QueueRound {
  policy: string;
  round: number;
  at: string;
  /** Its part in the plan; null if the queue was left alone, or is no leaf. */
  share: RoundPlanView['shares'][number] | null;
  notices: Notice[];
}

export interface QueueExplanation {
  queue: QueueView;
  timer: TimerView | null;
  /** What the last rounds found in it, of each policy that looks again and again. */
  rounds: QueueRound[];
  /** What happened to its clock and its runs, the latest first. */
  history: { at: string; event: string; sentence: string }[];
  notices: (Notice & { at: string })[];
}

/** Plans of one allocation's queues that are looked through, the latest first. */
const runsLookedThrough = 20;

/** Why: the rule and the numbers behind each victim and each allocation that was left alone. */
@Injectable()
export class Explain {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Enforcements) private readonly enforcements: Enforcements,
    @Inject(Queues) private readonly queues: Queues,
    @Inject(Timers) private readonly timers: Timers,
    @Inject(Log) private readonly log: Log,
    @Inject(Rounds) private readonly rounds: Rounds,
  ) {}

  async enforcement(id: string): Promise<EnforcementExplanation | undefined> {
    const found = await this.enforcements.one(id);
    if (!found) return undefined;
    const { plannedVictims, ...enforcement } = found;
    const recorded = await this.log.plan(id);
    const explained = recorded && (await this.explainedPlan(recorded));
    return {
      enforcement,
      victims: plannedVictims,
      plan: explained ?? recorded?.plan ?? null,
      settings: recorded ? recorded.settings : null,
      snapshotDigest: recorded?.snapshotDigest ?? null,
      replayable: explained !== undefined,
    };
  }

  async allocation(partition: string, allocation: string): Promise<AllocationExplanation> {
    const chosen = await this.enforcements.naming(partition, allocation);
    const named = new Set(chosen.map((victim) => victim.enforcement));
    const spared: AllocationExplanation['spared'] = [];
    const runs: { enforcement: string; queue: string; started_at: Date }[] = await this.db.query(
      `SELECT enforcement, queue, started_at FROM read_enforcements
       WHERE partition = $1 AND plan_outcome IS NOT NULL ORDER BY started_at DESC LIMIT $2`,
      [partition, runsLookedThrough],
    );
    for (const run of runs) {
      if (named.has(run.enforcement)) continue;
      const recorded = await this.log.plan(run.enforcement);
      const explained = recorded && (await this.explainedPlan(recorded));
      const reason = explained?.spared?.find((entry) => entry.allocation === allocation)?.reason;
      if (reason) {
        spared.push({
          enforcement: run.enforcement,
          queue: run.queue,
          at: run.started_at.toISOString(),
          reason,
        });
      }
    }
    return { allocation, partition, chosen, spared };
  }

  async queue(partition: string, path: string): Promise<QueueExplanation | undefined> {
    const queue = await this.queues.one(partition, path);
    if (!queue) return undefined;
    const [timers, events, notices, rounds] = await Promise.all([
      this.timers.list({ partition, queue: path, limit: 1000 }),
      this.log.list({ partition, queue: path, limit: 1000 }),
      this.log.notices({ partition, queue: path, limit: 50 }),
      this.rounds.list({ partition }),
    ]);
    return {
      queue,
      timer: timers.items.find((timer) => timer.queue === path && timer.kind === 'quota-decrease') ?? null,
      rounds: rounds.items.flatMap(({ policy, plan, plannedRound, plannedAt }) => {
        if (!plan || plannedRound === null || plannedAt === null) return [];
        const share = plan.shares.find(({ queue }) => queue === path) ?? null;
        const told = plan.notices.filter(({ message }) => isAbout(message, path));
        return share || told.length > 0
          ? [{ policy, round: plannedRound, at: plannedAt, share, notices: told }]
          : [];
      }),
      history: events.items
        .filter((event) => event.queue === path && eventName(event.type))
        // One run can have thousands of victims; they are told with the run.
        .filter((event) => !event.name.startsWith('Victim'))
        .slice(0, 50)
        .map((event) => ({
          at: event.time,
          event: event.name,
          sentence: sentenceOf(event.name, event.data),
        })),
      notices: notices.items.filter(
        (notice) => notice.queue === path,
      ) as unknown as QueueExplanation['notices'],
    };
  }

  /** The same plan with `spared`; undefined once its input is no longer kept, or is not what was recorded. */
  private async explainedPlan({
    snapshotDigest,
    trigger,
    settings,
  }: RecordedPlan): Promise<Plan | undefined> {
    const body = await readSnapshotBody(this.db, snapshotDigest).catch((error: unknown) => {
      if (error instanceof DamagedSnapshot) return undefined;
      throw error;
    });
    if (body === undefined) return undefined;
    return planInput({ snapshot: body, trigger, settings: { ...settings, explain: true } });
  }
}

/** The message of a notice about a queue begins with its path. */
function isAbout(message: string, path: string): boolean {
  return message === path || message.startsWith(`${path} `) || message.startsWith(`${path}: `);
}
