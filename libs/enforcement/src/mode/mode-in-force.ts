/** observe: plans are made and recorded, and nothing is evicted; enforce: victims are evicted. */
export type Mode = 'observe' | 'enforce';

/** What the settings of a process say about modes. */
export interface ModeSettings {
  /**
   * CURTAIL_MODE. observe: the upper limit for all that this process does, whatever mode is set for a partition. enforce is no limit,
   * and neither is an absent one.
   */
  mode?: Mode | undefined;
  /** CURTAIL_DEFAULT_MODE: of partitions for which none was set. */
  defaultMode: Mode;
}

/** The mode that counts for a partition, and why it does. */
export interface ModeInForce {
  mode: Mode;
  /** limit: the setting of the process; set: an operator set it for the partition; default: none was set. */
  because: 'limit' | 'set' | 'default';
}

/** Whether a process evicts nothing, whatever mode is set for a partition. */
export const isLimitedToObserve = ({ mode }: Pick<ModeSettings, 'mode'>): boolean => mode === 'observe';

/**
 * The mode of a partition in a process. Every decision about modes is this one: of plans, rounds, clocks, runs and answers, and of the
 * last check before an eviction.
 *
 * @param stored the mode that was set for the partition; null: none.
 */
export function modeInForce(stored: Mode | null, settings: ModeSettings): ModeInForce {
  if (isLimitedToObserve(settings)) return { mode: 'observe', because: 'limit' };
  if (stored !== null) return { mode: stored, because: 'set' };
  return { mode: settings.defaultMode, because: 'default' };
}

/** Why a partition is observed, without a full stop. */
export function whyObserved({ because }: Pick<ModeInForce, 'because'>, partition?: string): string {
  if (because === 'limit')
    return 'Curtail only observes, whatever mode the partition has (CURTAIL_MODE=observe)';
  return partition === undefined
    ? 'The partition is only observed'
    : `Partition ${partition} is only observed`;
}
