import { Inject, Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { type DomainEvent, type Limit, partitionOptionText } from '#contracts';
import type { ChangeDecided } from '#contracts/api';
import { typesOf } from '#contracts/events';
import { limitInWords, sameLimit } from '#enforcement';
import { controlStream, operatorStream, runStream, type Tx } from '#event-store';
import { dropStops, saveMode, saveStop } from '#holds';
import { ProblemException } from '#platform';
import { OPERATOR_DATABASE } from '#runtime';
import { type CommandPlace, recordCommand, recordEvents } from '../commands/record-command.js';
import { ceilingOfRun } from '../queries/run-statements.js';
import { Changes } from './changes.js';
import { assertNoneFrozen, assertWaits, type KnownRun } from './may-approve.js';
import { quotasOfRun, runNamed } from './statements.js';

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
    const run = await this.run(enforcement);
    const { partition, queue } = run;
    const note = await quotaChangedSince(this.db, run, enforcement);
    const ceiling = await ceilingOfRun(this.db, enforcement);
    const version = ceiling?.configuration ?? null;
    const noted = { enforcement, queue, ...(note !== undefined && { note }) };
    if (version !== null) {
      const decision = { partition, version, approved: true, by, reason: undefined };
      return { ...noted, change: await this.changes.decide(decision, run) };
    }
    const data = { partition, queue, enforcement, by, ...(ceiling && { ceilings: true as const }) };
    await this.recordOf(run, { name: 'PlanApproved', data }, async (tx) => {
      await assertWaits(tx, run);
      await assertNoneFrozen(tx, partition, [run]);
    });
    return noted;
  }

  /** Rejects a run that waits for approval; nothing is evicted. @throws ProblemException 404, or 409 if it does not wait. */
  async reject(
    enforcement: string,
    by: string,
    reason: string | undefined,
  ): Promise<{ enforcement: string; queue: string }> {
    const run = await this.run(enforcement);
    const { partition, queue } = run;
    const data = { partition, queue, enforcement, by, ...(reason ? { reason } : {}) };
    await this.recordOf(run, { name: 'PlanRejected', data }, (tx) => assertWaits(tx, run));
    return { enforcement, queue };
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
        remedy: `To prevent further runs of this queue, change its quota or its delay, or stop it: curtail stop --queue ${run.queue}${partitionOptionText(run.partition)}`,
      });
    }
    const data = {
      partition: run.partition,
      queue: run.queue,
      enforcement,
      by,
      ...(reason ? { reason } : {}),
    };
    await this.recordOf(run, { name: 'CancelRequested', data });
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
    const event: DomainEvent = {
      name: 'KillSwitchSet',
      data: { partition, queue: queue ?? null, by, ...(reason ? { reason } : {}) },
    };
    await this.record(placeOf(partition, queue), event, (tx) =>
      saveStop(tx, { partition, queue, by, reason }),
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
      const events = (await dropStops(tx, partition, queue)).map((stopped) => ({
        event: { name: 'KillSwitchCleared' as const, data: { partition, queue: stopped, by } },
        key: stopped ?? partition,
      }));
      return { events, answer: events.length };
    });
  }

  /** Sets the mode of a partition. `observe` also stops runs in progress; `enforce` does not start runs that were observed. */
  async setMode(partition: string, mode: 'observe' | 'enforce', by: string): Promise<void> {
    const event: DomainEvent = { name: 'ModeChanged', data: { partition, mode, by } };
    await this.record(placeOf(partition), event, (tx) => saveMode(tx, { partition, mode }));
  }

  private recordOf(run: KnownRun, event: DomainEvent, effect?: (tx: Tx) => Promise<void>): Promise<void> {
    const { partition, queue, enforcement } = run;
    return this.record({ partition, stream: operatorStream(enforcement), key: queue }, event, effect);
  }

  private record(
    place: CommandPlace,
    event: DomainEvent,
    effect: (tx: Tx) => Promise<void> = async () => {},
  ): Promise<void> {
    return recordCommand(this.db, place, async (tx) => {
      await effect(tx);
      return { event, answer: undefined };
    });
  }

  private async run(enforcement: string): Promise<KnownRun> {
    const rows = await runNamed(this.db, enforcement);
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

const placeOf = (partition: string, queue?: string): CommandPlace => ({
  partition,
  stream: controlStream(partition),
  key: queue ?? partition,
});

/**
 * A sentence if the quota in force differs from the one that a run was planned for, else undefined. A share of the cluster is the
 * same quota, whatever amounts it resolves to.
 */
export async function quotaChangedSince(
  db: DataSource,
  { partition, queue }: { partition: string; queue: string },
  enforcement: string,
): Promise<string | undefined> {
  const [found] = await quotasOfRun(
    db,
    partition,
    queue,
    runStream(enforcement),
    typesOf('EnforcementOpened'),
  );
  if (!found) return undefined;
  const [planned, inForce] = [found.planned, found.inForce].map(limitOf) as [Limit, Limit];
  if (sameLimit(planned, inForce)) return undefined;
  return (
    `The quota of ${queue} changed from ${limitInWords(planned)} to ${limitInWords(inForce)} since this run was planned: ` +
    'it evicts only what the quota in force needs.'
  );
}

const limitOf = (found: { max: Limit['max']; maxShare?: string | null | undefined } | null): Limit => ({
  max: found?.max ?? null,
  ...(found?.maxShare != null && { maxShare: found.maxShare }),
});
