import { createHash } from 'node:crypto';
import { type FreezeWindow, freezeProperty, InputError } from '#contracts';
import { type GivenWindow, readWindow } from './read-window.js';

/** A freeze that a configuration sets. Its id is the same whenever the same is applied. */
export interface ConfiguredFreeze {
  freeze: string;
  /** null: the whole partition. */
  queue: string | null;
  window: FreezeWindow;
  reason: string | undefined;
}

interface QueueWithFreezes {
  path: string;
  properties?: Readonly<Record<string, unknown>> | null | undefined;
}

/**
 * A window of a configuration. It needs a begin, so that it does not depend on when it is read.
 *
 * @throws InputError whose path is the name of the field.
 */
export function readConfiguredWindow(given: GivenWindow): FreezeWindow {
  if (given.from === undefined)
    throw new InputError('from', 'it is missing: write when the freeze begins, such as 2026-12-24T18:00Z');
  return readWindow(given, 0);
}

/** The freezes that the queues of a configuration set (`curtail.freeze`), those of `root` for the whole partition. */
export function configuredFreezes(partition: string, queues: Iterable<QueueWithFreezes>): ConfiguredFreeze[] {
  const found = new Map<string, ConfiguredFreeze>();
  for (const { path, properties } of queues) {
    const written = properties?.[freezeProperty];
    if (!Array.isArray(written)) continue;
    for (const { reason, ...given } of written as (GivenWindow & { reason?: string })[]) {
      const window = readConfiguredWindow(given);
      const queue = path === 'root' ? null : path;
      const hash = createHash('sha256').update(JSON.stringify([partition, queue, window, reason ?? null]));
      const freeze = `f-${hash.digest('hex').slice(0, 12)}`;
      found.set(freeze, { freeze, queue, window, reason });
    }
  }
  return [...found.values()];
}
