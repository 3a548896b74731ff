import { chainFromRoot } from '#contracts';
import { followsCluster } from '#enforcement';
import type { Tx } from '#event-store';
import type { OpenRun } from '#runs';
import type { ReadRunControl, RunStatus } from './run-control.js';
import type { RunLog } from './runs/run-log.js';

/**
 * Reads the status of a loaded run, which then takes in the commands of operators and the answers of owners up to it.
 *
 * @param of.queues whose guaranteed amounts and runs are wanted, default: those of the run, from the root.
 * @param of.tx the transaction to read in; absent: read together with the requests of other runs.
 */
export async function statusOfRun(
  controls: ReadRunControl,
  held: OpenRun,
  run: RunLog,
  { queues = chainFromRoot(held.queue), tx }: { queues?: readonly string[]; tx?: Tx | undefined } = {},
): Promise<RunStatus> {
  const status = await controls.of(held, queues, {
    followsCluster: followsCluster(run.state),
    ...(tx && { tx }),
  });
  await run.takeCommands(status.commands);
  return status;
}
