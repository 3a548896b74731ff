import { Counter, Histogram, type Registry } from 'prom-client';
import { LabelBound } from './label-bound.js';

const planBuckets = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What happens to runs and their victims. */
export function runMetrics(registers: Registry[]) {
  const codes = new LabelBound(200);
  const enforcements = new Counter({
    name: 'curtail_enforcements_total',
    help: 'Enforcements that ended, by policy and outcome.',
    labelNames: ['policy', 'outcome'],
    registers,
  });
  const victims = new Counter({
    name: 'curtail_victims_total',
    help: 'Victims of plans, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const evictionsRefused = new Counter({
    name: 'curtail_evictions_refused_total',
    help: 'Evictions that the cluster or a rule of the run refused.',
    registers,
  });
  const preemptions = new Counter({
    name: 'curtail_preemptions_total',
    help: 'Evicted allocations whose plan named a cause, by cause.',
    labelNames: ['cause'],
    registers,
  });
  const notices = new Counter({
    name: 'curtail_notices_total',
    help: 'Notices, by code.',
    labelNames: ['code'],
    registers,
  });
  const planSeconds = new Histogram({
    name: 'curtail_plan_seconds',
    help: 'Time to read a snapshot and make a plan.',
    buckets: planBuckets,
    registers,
  });
  return {
    /** Reading the snapshot and planning, seconds. */
    planSeconds,
    ended(policy: string, outcome: string): void {
      enforcements.inc({ policy, outcome });
    },
    victimEnded(outcome: 'evicted' | 'gone' | 'spared' | 'failed' | 'notified' | 'forgotten'): void {
      victims.inc({ outcome });
    },
    preempted(cause: string): void {
      preemptions.inc({ cause });
    },
    evictionRefused(): void {
      evictionsRefused.inc();
    },
    noticeGiven(code: string): void {
      notices.inc({ code: codes.of(code) });
    },
  };
}
