import { firstOf } from '#contracts';
import { isLimitedToObserve, type ModeSettings, modeInForce } from '#enforcement';
import type { PartitionMode } from '#holds';

const mostNamed = 5;

/** What a start says about modes. */
export interface ModesAtStart {
  /** In the first line of the banner. */
  shown: string;
  /** Which partitions differ from that, and whether their modes count. */
  sentences: string[];
  /** How to evict; undefined: victims are evicted. */
  next: string | undefined;
}

/** The modes that count, as a start shows them: one line must not hide that a partition is enforced, or that its mode does not count. */
export function modesAtStart(stored: readonly PartitionMode[], settings: ModeSettings): ModesAtStart {
  const { mode } = modeInForce(null, settings);
  const others = stored.filter((one) => one.mode !== mode).map(({ partition }) => partition);
  const named = `${others.length === 1 ? 'partition' : 'partitions'} ${firstOf(others, mostNamed)}`;
  if (isLimitedToObserve(settings)) {
    const one = `The mode enforce of ${named} does not count: --mode observe (CURTAIL_MODE) overrides it, and nothing is evicted.`;
    return {
      shown: 'observe',
      sentences: others.length === 0 ? [] : [one],
      next: 'Nothing is evicted; start it without --mode observe to evict.',
    };
  }
  if (mode === 'observe') {
    return {
      shown: 'observe by default',
      sentences:
        others.length === 0 ? [] : [`Victims are evicted in ${named}: the mode enforce is set there.`],
      next:
        others.length === 0
          ? 'Nothing is evicted yet; to evict: curtail mode enforce, or start with --mode enforce.'
          : undefined,
    };
  }
  const one = `Nothing is evicted in ${named}: the mode observe is set there.`;
  return { shown: 'enforce', sentences: others.length === 0 ? [] : [one], next: undefined };
}
