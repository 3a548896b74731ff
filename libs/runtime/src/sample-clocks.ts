import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { clockSkews } from '#clusters';
import type { Metrics } from '#platform';
import { RepeatedWarning } from '#platform';
import { Sampler } from './sampler.js';

const everyMs = 15_000;

/** Measures the offsets of the clocks of platform services from that of the database; the inventory's notices name them. */
export function clockSampler(db: DataSource, metrics: Metrics, log: Pick<Logger, 'warn'>): Sampler {
  const failed = new RepeatedWarning(log, 'Could not compare the clocks of platform services.');
  return new Sampler(everyMs, async () => metrics.inventory.clocksAreOff(await clockSkews(db)), failed);
}
