import { propertyOf, type QueueSetting, queueSettings } from '#contracts';
import type { SettingView } from '#contracts/api';

/** A setting that an operator has set for one queue. */
export interface SettingOverride {
  setting: string;
  value: unknown;
  by: string;
  reason: string | null;
  /** RFC 3339, UTC. */
  at: string;
}

/** A queue of a chain: its properties in the configuration in force, and what operators have set in their place. */
export interface QueueOfChain {
  path: string;
  properties: Readonly<Record<string, unknown>> | null;
  overrides: readonly SettingOverride[];
}

/** The values that hold where no queue has another. */
export type InstallationSettings = Readonly<Record<QueueSetting, Pick<SettingView, 'value' | 'from'>>>;

/**
 * Every setting in force for the last queue of a chain, and where it comes from: the nearest queue that has it, of one queue its override before its
 * property, else the installation. What queues protect adds up. docs/reference/configuration.md, "Settings of a queue"
 *
 * @param chain from root to the queue.
 */
export function effectiveSettings(
  chain: readonly QueueOfChain[],
  installation: InstallationSettings,
): SettingView[] {
  const nearestFirst = chain.toReversed();
  return queueSettings.flatMap((setting) => {
    const set = nearestFirst.flatMap((queue) => ofQueue(queue, setting) ?? []);
    const fallback: SettingView = { setting, ...installation[setting] };
    if (setting !== 'protect') return set[0] ?? fallback;
    const protecting = [...set, fallback].filter(({ value }) => value !== false);
    return protecting.length > 0 ? protecting : fallback;
  });
}

function ofQueue(
  { path, properties, overrides }: QueueOfChain,
  setting: QueueSetting,
): SettingView | undefined {
  const override = overrides.find((set) => set.setting === setting);
  if (override) {
    const { value, by, reason, at } = override;
    const who = { by, ...(reason !== null && { reason }), at };
    return { setting, value, from: 'override', queue: path, ...who };
  }
  const value = properties?.[propertyOf(setting)];
  return value === undefined || value === null
    ? undefined
    : { setting, value, from: 'configuration', queue: path };
}
