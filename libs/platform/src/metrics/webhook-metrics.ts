import { Counter, Gauge, type Registry } from 'prom-client';

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
