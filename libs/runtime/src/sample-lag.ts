import type { Logger } from 'pino';
import type { EventBus } from '#messaging';
import type { Metrics } from '#platform';
import { RepeatedWarning } from '#platform';
import { Sampler } from './sampler.js';

/** A sample takes some requests to the brokers for each topic; metrics are collected less often. */
const everyMs = 15_000;

/**
 * Measures values that no event reports: how far the consumers of this process are behind, and where they wait for a
 * newer release.
 */
export function lagSampler(bus: EventBus, metrics: Metrics, log: Pick<Logger, 'warn'>): Sampler {
  const sample = async () => {
    const waiting = bus.waiting();
    for (const { name, ...behind } of await bus.status()) {
      metrics.consumers.isBehind(name, behind);
      metrics.consumers.waitsAt(name, waiting.filter(({ consumer }) => consumer === name).length);
    }
  };
  const failed = new RepeatedWarning(
    log,
    'Could not measure the lag of consumers; its gauge keeps its last values.',
  );
  return new Sampler(everyMs, sample, failed);
}
