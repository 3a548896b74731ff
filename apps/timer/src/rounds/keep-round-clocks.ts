import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { configuredPartitions, policiesInForce } from '#clusters';
import type { PartitionPolicies } from '#configuration';
import { databaseTime, type Tx } from '#event-store';
import { endOutdatedRounds, lockRounds, type RoundPolicy, roundPolicies } from '#rounds';
import { clearTimers, findTimer, partitionsWithTimers, setTimers, type Timer, type WakeUp } from '#timers';
import { TIMER_SETTINGS, type TimerSettings } from '../settings/timer-settings.js';
import { WakeUps } from '../wake-ups/wake-ups.js';
import { nextRoundAt } from './next-round.js';

/** A round covers all queues: its timer, its run and its events belong to this one. */
const roundQueue = 'root';

/** The current interval of the rounds of a policy in a partition; undefined: it has none. */
export async function intervalInForce(
  tx: Tx,
  policy: RoundPolicy,
  partition: string,
  { usualIntervalMs }: TimerSettings,
): Promise<number | undefined> {
  const inForce = (await policiesInForce(tx, partition)).get(partition);
  return policy.intervalMs(inForce?.[policy.name], usualIntervalMs);
}

/**
 * Sets the timers of the rounds of each partition whose configuration has rounds, and clears those of the others. The
 * configuration in force is read from the database, so one check corrects anything that was missed.
 */
@Injectable()
export class KeepRoundClocks {
  constructor(
    private readonly db: DataSource,
    private readonly wakeUps: WakeUps,
    @Inject(TIMER_SETTINGS) private readonly settings: TimerSettings,
  ) {}

  /**
   * Updates partitions with a new configuration.
   *
   * @returns the wake-ups to request once the transaction has committed.
   */
  async keep(tx: Tx, partitions: Iterable<string>): Promise<WakeUp[]> {
    const wakeUps: WakeUp[] = [];
    for (const partition of [...new Set(partitions)].sort())
      wakeUps.push(...(await keep(tx, partition, this.settings)));
    return wakeUps;
  }

  /** Those of the partitions with a new configuration that `keep` has to update. */
  changed(partitions: readonly string[]): Promise<string[]> {
    return changedRounds(this.db, partitions, this.settings.usualIntervalMs);
  }

  /** Updates all partitions, at the start. */
  async keepAll(): Promise<void> {
    const partitions = [
      ...(await configuredPartitions(this.db)),
      ...(await partitionsWithTimers(this.db, roundPolicies.names)),
    ];
    for (const partition of [...new Set(partitions)].sort()) {
      this.wakeUps.arm(await this.db.transaction((tx) => this.keep(tx, [partition])));
    }
  }
}

/** @returns the wake-ups to request once the transaction has committed. */
async function keep(tx: Tx, partition: string, settings: TimerSettings): Promise<WakeUp[]> {
  await lockRounds(tx, partition);
  const policies = (await policiesInForce(tx, partition)).get(partition);
  await endOutdatedRounds(tx, partition);
  const wakeUps: WakeUp[] = [];
  for (const policy of roundPolicies)
    wakeUps.push(...(await keepTimer(tx, partition, policy, policies, settings)));
  return wakeUps;
}

async function keepTimer(
  tx: Tx,
  partition: string,
  policy: RoundPolicy,
  policies: PartitionPolicies | undefined,
  { usualIntervalMs }: TimerSettings,
): Promise<WakeUp[]> {
  const intervalMs = policy.intervalMs(policies?.[policy.name], usualIntervalMs);
  const key = { kind: policy.name, partition, name: roundQueue };
  if (intervalMs === undefined) {
    await clearTimers(tx, [key]);
    await policy.switchedOff?.(tx, partition, await databaseTime(tx));
    return [];
  }
  const before = await findTimer(tx, key);
  if (!before) await policy.switchedOn?.(tx, partition);
  const now = await databaseTime(tx);
  const latest = nextRoundAt(now, now, intervalMs);
  // A shortened interval takes effect without waiting for the end of the long one.
  const isKept = before !== undefined && before.dueAt <= latest;
  const timer: Timer = {
    ...key,
    generation: isKept ? before.generation : (before?.generation ?? 0) + 1,
    dueAt: isKept ? before.dueAt : latest,
    state: 'pending',
  };
  if (!isKept) await setTimers(tx, [timer]);
  return [timer];
}

interface RoundClocks {
  partition: string;
  policies: PartitionPolicies;
  /** By policy. */
  timers: Record<string, string>;
  /** A round, or a run that outlived its round: a change of settings ends it. */
  underWay: boolean;
  now: Date;
}

/** $1 partitions, $2 the policies that plan in rounds. */
const ROUND_CLOCKS = `
  SELECT wanted.partition, coalesce(p.policies, '{}') AS policies, clock_timestamp() AS now,
         (SELECT coalesce(json_object_agg(t.kind, t.due_at), '{}') FROM timers t
          WHERE t.partition = wanted.partition AND t.kind = ANY ($2::text[])) AS timers,
         EXISTS (SELECT FROM rounds r WHERE r.partition = wanted.partition AND r.state <> 'over')
           OR EXISTS (SELECT FROM runs WHERE runs.partition = wanted.partition AND own_lock) AS "underWay"
  FROM unnest($1::text[]) AS wanted (partition) LEFT JOIN partitions p ON p.partition = wanted.partition`;

/**
 * Those of the partitions whose configuration in force changes their rounds, with one statement for all: most configurations change
 * quotas alone. It takes no locks, so a partition is among them also where another process may be about to change its rounds.
 */
async function changedRounds(
  db: DataSource,
  partitions: readonly string[],
  usualIntervalMs: number,
): Promise<string[]> {
  if (partitions.length === 0) return [];
  const rows = await db.query<RoundClocks[]>(ROUND_CLOCKS, [
    [...new Set(partitions)],
    [...roundPolicies.names],
  ]);
  return rows.filter((row) => !areKept(row, usualIntervalMs)).map(({ partition }) => partition);
}

function areKept({ policies, timers, underWay, now }: RoundClocks, usualIntervalMs: number): boolean {
  if (underWay) return false;
  return [...roundPolicies].every((policy) => {
    const intervalMs = policy.intervalMs(policies[policy.name], usualIntervalMs);
    const timer = timers[policy.name];
    if (intervalMs === undefined || timer === undefined)
      return intervalMs === undefined && timer === undefined;
    const dueAt = new Date(timer);
    // One that is due is about to be set again.
    return dueAt > now && dueAt <= nextRoundAt(now, now, intervalMs);
  });
}
