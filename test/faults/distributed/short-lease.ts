import { setTimeout as delay } from 'node:timers/promises';
import { withConstants } from '../../support/with-constants.js';
import type { Stage } from './stage.js';

/** A run without a sign of life is given up after this and half of it. */
const leaseSeconds = 5;
/** Within this the lease of a run that no one carries on is over, that is noticed, and the next run has begun. */
const beyondLeaseMs = 2 * leaseSeconds * 1000;

/**
 * Does something while leases are short; afterwards they are as usual again.
 *
 * @param more services that are restarted with those who give and renew leases.
 * @param environment further settings of all of these.
 */
export async function withShortLeases(
  { fleet }: Stage,
  { more = [], environment = {} }: { more?: string[]; environment?: Record<string, string> },
  work: () => Promise<void>,
): Promise<void> {
  const names = [...fleet.names('timer'), ...fleet.names('executor'), ...more];
  await fleet.restart(names, {
    ...environment,
    ...withConstants({ leaseSeconds }, environment.NODE_OPTIONS),
  });
  await work().finally(() => fleet.restart(names));
}

/** Resolves when runs have lost their lock for want of a sign of life, and others of the same queues have begun. */
export async function leasesEnd(stage: Stage, least: number): Promise<void> {
  const given = `FROM events WHERE type = 'io.curtail.enforcement.released.v1' AND data ->> 'cause' = 'lease-ended'`;
  const [before] = await stage.ask<{ count: number }>(`SELECT count(*)::int ${given}`);
  await delay(beyondLeaseMs);
  await stage.until(
    `${least} runs are given up`,
    `SELECT count(*) >= ${(before?.count ?? 0) + least} ${given}`,
  );
}
