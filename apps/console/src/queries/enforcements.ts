import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { sentenceOf, waitingForApproval } from '#contracts';
import type {
  EnforcementView,
  FoundVictim,
  ListPage,
  RunStep,
  RunTimeline,
  VictimView,
} from '#contracts/api';
import { eventName, upcast } from '#contracts/events';
import { secondsToEvict } from '#enforcement';
import { READER_DATABASE } from '#runtime';
import { isMissing } from '../read-model/missing-victims.js';
import {
  INSTALLATION_SETTINGS,
  type InstallationSettings,
  settingsOfChain,
} from '../settings/effective-settings.js';
import type { Run } from '../waiting/statements.js';
import { Waiting } from '../waiting/waiting.js';
import { type QueryOf, timedNext } from './list-query.js';
import { type PlaceOfRun, sourceOfRun } from './log-filter.js';
import { type VictimPage, victimGroupings } from './part-query.js';
import {
  ceilingOfRun,
  freedSoFar,
  oneRun,
  openRuns,
  type StepRow as Row,
  runsNaming,
  selectedRuns,
  stepsOfRun,
  victimsOfRun,
  victimsOfWork,
} from './run-statements.js';
import { onceThere, victimsAreThere } from './victims-follow.js';

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
    const rows = await selectedRuns(this.db, query);
    const items = await this.waiting.ofRuns(rows.slice(0, query.limit));
    const last = items.at(-1);
    return {
      items,
      ...(last && rows.length > items.length ? { next: timedNext(last.updatedAt, last.enforcement) } : {}),
    };
  }

  /** Runs of these partitions that started and have not ended, oldest first: at most one for each queue and policy. */
  async open(partitions: readonly string[]): Promise<EnforcementView[]> {
    const runs = await openRuns(this.db, partitions);
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
    const rows = await oneRun(this.db, enforcement);
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
    return victimsOfRun(this.db, within, values);
  }

  /**
   * The runs that chose an allocation, latest first.
   *
   * @throws ProblemException as `victimsAreThere`.
   */
  async naming(partition: string, allocation: string): Promise<(VictimView & { enforcement: string })[]> {
    await victimsAreThere(this.db, partition);
    return runsNaming(this.db, partition, allocation);
  }

  /**
   * The victims of an application or of a user, or of both, latest first.
   *
   * @throws ProblemException as `victimsAreThere`.
   */
  async victimsOf({ partition, application, user, limit }: QueryOf<'victims'>): Promise<FoundVictim[]> {
    await victimsAreThere(this.db, partition);
    const rows = await victimsOfWork(this.db, partition, application ?? null, user ?? null, limit);
    return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
  }
}

/** More steps than these are left out, the oldest first: a clock is set again with every change of its queue. */
const mostSteps = 300;

/** What a run planned, as the read model has it: the plan itself may be very long. */
export interface ListedRun extends PlaceOfRun {
  enforcement: string;
  planOutcome: string | null;
  victims: number;
}

/** The events of a run and its clock as steps. Events of victims that follow one another are one step, which counts them. */
export async function timelineOf(db: DataSource, run: ListedRun): Promise<RunTimeline> {
  const values: unknown[] = [];
  const source = sourceOfRun(run.enforcement, run, (given) => `$${values.push(given)}`);
  const rows = await stepsOfRun(db, source, values);
  const steps = stepsOf(rows, run);
  return { steps: steps.slice(-mostSteps), earlier: Math.max(0, steps.length - mostSteps) };
}

function stepsOf(rows: readonly Row[], run: ListedRun): RunStep[] {
  const steps: RunStep[] = [];
  for (const { position, time, until, type, version, count, data } of rows) {
    const event = eventName(type) ?? type;
    const [at, ended] = [time.toISOString(), until.toISOString()];
    if (!event.startsWith('Victim')) {
      steps.push({
        position,
        at,
        until: ended,
        event,
        sentence: wordsOf(type, version, data, run),
        victims: [],
      });
      continue;
    }
    const last = steps.at(-1);
    if (last?.event === null) {
      last.victims.push({ event, count });
      if (ended > last.until) last.until = ended;
    } else {
      steps.push({ position, at, until: ended, event: null, sentence: null, victims: [{ event, count }] });
    }
  }
  return steps;
}

function wordsOf(type: string, version: number, data: unknown, run: ListedRun): string {
  const event = eventName(type);
  if (event === undefined) return type;
  if (event !== 'PlanComputed') return sentenceOf(event, upcast(event, version, data));
  const { enforcement, planOutcome: outcome, victims } = run;
  return sentenceOf(event, { enforcement, plan: { outcome, victims: Array.from({ length: victims }) } });
}
