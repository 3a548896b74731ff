import {
  InputError,
  type Policy,
  readFairShareSettings,
  readIntraQueueSettings,
  readSettings,
} from '@curtail/contracts';

type Settings = Record<string, unknown>;

/** Each checks what is given of its settings; what lies below them, the recorded ones, is not known yet. */
const readers: Record<Policy, (given: Settings) => object> = {
  'quota-decrease': readSettings,
  'intra-queue': readIntraQueueSettings,
  'fair-share': (given) => readFairShareSettings({ ...leastContradicting(given), ...given }),
};

const names = new Map(
  Object.entries(readers).map(([policy, read]) => [policy, new Set(Object.keys(read({})))]),
);

/** Of settings for plans of any policy those that this one has. */
export function settingsOf(policy: string, settings: Settings): Settings {
  const known = names.get(policy);
  return Object.fromEntries(Object.entries(settings).filter(([name]) => known?.has(name)));
}

/**
 * Checks settings for a log with plans of any policy: each is a setting of one of them at least, and has a value that it can
 * have there. What contradicts a recorded setting is found when the plan is made.
 *
 * @throws InputError with the path `settings.<name>`
 */
export function checkSettings(settings: Settings): void {
  for (const [policy, read] of Object.entries(readers)) read(settingsOf(policy, settings));
  const unknown = Object.keys(settings).find((name) => ![...names.values()].some((known) => known.has(name)));
  if (unknown === undefined) return;
  throw new InputError(
    `settings.${unknown}`,
    `no policy has a setting ${unknown}; docs/reference/snapshot.md lists those of each under "Settings"`,
  );
}

/** Values that go with any other one given: the default of one setting may contradict it, the recorded one need not. */
function leastContradicting({ fairShareStarvationTimeout = 0 }: Settings): Settings {
  return {
    fairShareStarvationTimeout: 0,
    fairShareAggressiveStarvationTimeout: fairShareStarvationTimeout,
    preemptionSatisfactionThreshold: Number.MAX_VALUE,
    aggressivePreemptionSatisfactionThreshold: 0,
  };
}
