import { Inject, Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { type DomainEvent, partitionOption } from '#contracts';
import type { ChangeDecided } from '#contracts/api';
import { stoppedBy } from '#enforcement';
import { controlStream, operatorStream, type Tx } from '#event-store';
import { FREEZES_OF, type Freeze, frozenAt } from '#freezes';
import { ProblemException } from '#platform';
import { OPERATOR_DATABASE } from '#runtime';
import { recordCommand, recordEvents } from '../commands/record-command.js';
import { ceilingOfRun } from '../queries/ceiling-of-run.js';
import { Changes } from './changes.js';
import { quotaChangedSince } from './quota-changed-since.js';

interface RunRow {
  partition: string;
  queue: string;
  state: string;
  outcome: string | null;
}

/** Commands of operators. Each is one event and its effect in one transaction; the executor checks for them before each kill. */
@Injectable()
export class Operator {
  /** Decisions about all runs of a configuration. */
  readonly changes: Changes;

  constructor(@Inject(OPERATOR_DATABASE) private readonly db: DataSource) {
    this.changes = new Changes(db);
  }

  /**
   * Approves a run that waits because of its size; if it waits for a ceiling, all runs of its configuration with it. The quota in force
   * decides what it evicts, which may be less than it planned.
   *
   * @throws ProblemException 404, or 409 if it does not wait, or its queue is frozen.
   */
  async approve(
    enforcement: string,
    by: string,
  ): Promise<{ enforcement: string; queue: string; note?: string; change?: ChangeDecided }> {
    const run = await this.waiting(enforcement);
    await this.assertNotFrozen(run, enforcement);
    const note = await quotaChangedSince(this.db, run, enforcement);
    const ceiling = await ceilingOfRun(this.db, enforcement);
    const version = ceiling?.configuration ?? null;
    const noted = { enforcement, queue: run.queue, ...(note !== undefined && { note }) };
    if (version !== null) {
      const { partition } = run;
      return {
        ...noted,
        change: await this.changes.decide({ partition, version, approved: true, by, reason: undefined }),
      };
    }
    await this.record(run.partition, operatorStream(enforcement), run.queue, {
      name: 'PlanApproved',
      data: {
        partition: run.partition,
        queue: run.queue,
        enforcement,
        by,
        ...(ceiling && { ceilings: true as const }),
      },
    });
    return noted;
  }

  /** Rejects a run that waits for approval; nothing is evicted. @throws ProblemException 404, or 409 if it does not wait. */
  async reject(
    enforcement: string,
    by: string,
    reason: string | undefined,
  ): Promise<{ enforcement: string; queue: string }> {
    const run = await this.waiting(enforcement);
    await this.record(run.partition, operatorStream(enforcement), run.queue, {
      name: 'PlanRejected',
      data: { partition: run.partition, queue: run.queue, enforcement, by, ...(reason ? { reason } : {}) },
    });
    return { enforcement, queue: run.queue };
  }

  /** Cancels a run: a pending one never starts, and one in progress requests no further evictions. */
  async cancel(
    enforcement: string,
    by: string,
    reason: string | undefined,
  ): Promise<{ enforcement: string; queue: string; was: string }> {
    const run = await this.run(enforcement);
    if (run.outcome !== null) {
      throw new ProblemException({
        code: 'already-over',
        title: 'The run is over',
        status: 409,
        detail: `Run ${enforcement} of ${run.queue} has ended already (${run.outcome}).`,
        remedy: `To prevent further runs of this queue, change its quota or its delay, or stop it: curtail stop --queue ${run.queue}${partitionOption(run.partition)}`,
      });
    }
    await this.record(run.partition, operatorStream(enforcement), run.queue, {
      name: 'CancelRequested',
      data: { partition: run.partition, queue: run.queue, enforcement, by, ...(reason ? { reason } : {}) },
    });
    return { enforcement, queue: run.queue, was: run.state };
  }

  /**
   * Sets the kill switch of a queue and everything below it, or of the partition. It holds until `resume`. Set again without a reason, it
   * keeps who set it, when and why: those are still true.
   */
  async stop(
    partition: string,
    queue: string | undefined,
    by: string,
    reason: string | undefined,
  ): Promise<void> {
    await this.record(
      partition,
      controlStream(partition),
      queue ?? partition,
      { name: 'KillSwitchSet', data: { partition, queue: queue ?? null, by, ...(reason ? { reason } : {}) } },
      (tx) =>
        tx.query(
          `INSERT INTO kill_switches (partition, queue, reason, set_by, set_at) VALUES ($1, $2, $3, $4, now())
           ON CONFLICT (partition, queue) DO UPDATE SET reason = excluded.reason, set_by = excluded.set_by, set_at = now()
           WHERE excluded.reason IS NOT NULL`,
          [partition, queue ?? '', reason || null, by],
        ),
    );
  }

  /**
   * Clears kill switches: that of the queue, or all of the partition if no queue is given. Each is recorded separately, because only the
   * clocks that it held get their whole delay again.
   *
   * @returns how many there were.
   */
  async resume(partition: string, queue: string | undefined, by: string): Promise<number> {
    return recordEvents(this.db, { partition, stream: controlStream(partition) }, async (tx) => {
      const [cleared] = await tx.query<[{ queue: string }[], number]>(
        'DELETE FROM kill_switches WHERE partition = $1 AND ($2::text IS NULL OR queue = $2) RETURNING queue',
        [partition, queue ?? null],
      );
      const events = cleared
        .map((stop) => stop.queue)
        .sort()
        .map((stopped) => ({
          event: {
            name: 'KillSwitchCleared' as const,
            data: { partition, queue: stopped || null, by },
          },
          key: stopped || partition,
        }));
      return { events, answer: events.length };
    });
  }

  /** Sets the mode of a partition. `observe` also stops runs in progress; `enforce` does not start runs that were observed. */
  async setMode(partition: string, mode: 'observe' | 'enforce', by: string): Promise<void> {
    await this.record(
      partition,
      controlStream(partition),
      partition,
      { name: 'ModeChanged', data: { partition, mode, by } },
      (tx) =>
        tx.query(
          `INSERT INTO partition_modes (partition, mode) VALUES ($1, $2)
           ON CONFLICT (partition) DO UPDATE SET mode = excluded.mode`,
          [partition, mode],
        ),
    );
  }

  private record(
    partition: string,
    stream: string,
    key: string,
    event: DomainEvent,
    effect: (tx: Tx) => Promise<unknown> = async () => {},
  ): Promise<void> {
    return recordCommand(this.db, { partition, stream, key }, async (tx) => {
      await effect(tx);
      return { event, answer: undefined };
    });
  }

  private async waiting(enforcement: string): Promise<RunRow> {
    const run = await this.run(enforcement);
    if (run.state === 'waiting for approval') return run;
    throw new ProblemException({
      code: 'not-waiting',
      title: 'The run does not wait for approval',
      status: 409,
      detail: `Run ${enforcement} of ${run.queue} ${run.outcome ? `has ended (${run.outcome})` : `is ${run.state}`}.`,
      remedy: `Check its state: curtail get enforcements ${enforcement}`,
    });
  }

  /** An approval would begin evictions in the freeze. */
  private async assertNotFrozen({ partition, queue }: RunRow, enforcement: string): Promise<void> {
    const rows = await this.db.query<{ freezes: Freeze[]; now: Date }[]>(
      `SELECT ${FREEZES_OF('$1')} AS freezes, clock_timestamp() AS now`,
      [partition],
    );
    const { freezes, now } = rows[0]!;
    const frozen = frozenAt(queue, freezes, now.getTime());
    if (!frozen) return;
    throw new ProblemException({
      code: 'frozen',
      title: 'The queue is frozen',
      status: 409,
      detail: `Run ${enforcement} of ${queue} cannot be approved. ${stoppedBy(frozen.freeze)}`,
      remedy: `Approve it afterwards, or clear the freeze: curtail get freezes${partitionOption(partition)}`,
    });
  }

  private async run(enforcement: string): Promise<RunRow> {
    const rows = await this.db.query<RunRow[]>(
      'SELECT partition, queue, state, outcome FROM read_enforcements WHERE enforcement = $1',
      [enforcement],
    );
    const run = rows[0];
    if (run) return run;
    throw new ProblemException({
      code: 'unknown-enforcement',
      title: 'There is no such run',
      status: 404,
      detail: `There is no enforcement ${enforcement}.`,
      remedy: 'List them: curtail get enforcements',
    });
  }
}
