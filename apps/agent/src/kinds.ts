import type { WatchedKind } from '#runtime';
import { watchKubernetes } from './kubernetes/watch-kubernetes.js';
import type { Watched, WatchingOptions } from './watching/watched.js';
import { watchYarn } from './yarn/watch-yarn.js';
import { watchYtsaurus } from './ytsaurus/watch-ytsaurus.js';

/** How an agent in its own process watches a cluster of each kind. */
export const kinds: Record<WatchedKind, (options: WatchingOptions) => Watched | Promise<Watched>> = {
  kubernetes: watchKubernetes,
  yarn: watchYarn,
  ytsaurus: watchYtsaurus,
};
