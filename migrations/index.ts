import { EventStore1764200001000 } from './1764200001000-event-store.js';
import { Messaging1764200002000 } from './1764200002000-messaging.js';
import { Timers1764200003000 } from './1764200003000-timers.js';
import { Configurations1764200004000 } from './1764200004000-configurations.js';
import { Clusters1764200005000 } from './1764200005000-clusters.js';
import { Rounds1764200006000 } from './1764200006000-rounds.js';
import { Runs1764200007000 } from './1764200007000-runs.js';
import { Holds1764200008000 } from './1764200008000-holds.js';
import { Foresights1764200009000 } from './1764200009000-foresights.js';
import { Console1764200010000 } from './1764200010000-console.js';
import { Departures1764200011000 } from './1764200011000-departures.js';
import { LogChain1764200017000 } from './1764200017000-log-chain.js';
import { PlannedWork1764200020000 } from './1764200020000-planned-work.js';

/** All migrations, oldest first. They are named here one by one, so that a build needs no search through folders. */
export const migrations = [
  EventStore1764200001000,
  Messaging1764200002000,
  Timers1764200003000,
  Configurations1764200004000,
  Clusters1764200005000,
  Rounds1764200006000,
  Runs1764200007000,
  Holds1764200008000,
  Foresights1764200009000,
  Console1764200010000,
  Departures1764200011000,
  LogChain1764200017000,
  PlannedWork1764200020000,
];
