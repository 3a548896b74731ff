import { Counter, Histogram, type Registry } from 'prom-client';

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
