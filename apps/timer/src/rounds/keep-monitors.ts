import { policiesInForce } from '@curtail/clusters';
import { databaseTime, type Tx } from '@curtail/event-store';
import { callOff, endOutdatedRounds, forgetClocks } from '@curtail/rounds';
import { clearTimers, setTimers, type Timer, type WakeUp } from '@curtail/timers';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { TIMER_SETTINGS, type TimerSettings } from '../timer-settings.js';
import { WakeUps } from '../wake-ups.js';
import { fairShare, monitoringIntervalMs, nextBeat, roundPolicy, roundQueue } from './monitored.js';

/** Beats of one partition, and changes of its rhythm, take turns. */
export async function lockMonitor(tx: Tx, partition: string): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('round/' || $1, 0))`, [partition]);
}

/**
 * Sets the timer of the rounds of each partition whose configuration wants them, and clears that of the others. What is in
 * force is read, not heard, so one look puts right whatever was missed.
 */
@Injectable()
export class KeepMonitors {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(WakeUps) private readonly wakeUps: WakeUps,
    @Inject(TIMER_SETTINGS) private readonly settings: TimerSettings,
  ) {}

  /**
   * Partitions that have another configuration.
   *
   * @returns the wake-ups to request once the transaction has committed.
   */
  async keep(tx: Tx, partitions: Iterable<string>): Promise<WakeUp[]> {
    const wakeUps: WakeUp[] = [];
    for (const partition of [...new Set(partitions)].sort())
      wakeUps.push(...(await keep(tx, partition, this.settings)));
    return wakeUps;
  }

  /** All partitions, at the start. */
  async keepAll(): Promise<void> {
    const rows: { partition: string }[] = await this.db.query(
      'SELECT partition FROM partitions UNION SELECT partition FROM timers WHERE kind = ANY ($1) ORDER BY partition',
      [[roundPolicy, fairShare]],
    );
    for (const { partition } of rows) {
      this.wakeUps.arm(await this.db.transaction((tx) => this.keep(tx, [partition])));
    }
  }
}

/** @returns the wake-ups to request once the transaction has committed. */
async function keep(tx: Tx, partition: string, { fairShareIntervalMs }: TimerSettings): Promise<WakeUp[]> {
  await lockMonitor(tx, partition);
  const policies = (await policiesInForce(tx, partition)).get(partition);
  const isFair = policies?.[fairShare] !== undefined;
  await endOutdatedRounds(tx, partition);
  if (!isFair) await forgetClocks(tx, partition, await databaseTime(tx));
  return [
    ...(await keepBeat(tx, partition, roundPolicy, monitoringIntervalMs(policies))),
    ...(await keepBeat(tx, partition, fairShare, isFair ? fairShareIntervalMs : undefined)),
  ];
}

async function keepBeat(
  tx: Tx,
  partition: string,
  kind: string,
  intervalMs: number | undefined,
): Promise<WakeUp[]> {
  const key = { kind, partition, name: roundQueue };
  if (intervalMs === undefined) {
    await clearTimers(tx, [key]);
    if (kind === roundPolicy) await callOff(tx, { policy: kind, partition });
    return [];
  }
  const rows: { generation: number; dueAt: Date }[] = await tx.query(
    'SELECT generation, due_at AS "dueAt" FROM timers WHERE kind = $1 AND partition = $2 AND name = $3',
    [key.kind, key.partition, key.name],
  );
  const [standing] = rows;
  // Once more: a round that was telling owners while the policy was switched off may have left notes after that.
  if (!standing && kind === roundPolicy) await callOff(tx, { policy: kind, partition });
  const now = await databaseTime(tx);
  const latest = nextBeat(now, now, intervalMs);
  // A rhythm that became quicker is not waited for as long as the slow one was.
  const isKept = standing !== undefined && standing.dueAt <= latest;
  const timer: Timer = {
    ...key,
    generation: isKept ? standing.generation : (standing?.generation ?? 0) + 1,
    dueAt: isKept ? standing.dueAt : latest,
    state: 'pending',
  };
  if (!isKept) await setTimers(tx, [timer]);
  return [timer];
}
