import type { DataSource } from 'typeorm';
import { assertPartition } from '#clusters';
import { type DomainEvent, partitionOptionText } from '#contracts';
import { type ChangeDecided, type ChangeEffect, mostGroups } from '#contracts/api';
import { appendNextToEach, controlStream, operatorStream, type Tx } from '#event-store';
import { type Decision, isInForce, saveDecision } from '#holds';
import { ProblemException } from '#platform';
import { lockCommands, recordCommand } from '../commands/record-command.js';
import { assertNoneFrozen, assertWaits, type KnownRun } from './may-approve.js';
import {
  effectOfChange,
  lastDueOf,
  namesOfRunsOf,
  type RunOfChange,
  runsOfChange,
  versionsNamed,
} from './statements.js';

/** Runs in one transaction: it holds a lock for each. */
const runsAtOnce = 500;

/** One approval or rejection of all runs that a version of a configuration causes. docs/how-to/ceilings.md */
export class Changes {
  constructor(private readonly db: DataSource) {}

  /**
   * Approves or rejects all runs of the version: those that wait now, and those that are still to start. The decision is read again
   * before each page of evictions, and by the eviction gate, so a run that is planned at this moment follows it too. It is in force at
   * once; the record of each run follows. There may be very many runs, and a stop must not wait for them.
   *
   * @param waiting the run that the command names: it must still wait when the decision is made.
   * @throws ProblemException 404 for an unknown version, or 409 if a queue of a run that would begin to evict is frozen.
   */
  async decide(command: Decision, waiting?: KnownRun): Promise<ChangeDecided> {
    const { partition, version, approved } = command;
    await assertKnownVersion(this.db, partition, version);
    const runs = approved
      ? await runsOfChange(this.db, partition, version)
      : await namesOfRunsOf(this.db, partition, version);
    const concerned = runs.filter(({ waits = true }) => waits);
    const { until, decidedAt } = await this.record(command, runs.length, concerned, waiting);
    for (let from = 0; from < concerned.length; from += runsAtOnce) {
      const isInForce = await this.recordInRuns(command, decidedAt, concerned.slice(from, from + runsAtOnce));
      if (!isInForce) break;
    }
    return { partition, version, approved, runs: runs.length, until };
  }

  /** @returns `until`: when an approval ends; null for a rejection. */
  private async record(
    command: Decision,
    runs: number,
    concerned: readonly RunOfChange[],
    waiting: KnownRun | undefined,
  ): Promise<{ until: string | null; decidedAt: string }> {
    const { partition, version, approved, by, reason } = command;
    const place = { partition, stream: controlStream(partition), key: partition };
    const alsoLocked = waiting ? [operatorStream(waiting.enforcement)] : [];
    return recordCommand(this.db, { ...place, alsoLocked }, async (tx) => {
      if (waiting) await assertWaits(tx, waiting);
      if (approved) await assertNoneFrozen(tx, partition, concerned);
      const [last] = await lastDueOf(tx, partition, version);
      const { until: end, decidedAt } = await saveDecision(tx, command, last!.due);
      const until = end?.toISOString() ?? null;
      const decided = {
        partition,
        configuration: version,
        by,
        runs,
        ...(reason !== undefined && { reason }),
      };
      const event: DomainEvent =
        until === null
          ? { name: 'ConfigurationRejected', data: decided }
          : { name: 'ConfigurationApproved', data: { ...decided, until } };
      return { event, answer: { until, decidedAt } };
    });
  }

  /** @returns false: another decision has replaced this one, and nothing was recorded. */
  private async recordInRuns(
    command: Decision,
    decidedAt: string,
    runs: readonly RunOfChange[],
  ): Promise<boolean> {
    const { partition } = command;
    return this.db.transaction(async (tx) => {
      await lockCommands(tx, ...runs.map(({ enforcement }) => operatorStream(enforcement)));
      if (!(await isInForce(tx, command, decidedAt))) return false;
      await appendNextToEach(
        tx,
        runs.map((run) => ({
          stream: operatorStream(run.enforcement),
          partition,
          events: [{ event: eventFor(command, run), key: run.queue }],
        })),
      );
      return true;
    });
  }

  /** @throws ProblemException 404 for an unknown version. */
  async effect(partition: string, version: number): Promise<ChangeEffect> {
    await assertKnownVersion(this.db, partition, version);
    const [row] = await effectOfChange(this.db, partition, version, mostGroups);
    const runs = await runsOfChange(this.db, partition, version);
    const waiting = runs.filter(({ waits }) => waits).length;
    return { ...row!, partition, version, runs: { open: runs.length, waiting } };
  }
}

function eventFor({ partition, version, approved, by, reason }: Decision, run: RunOfChange): DomainEvent {
  const data = { partition, queue: run.queue, enforcement: run.enforcement, by };
  return approved
    ? { name: 'PlanApproved', data: { ...data, ceilings: true, configuration: version } }
    : { name: 'PlanRejected', data: { ...data, ...(reason !== undefined && { reason }) } };
}

async function assertKnownVersion(db: DataSource | Tx, partition: string, version: number): Promise<void> {
  const found = await versionsNamed(db, partition, version);
  if (found.length > 0) return;
  await assertPartition(db, partition);
  throw new ProblemException({
    code: 'unknown-version',
    title: 'There is no such version',
    status: 404,
    detail: `Partition ${partition} has no version ${version} of its configuration.`,
    remedy: `List them: curtail get configurations${partitionOptionText(partition)}`,
  });
}
