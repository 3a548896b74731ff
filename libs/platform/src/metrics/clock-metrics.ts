import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { LabelBound } from './label-bound.js';

/** From one millisecond to ten seconds, dense around the target of 20 ms. */
const latenessBuckets = [
  0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.2, 0.5, 1, 2, 5, 10,
];

/** Clocks of queues, their timers, and what the timer corrects. */
export function clockMetrics(registers: Registry[]) {
  const partitions = new LabelBound(200);
  const own = new Map<string, Gauge>();
  const timersPending = new Gauge({
    name: 'curtail_timers_pending',
    help: 'Pending timers.',
    registers,
  });
  const timerLateness = new Histogram({
    name: 'curtail_timer_lateness_seconds',
    help: 'Time from when a timer was due to the start of its enforcement.',
    buckets: latenessBuckets,
    registers,
  });
  const reconciliations = new Counter({
    name: 'curtail_reconciled_total',
    help: 'Differences between desired and actual state that the reconciler corrected, by kind: change, end, timer, suspension, freeze, lease or share.',
    labelNames: ['what'],
    registers,
  });
  const sweepFailures = new Counter({
    name: 'curtail_sweep_failures_total',
    help: 'Steps of the sweep of the timer that failed in a partition and are retried, by step: clocks, sizes, leases, counts, or the policy whose rounds were to begin. The partition is empty where the step failed as a whole.',
    labelNames: ['step', 'partition'],
    registers,
  });
  const notMet = new Gauge({
    name: 'curtail_quotas_not_met',
    help: 'Queues above their quota without a scheduled enforcement and without a valid reason, by partition.',
    labelNames: ['partition'],
    registers,
  });
  return {
    /** Timers that are set and not yet due. */
    timersPending,
    /** From the due time to the start of the run, seconds. */
    timerLateness,
    reconciled(
      what: 'change' | 'end' | 'timer' | 'suspension' | 'freeze' | 'lease' | 'share',
      count: number,
    ): void {
      reconciliations.inc({ what }, count);
    },
    sweepFailed(step: string, partition: string | undefined): void {
      sweepFailures.inc({ step, partition: partition === undefined ? '' : partitions.of(partition) });
    },
    quotasNotMet(partition: string, queues: number): void {
      notMet.set({ partition: partitions.of(partition) }, queues);
    },
    /** Sets a gauge that a policy defines; the first call registers it. */
    setOwn(
      { name, help, labels }: { name: string; help: string; labels: readonly string[] },
      values: readonly { labels: Readonly<Record<string, string>>; value: number }[],
    ): void {
      let gauge = own.get(name);
      if (!gauge) {
        gauge = new Gauge({ name, help, labelNames: labels, registers });
        own.set(name, gauge);
      }
      for (const { labels, value } of values) gauge.set(labels, value);
    },
  };
}

const planBuckets = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Rounds of policies that plan at a steady interval. */
export function roundMetrics(registers: Registry[]) {
  const rounds = new Counter({
    name: 'curtail_rounds_total',
    help: 'Rounds that were planned, by policy and result: recorded, unchanged or failed.',
    labelNames: ['policy', 'result'],
    registers,
  });
  const roundsSkipped = new Counter({
    name: 'curtail_rounds_skipped_total',
    help: 'Rounds that were skipped because the previous one was still in progress.',
    labelNames: ['policy'],
    registers,
  });
  const round = new Histogram({
    name: 'curtail_round_seconds',
    help: 'Time from when a round was due until it was planned.',
    labelNames: ['policy'],
    buckets: planBuckets,
    registers,
  });
  return {
    planned(policy: string, result: 'recorded' | 'unchanged' | 'failed', seconds: number): void {
      rounds.inc({ policy, result });
      round.observe({ policy }, seconds);
    },
    skipped(policy: string): void {
      roundsSkipped.inc({ policy });
    },
  };
}
