import { configurations } from './configurations.js';
import { enforcements, victims } from './enforcements.js';
import { feeds } from './feeds.js';
import { foreseen } from './foreseen.js';
import { freezes } from './freezes.js';
import { allocations, events, notices } from './lists.js';
import type { Noun } from './nouns.js';
import { partitions, stops } from './partitions.js';
import { plans } from './plans.js';
import { operations, pools } from './pools.js';
import { queues } from './queues.js';
import { replays } from './replays.js';
import type { ResourceKind } from './resource-kind.js';
import { rounds } from './rounds.js';
import { timers } from './timers.js';

/** Everything that `curtail get` lists, by its word on the command line. */
export const resourceKinds: Record<Noun, ResourceKind<unknown>> = {
  queues,
  partitions,
  stops,
  freezes,
  timers,
  foreseen,
  rounds,
  pools,
  operations,
  enforcements,
  plans,
  events,
  allocations,
  victims,
  notices,
  replays,
  configurations,
  feeds,
};
