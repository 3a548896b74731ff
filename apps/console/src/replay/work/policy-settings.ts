import type { PolicySettings } from '#configuration';
import { InputError } from '#contracts';
import { planners } from '#planning';

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
export function checkSettings(settings: PolicySettings): void {
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
