import { Counter, Gauge, type Registry } from 'prom-client';
import { LabelBound } from './label-bound.js';

/** What waits, and what may have it wait. */
export function waitingMetrics(registers: Registry[]) {
  const partitions = new LabelBound(200);
  const awaitingApproval = new Gauge({
    name: 'curtail_runs_waiting_for_approval',
    help: 'Runs that wait for an operator because of the number of their victims, by partition.',
    labelNames: ['partition'],
    registers,
  });
  const ceilings = new Gauge({
    name: 'curtail_ceiling_used_ratio',
    help: 'Used part of a ceiling of a partition, by ceiling: hour, configuration (the version with the most victims whose runs are not over) or cluster; 1 is the limit. Absent where no ceiling is set.',
    labelNames: ['partition', 'ceiling'],
    registers,
  });
  const waiting = new Gauge({
    name: 'curtail_waiting',
    help: 'Clocks and runs that wait, by the code of the reason.',
    labelNames: ['reason'],
    registers,
  });
  return {
    runsAwaitApproval(runs: ReadonlyMap<string, number>): void {
      awaitingApproval.reset();
      for (const [partition, count] of runs) {
        awaitingApproval.set({ partition: partitions.of(partition) }, count);
      }
    },
    ceilingsUsed(shares: readonly { partition: string; ceiling: string; share: number }[]): void {
      ceilings.reset();
      for (const { partition, ceiling, share } of shares) {
        ceilings.set({ partition: partitions.of(partition), ceiling }, share);
      }
    },
    waits(counts: ReadonlyMap<string, number>): void {
      waiting.reset();
      for (const [reason, count] of counts) waiting.set({ reason }, count);
    },
  };
}

/** Messages to the webhook. */
export function webhookMetrics(registers: Registry[]) {
  const attempts = new Counter({
    name: 'curtail_webhook_attempts_total',
    help: 'Attempts to deliver a message to the webhook, by result: delivered, retried (it failed and is repeated) or dead (it was the last).',
    labelNames: ['result'],
    registers,
  });
  const undelivered = new Gauge({
    name: 'curtail_webhook_pending_messages',
    help: 'Messages to the webhook that are not delivered yet.',
    registers,
  });
  return {
    attempted(result: 'delivered' | 'retried' | 'dead'): void {
      attempts.inc({ result });
    },
    pending(messages: number): void {
      undelivered.set(messages);
    },
  };
}
