import { z } from 'zod';
import type { PolicySettings } from '#configuration';
import { InputError } from '#contracts';
import type { ReplayRequest } from '#contracts/api';
import { moment } from '#contracts/events';
import { planners } from '#planning';
import { senderField } from '#platform';

/** Targets of a replay. The number is the lock of the database that keeps two of them apart. */
export const targets = { projections: 1, digest: 2, shadow: 3, kafka: 4, archive: 5 } as const;
export type ReplayTarget = keyof typeof targets;

const range = {
  from: moment.optional().describe('Plans or events recorded at this time or later.'),
  to: moment.optional().describe('Plans or events recorded before this time.'),
};
const caller = {
  by: senderField(),
  restart: z.boolean().default(false).describe('Start from the beginning, not where an earlier one stopped.'),
};

export const replayBody = z.strictObject({
  into: z.enum(['projections', 'digest', 'shadow']),
  ...range,
  settings: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('For a shadow: settings that replace recorded ones.'),
  ...caller,
});

export const republishBody = z.strictObject({
  topic: z.string().max(249),
  ...range,
  dryRun: z.boolean().default(false).describe('Only count the events; send nothing.'),
  ...caller,
});

/** @throws InputError that names a field that does not apply to the target. */
export function requestOf({ into, from, to, settings }: z.infer<typeof replayBody>): ReplayRequest {
  if (into === 'projections') {
    for (const [field, value] of Object.entries({ from, to })) {
      if (value === undefined) continue;
      throw new InputError(field, 'projections are made from the whole log; leave from and to out');
    }
  }
  if (into !== 'shadow' && settings !== undefined) {
    throw new InputError('settings', 'settings belong to a shadow; leave them out, or replay into shadow');
  }
  if (into === 'shadow') {
    if (settings === undefined || Object.keys(settings).length === 0) {
      throw new InputError('settings', 'a shadow needs the settings to plan with, such as {"fit":"within"}');
    }
    checkReplaySettings(settings);
  }
  return { ...rangeOf(from, to), ...(settings ? { settings } : {}) };
}

/** @throws InputError for an empty range. */
export function rangeOf(
  from: string | undefined,
  to: string | undefined,
): Pick<ReplayRequest, 'from' | 'to'> {
  if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to)) {
    throw new InputError('to', 'to is not after from: the range is empty');
  }
  return { ...(from ? { from } : {}), ...(to ? { to } : {}) };
}

/** Picks the settings that this policy has. */
export function settingsOf(policy: string, settings: PolicySettings): PolicySettings {
  const known = planners.find(policy)?.readSomeSettings({}) ?? {};
  return Object.fromEntries(Object.entries(settings).filter(([name]) => Object.hasOwn(known, name)));
}

/**
 * Checks settings for a log with plans of any policy: each must be a setting of at least one policy, with a value valid
 * there. A contradiction to a recorded setting shows when the plan is made.
 *
 * @throws InputError with the path `settings.<name>`
 */
export function checkReplaySettings(settings: PolicySettings): void {
  const known = new Set<string>();
  for (const policy of planners) {
    const ofPolicy = settingsOf(policy.name, settings);
    // The recorded settings below them are not known yet.
    policy.readSomeSettings(ofPolicy);
    for (const name of Object.keys(ofPolicy)) known.add(name);
  }
  const unknown = Object.keys(settings).find((name) => !known.has(name));
  if (unknown === undefined) return;
  throw new InputError(
    `settings.${unknown}`,
    `no policy has a setting ${unknown}; docs/reference/snapshot.md lists those of each under "Settings"`,
  );
}
