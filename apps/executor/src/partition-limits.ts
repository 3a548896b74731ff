import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Notice, Resources } from '#contracts';
import {
  type CeilingUse,
  ceilingReached,
  ceilingsLifted,
  countedVictims,
  hasCeiling,
  type OpeningTerms,
  type RunControl,
  type RunState,
  takeTokens,
} from '#enforcement';
import type { Tx } from '#event-store';
import { admitRun, countVictims, keepTokens, type OpenRun, turnOfOrders } from '#runs';
import { ReadRunControl, type StatusOfControl } from './run-control.js';

/** Whether a page of victims may be ordered now. */
export type Permit =
  | { kind: 'granted' }
  /** At most this many at once; 0: none for some milliseconds. */
  | { kind: 'fewer'; victims: number; waitMs: number }
  | { kind: 'ceiling'; ceiling: Notice };

/**
 * The limits over all runs of a partition: its ceilings and its rate. A run is first judged when it opens, and again with each page of
 * victims, in the transaction that records their orders: these transactions take turns in a partition, so that two executors never use
 * the same room. docs/how-to/ceilings.md
 */
@Injectable()
export class PartitionLimitsOfRuns {
  constructor(
    private readonly db: DataSource,
    private readonly controls: ReadRunControl,
  ) {}

  /** For the opening of a run; undefined without a ceiling. */
  async atOpening(
    run: OpenRun,
    state: RunState,
    { limits }: StatusOfControl,
  ): Promise<OpeningTerms['ceilings']> {
    if (!hasCeiling(ceilingsIn(limits))) return undefined;
    const size = await this.clusterSize(run.partition, limits);
    return { ceilings: ceilingsIn(limits), use: await use(this.db, run, state, limits, size) };
  }

  /**
   * Orders a page of victims if the limits permit it. Without a limit, no run waits for a turn in the partition.
   *
   * @param isUnit all of the victims or none: they wait for the whole rate of a second at most.
   * @param tx the connection that has the turn of the run; undefined: any.
   * @param record records the orders, in the same transaction.
   */
  async order(
    run: OpenRun,
    state: RunState,
    status: StatusOfControl,
    {
      victims,
      isUnit,
      tx,
      record,
    }: {
      victims: number;
      isUnit: boolean;
      tx: Tx | undefined;
      record: (tx: Tx | undefined) => Promise<void>;
    },
  ): Promise<Permit> {
    const { limits, control } = status;
    if (limits.victimsPerSecond === null && !hasCeiling(ceilingsIn(limits))) {
      await record(tx);
      return { kind: 'granted' };
    }
    const isLifted = ceilingsLifted(state, control);
    // Before the turn: a cluster may be slow.
    const size = isLifted ? {} : await this.clusterSize(run.partition, limits);
    return (tx ?? this.db.manager).transaction(async (tx): Promise<Permit> => {
      const kept = await turnOfOrders(tx, run.partition);
      if (!isLifted && hasCeiling(ceilingsIn(limits))) {
        const ceiling = ceilingReached(ceilingsIn(limits), await use(tx, run, state, limits, size), {
          partition: run.partition,
          configuration: state.planned?.configuration,
          victims: countedVictims(state),
        });
        if (ceiling) return { kind: 'ceiling', ceiling };
      }
      if (limits.victimsPerSecond !== null) {
        const wanted = isUnit ? Math.min(victims, limits.victimsPerSecond) : victims;
        const taken = takeTokens(kept, limits.victimsPerSecond, wanted);
        if (!taken.isGranted && isUnit) {
          const missing = wanted - taken.available;
          return { kind: 'fewer', victims: 0, waitMs: Math.ceil((missing * 1000) / limits.victimsPerSecond) };
        }
        if (!taken.isGranted)
          return { kind: 'fewer', victims: taken.available, waitMs: Math.max(1, taken.untilOneMs) };
        await keepTokens(tx, run.partition, taken.tokens);
      }
      await admitRun(tx, run.enforcement);
      await record(tx);
      return { kind: 'granted' };
    });
  }

  private async clusterSize(
    partition: string,
    { ceilingClusterPercent }: StatusOfControl['limits'],
  ): Promise<Resources> {
    return ceilingClusterPercent === null ? {} : this.controls.capacity(partition);
  }
}

/** The control, with what the limits of the partition permit now. */
export function withPermit(control: RunControl, permit: Permit | undefined): RunControl {
  if (permit?.kind === 'ceiling') return { ...control, ceiling: permit.ceiling };
  if (permit?.kind !== 'fewer') return control;
  return { ...control, limits: { ...control.limits, victimsAtOnce: permit.victims } };
}

const ceilingsIn = ({
  ceilingPerHour,
  ceilingPerConfiguration,
  ceilingClusterPercent,
}: StatusOfControl['limits']) => {
  return { ceilingPerHour, ceilingPerConfiguration, ceilingClusterPercent };
};

async function use(
  db: DataSource | Tx,
  { partition, enforcement }: OpenRun,
  { planned }: RunState,
  { ceilingClusterPercent }: StatusOfControl['limits'],
  clusterSize: Resources,
): Promise<CeilingUse> {
  const run = { partition, enforcement, configuration: planned?.configuration };
  const counted = await countVictims(db, run, { resources: ceilingClusterPercent !== null });
  return { ...counted, clusterSize };
}
