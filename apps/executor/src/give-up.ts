import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DomainEvent } from '#contracts';
import {
  emptyTally,
  endUncarried,
  runPolicies,
  type Settled,
  settleUncarried,
  type Tally,
  tallied,
} from '#enforcement';
import { append, runStream, type Tx } from '#event-store';
import type { SettledVictim } from '#rounds';
import type { HeldRun } from '#runs';
import { whileRenewing } from '#waiting';
import { RoundSteps } from './rounds/round-steps.js';
import { type Brief, briefOf, outcomeOfType, type PageRow, readVictims } from './run-statements.js';
import { OpenRuns, renewHoldEveryMs } from './runs/open-runs.js';

/** The page size of reads: the database reads the whole plan for each of these statements. */
const readAtOnce = 10_000;
/** The number of outcomes recorded in one transaction: all readers of the log wait for a long transaction. */
const recordedAtOnce = 1000;

/**
 * Ends a run that has crashed one process after the other, without loading it: the victims are read in pages, and their
 * outcomes are added up on the way. Victims without an outcome are spared.
 */
@Injectable()
export class GiveUp {
  constructor(
    private readonly db: DataSource,
    private readonly openRuns: OpenRuns,
    private readonly rounds: RoundSteps,
  ) {}

  /**
   * @returns in how many milliseconds to continue, or undefined if this process has nothing left to do.
   * @throws StreamConflict if another process works on this run.
   */
  end(held: HeldRun, isStopping: () => boolean): Promise<number | undefined> {
    // Reading a page of a plan may take longer than a hold.
    return whileRenewing(
      renewHoldEveryMs,
      () => this.openRuns.keepHold(held.enforcement),
      () => this.endByPages(held, isStopping),
    );
  }

  private async endByPages(held: HeldRun, isStopping: () => boolean): Promise<number | undefined> {
    const { enforcement, deaths } = held;
    const brief = await briefOf(this.db, held);
    if (!brief) {
      // Without a plan there is almost nothing to load: it is carried out as any other.
      await this.openRuns.release(enforcement, 0, { forgetDeaths: true });
      return undefined;
    }
    if (brief.isOver) {
      await this.openRuns.removeEnded(enforcement);
      return undefined;
    }
    let tally: Tally = emptyTally;
    const settled: SettledVictim[] = [];
    for await (const rows of this.pages(brief)) {
      if (isStopping()) return 0;
      if (!(await this.openRuns.keepHold(enforcement))) return undefined;
      const events: DomainEvent[] = [];
      for (const row of rows) {
        const outcome = outcomeOf(row, brief);
        const became = outcome ?? settleUncarried(brief, victimOf(row), at(row, brief, deaths));
        if ('event' in became) events.push(became.event);
        const one = 'event' in became ? became.settled : became;
        tally = tallied(tally, brief.target, one);
        // Only rounds pass data on to the next one, and they have few victims.
        if (runPolicies.of(brief.policy).isRound) {
          settled.push({ outcome: one.outcome, allocation: row.allocation, application: row.application });
        }
      }
      const isLast = (rows.at(-1)?.rank ?? 0) === brief.victims;
      if (isLast) events.push(endUncarried(brief, tally, deaths));
      await this.db.transaction(async (tx) => {
        await this.record(tx, brief, events);
        if (!isLast) return;
        await this.rounds.leaveGivenUp(tx, brief, settled);
        await this.openRuns.remove(tx, [enforcement]);
      });
      brief.version += events.length;
    }
    return undefined;
  }

  private async record(
    tx: Tx,
    { enforcement, partition, queue, version }: Brief,
    events: DomainEvent[],
  ): Promise<void> {
    if (events.length === 0) return;
    await append(tx, [
      {
        stream: runStream(enforcement),
        partition,
        expectedVersion: version,
        events: events.map((event) => ({ event, key: queue })),
      },
    ]);
  }

  /** All victims, by their rank; of a plan without any, one empty page. */
  private async *pages(brief: Brief): AsyncGenerator<PageRow[]> {
    for (let from = 0; from === 0 || from < brief.victims; from += readAtOnce) {
      const page = await readVictims(this.db, brief, from, readAtOnce);
      for (let at = 0; at === 0 || at < page.length; at += recordedAtOnce) {
        yield page.slice(at, at + recordedAtOnce);
      }
    }
  }
}

function outcomeOf({ type, code, resources, held, rank }: PageRow, { wait }: Brief): Settled | undefined {
  if (wait?.includes(rank)) return { outcome: 'waiting', resources };
  const outcome = outcomeOfType[type ?? ''];
  return outcome && { outcome, code: code ?? undefined, resources: held ?? resources };
}

const victimOf = ({ allocation, uid, application, queue, resources, rank }: PageRow) => {
  return { allocation, application, queue, resources, rank, ...(uid !== null && { uid }) };
};

const at = ({ rank }: PageRow, { ordered }: Brief, processes: number) => {
  return { isOrdered: ordered.includes(rank), processes };
};
