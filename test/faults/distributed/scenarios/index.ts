import type { Scenario } from '../play.js';
import { clocksSkewed } from './clock-faults.js';
import { deliveredAgain, poisoned } from './delivery-faults.js';
import { enforcementLagging } from './lag-faults.js';
import { plannersFrozen } from './lease-faults.js';
import { topicsDeleted, topicsEmptied } from './loss-faults.js';
import { inventoryLagging, reportsLost, reportsReordered, reportsStale } from './report-faults.js';
import { oneOfThree, redisFlushed, serverFaults } from './server-faults.js';
import {
  executorFrozen,
  executorLost,
  pairsKilled,
  plannerLost,
  servicesKilled,
  timerFrozen,
} from './service-faults.js';

/** All faults, in the order in which they are played. */
export const scenarios: readonly Scenario[] = [
  servicesKilled,
  pairsKilled,
  plannerLost,
  executorLost,
  executorFrozen,
  timerFrozen,
  plannersFrozen,
  enforcementLagging,
  clocksSkewed,
  ...serverFaults,
  redisFlushed,
  deliveredAgain,
  poisoned,
  topicsDeleted,
  topicsEmptied,
  inventoryLagging,
  reportsStale,
  reportsLost,
  reportsReordered,
  oneOfThree,
];

/** @throws Error that names those there are. */
export function scenarioNamed(name: string): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name);
  if (found) return found;
  throw new Error(`there is no scenario ${name}; there are: ${scenarios.map((one) => one.name).join(', ')}`);
}
