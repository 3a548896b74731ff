import type { PolicySettings } from '@curtail/configuration';
import { InputError, readIntraQueueSettings } from '@curtail/contracts';

/** How often rounds begin, in milliseconds; undefined if the configuration does not name the policy, or switches it off. */
export function monitoringIntervalMs(settings: PolicySettings | undefined): number | undefined {
  if (settings === undefined) return undefined;
  try {
    const { enabled, monitoringInterval } = readIntraQueueSettings(settings);
    return enabled ? monitoringInterval : undefined;
  } catch (error) {
    // They were judged when they were saved, perhaps by a version that knew others. What cannot be read starts nothing.
    if (!(error instanceof InputError)) throw error;
    return undefined;
  }
}
