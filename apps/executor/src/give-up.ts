import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type DomainEvent, type Resources } from '#contracts';
import { catalog, typesOf } from '#contracts/events';
import {
  emptyTally,
  endUncarried,
  type PlanInBrief,
  runPolicies,
  type Settled,
  settleUncarried,
  type Tally,
  tallied,
  type VictimOutcome,
} from '#enforcement';
import { append, enforcementStream, planStream, type Tx, unpackText } from '#event-store';
import type { SettledVictim } from '#rounds';
import type { HeldRun } from '#runs';
import { whileRenewing } from '#waiting';
import { RoundSteps } from './rounds/round-steps.js';
import { OpenRuns, renewHoldEveryMs } from './runs/open-runs.js';

/** The page size of reads: the database reads the whole plan for each of these statements. */
const readAtOnce = 10_000;
/** The number of outcomes recorded in one transaction: all readers of the log wait for a long transaction. */
const recordedAtOnce = 1000;

const outcomeOfType: Partial<Record<string, VictimOutcome>> = {
  [catalog.VictimEvicted.type]: 'evicted',
  [catalog.VictimGone.type]: 'gone',
  [catalog.VictimSpared.type]: 'spared',
  [catalog.VictimFailed.type]: 'failed',
  [catalog.VictimNotified.type]: 'notified',
};

interface Brief extends PlanInBrief {
  /** The text of the data of the plan's event, if they are packed; else null. The database parses it: here it would take several times the memory. */
  unpacked: Buffer | null;
  settings: unknown;
  /** The number of events that executors have recorded. */
  version: number;
  isOver: boolean;
  /** The ranks of the victims whose orders have no answer. */
  ordered: number[];
  /** The ranks that wait since the opening of a round. */
  wait: number[] | null;
}

interface PageRow {
  allocation: string;
  uid: string | null;
  application: string;
  queue: string;
  resources: Resources;
  rank: number;
  type: string | null;
  code: string | null;
  /** Its resources according to its event. */
  held: Resources | null;
}

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
    const brief = await this.briefOf(held);
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
        stream: enforcementStream(enforcement),
        partition,
        expectedVersion: version,
        events: events.map((event) => ({ event, key: queue })),
      },
    ]);
  }

  /** The plan without its victims, and the progress of its run. */
  private async briefOf({
    enforcement,
    partition,
    queue,
    fencingToken,
  }: HeldRun): Promise<Brief | undefined> {
    const [plan] = await this.db.query<{ packed: Buffer | null }[]>(
      'SELECT packed FROM events WHERE stream = $1 AND type = $2',
      [planStream(enforcement), catalog.PlanComputed.type],
    );
    const unpacked = plan?.packed ? await unpackText(plan.packed) : null;
    type Found = Omit<Brief, 'enforcement' | 'partition' | 'queue' | 'fencingToken' | 'unpacked'>;
    const rows = await this.db.query<Found[]>(
      `SELECT plan->>'policy' AS policy, plan->'target' AS target, settings, json_array_length(plan->'victims') AS victims, done.*
       FROM events, json_to_record(coalesce(events.data, $8::json)) AS computed (plan json, settings json),
         (SELECT coalesce(max(version), 0) AS version, coalesce(bool_or(type = $4), false) AS "isOver",
                 ARRAY(SELECT rank FROM (
                         SELECT DISTINCT ON ((data->>'rank')::int) (data->>'rank')::int AS rank, type FROM events
                         WHERE stream = $2 AND type = ANY ($6) ORDER BY (data->>'rank')::int, version DESC
                       ) newest WHERE type = $5) AS ordered,
                 (SELECT data->'wait' FROM events WHERE stream = $2 AND type = ANY ($7)) AS wait
          FROM events WHERE stream = $2) done
       WHERE stream = $1 AND type = $3`,
      [
        ...[planStream(enforcement), enforcementStream(enforcement)],
        ...[catalog.PlanComputed.type, catalog.EnforcementEnded.type, catalog.VictimOrdered.type],
        [catalog.VictimOrdered.type, catalog.VictimRefused.type, ...Object.keys(outcomeOfType)],
        typesOf('EnforcementOpened'),
        unpacked,
      ],
    );
    const [found] = rows;
    return found && { enforcement, partition, queue, fencingToken, unpacked, ...found };
  }

  /** All victims, by their rank; of a plan without any, one empty page. */
  private async *pages(brief: Brief): AsyncGenerator<PageRow[]> {
    for (let from = 0; from === 0 || from < brief.victims; from += readAtOnce) {
      const page = await this.page(brief, from);
      for (let at = 0; at === 0 || at < page.length; at += recordedAtOnce) {
        yield page.slice(at, at + recordedAtOnce);
      }
    }
  }

  private page({ enforcement, policy, unpacked }: Brief, from: number): Promise<PageRow[]> {
    return this.db.query(
      `SELECT victim->>'allocation' AS allocation, victim->>'uid' AS uid, victim->>'application' AS application,
              victim->>'queue' AS queue, victim->'resources' AS resources, v.rank::int AS rank, done.type, code, held
       FROM events plan
         CROSS JOIN LATERAL json_array_elements(coalesce(plan.data, $7::json)->'plan'->'victims') WITH ORDINALITY AS v (victim, rank)
         LEFT JOIN (
           SELECT (data->>'rank')::int AS rank, type, data->>'code' AS code, data->'resources' AS held
           FROM events WHERE stream = $2 AND type = ANY ($4)
         ) done ON done.rank = v.rank
       WHERE plan.stream = $1 AND plan.type = $3 AND v.rank > $5 AND v.rank <= $6
       ORDER BY v.rank`,
      [
        ...[planStream(enforcement), enforcementStream(enforcement), catalog.PlanComputed.type],
        ...[outcomeTypes(policy), from, from + readAtOnce, unpacked],
      ],
    );
  }
}

/** A victim that was asked to finish has no outcome yet. */
const outcomeTypes = (policy: Brief['policy']) =>
  Object.keys(outcomeOfType).filter(
    (type) => runPolicies.of(policy).notifiesInOneRound || type !== catalog.VictimNotified.type,
  );

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
