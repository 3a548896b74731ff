import { chainFromRoot } from '../queue-path.js';
import type { QuotaDecreaseSettings } from './settings.js';

/** The properties of a queue that set a setting of plans for it and all below it. docs/reference/configuration.md, "Settings of a queue" */
export const queueSettings = { miss: 'curtail.miss', fit: 'curtail.fit' } as const;

type SetByQueues = Pick<QuotaDecreaseSettings, keyof typeof queueSettings>;

/**
 * The settings of a plan for a queue: of the queue, else of the nearest queue above that sets them, else those of the installation.
 * Without such properties they are those of the installation, unchanged.
 *
 * @param queues at least the queue and those above it, with their properties.
 */
export function settingsOfQueue<S extends SetByQueues>(
  installation: S,
  queues: readonly { path: string; properties?: Readonly<Record<string, unknown>> | null }[],
  queue: string,
): S {
  const chain = new Set(chainFromRoot(queue));
  const above = queues
    .filter(({ path, properties }) => properties && chain.has(path))
    .sort((a, b) => a.path.length - b.path.length);
  const found: SetByQueues = {};
  for (const { properties } of above) {
    for (const [setting, property] of Object.entries(queueSettings)) {
      const value = properties?.[property];
      // Plans check what they are given: a snapshot may have properties that no configuration has.
      if (value !== undefined && value !== null) Object.assign(found, { [setting]: value });
    }
  }
  return { ...installation, ...found };
}
