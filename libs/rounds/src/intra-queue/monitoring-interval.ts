import type { PolicySettings } from '#configuration';
import { InputError, readIntraQueueSettings } from '#contracts';

/** The interval of rounds in milliseconds; undefined if the configuration does not name the policy, or switches it off. */
export function monitoringIntervalMs(settings: PolicySettings | undefined): number | undefined {
  if (settings === undefined) return undefined;
  try {
    const { enabled, monitoringInterval } = readIntraQueueSettings(settings);
    return enabled ? monitoringInterval : undefined;
  } catch (error) {
    // The settings were validated when they were saved, perhaps by another version. Unreadable ones start no rounds.
    if (!(error instanceof InputError)) throw error;
    return undefined;
  }
}
