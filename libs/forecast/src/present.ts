import type { ReadDecreaseSettings, settingsOfRuns } from '#contracts';
import type { ClockState, Mode, Stop } from '#enforcement';
import { configuredFreezes, type Freeze } from '#holds/freezes';

/** A run in progress. */
export interface RunInProgress {
  queue: string;
  enforcement: string;
  /** Victims not evicted yet. */
  victims: number;
  awaitsApproval: boolean;
}

/** Stops, switches and runs of a partition at the time of a preview. */
export interface PresentPartition {
  /** By the clock of the database. */
  at: Date;
  mode: Mode;
  stops: Stop[];
  freezes: Freeze[];
  /** For queues with a pending clock or a run, and for those that would change, if their ups and downs are counted. */
  clocks: ClockState[];
  runs: RunInProgress[];
}

/** The settings of the installation that say what a run plans, waits for, and how long it takes. */
export type ForecastSettings = { policy: ReadDecreaseSettings } & Record<
  (typeof settingsOfRuns)[number],
  number
>;

/** With the freezes of a proposed configuration in the place of those of the one in force. */
export function withConfiguredFreezes(
  present: PresentPartition,
  partition: string,
  queues: Parameters<typeof configuredFreezes>[1],
): PresentPartition {
  const since = present.at.toISOString();
  const proposed = configuredFreezes(partition, queues).map(({ reason, ...freeze }): Freeze => {
    const why = reason === undefined ? {} : { reason };
    return { ...freeze, by: 'configuration', ...why, configured: true, since };
  });
  return { ...present, freezes: [...present.freezes.filter(({ configured }) => !configured), ...proposed] };
}
