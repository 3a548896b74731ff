import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { chainFromRoot } from '#contracts';
import { followsCluster } from '#enforcement';
import type { Tx } from '#event-store';
import type { OpenRun } from '#runs';
import { ReadRunControl, type StatusOfControl } from './run-control.js';
import type { RunLog } from './runs/run-log.js';
import { EXECUTOR_SETTINGS, type ExecutorSettings } from './settings/executor-settings.js';
import { RunTurns, type Turn } from './turns.js';

/** The turns of runs to check victims and to kill them, with the status of the run as it is under its turn. */
@Injectable()
export class TurnsOfRuns {
  private readonly turns: RunTurns;

  constructor(
    db: DataSource,
    @Inject(EXECUTOR_SETTINGS) settings: ExecutorSettings,
    private readonly controls: ReadRunControl,
  ) {
    this.turns = new RunTurns(settings.alone ? undefined : db);
  }

  /**
   * Waits for the turn to check victims and to kill them, until the answers to the kills: in those of their queues, and of the queues above,
   * whose guaranteed amount they may break, and in those that a run brings down, whose need for victims they may end. These queues are
   * certain only once the run has the turn, so they are read again then.
   *
   * @param queues of the victims, and all above.
   * @param before the last status of the run.
   */
  async take(
    held: OpenRun,
    run: RunLog,
    queues: readonly string[],
    before: StatusOfControl,
  ): Promise<{ turn: Turn; status: StatusOfControl }> {
    let wanted = concerned(held, queues, before);
    for (;;) {
      const { turn, seen: status } = await this.turns.take(held.partition, wanted, (tx) =>
        statusOfRun(this.controls, held, run, { queues, tx }),
      );
      wanted = concerned(held, queues, status);
      if (wanted.every((queue) => turn.queues.includes(queue))) return { turn, status };
      turn.end();
    }
  }
}

function concerned(
  held: OpenRun,
  queues: readonly string[],
  { guaranteed, running }: StatusOfControl,
): string[] {
  return [held.queue, ...queues.filter((queue) => guaranteed.has(queue) || running.includes(queue))];
}

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
): Promise<StatusOfControl> {
  const status = await controls.of(held, queues, {
    followsCluster: followsCluster(run.state),
    ...(tx && { tx }),
  });
  await run.takeCommands(status.commands);
  return status;
}
