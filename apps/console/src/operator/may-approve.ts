import { partitionOptionText, waitingForApproval } from '#contracts';
import { stoppedBy } from '#enforcement';
import { databaseTime, type Tx } from '#event-store';
import { heldBy, holdsIn, statusOfOpenRun } from '#holds';
import { ProblemException } from '#platform';

/** A run that a command of an operator concerns. */
export interface RunOfCommand {
  enforcement: string;
  queue: string;
}

/** The same as the read model has it, which may be late. */
export interface KnownRun extends RunOfCommand {
  partition: string;
  state: string;
  outcome: string | null;
}

/**
 * Decides in the transaction of the command, which holds the lock of the run's commands.
 *
 * @throws ProblemException 409 if the run does not wait for approval.
 */
export async function assertWaits(tx: Tx, run: KnownRun): Promise<void> {
  const { enforcement, queue, outcome } = run;
  const status = await statusOfOpenRun(tx, enforcement);
  if (status === waitingForApproval) return;
  const state = run.state === waitingForApproval ? status : run.state;
  const is = state === undefined ? 'has ended' : `is ${state}`;
  throw new ProblemException({
    code: 'not-waiting',
    title: 'The run does not wait for approval',
    status: 409,
    detail: `Run ${enforcement} of ${queue} ${outcome ? `has ended (${outcome})` : is}.`,
    remedy: `Check its state: curtail get enforcements ${enforcement}`,
  });
}

/** @throws ProblemException 409 if a queue of the runs is frozen: an approval would begin evictions in the freeze. */
export async function assertNoneFrozen(
  tx: Tx,
  partition: string,
  runs: readonly RunOfCommand[],
): Promise<void> {
  const holds = await holdsIn(tx, partition);
  const at = (await databaseTime(tx)).getTime();
  for (const { enforcement, queue } of runs) {
    const { frozen } = heldBy(queue, holds, at);
    if (!frozen) continue;
    throw new ProblemException({
      code: 'frozen',
      title: 'The queue is frozen',
      status: 409,
      detail: `Run ${enforcement} of ${queue} cannot be approved. ${stoppedBy(frozen.freeze)}`,
      remedy: `Approve it afterwards, or clear the freeze: curtail get freezes${partitionOptionText(partition)}`,
    });
  }
}
