import { delaysAreServed, dueTimesHold, everyDecreaseIsRecorded, everyRunEndsOnce } from './clock-checks.js';
import { decreasesConverge } from './convergence-checks.js';
import type { History } from './history.js';
import {
  eventsTakeEffectOnce,
  fencingTokensGrow,
  nothingIsLeftOver,
  shownAsRecorded,
  streamsHaveNoGaps,
} from './log-checks.js';
import { lostRunsCountForNothing } from './lost-runs-check.js';
import {
  everyVictimHasOneOutcome,
  floorsHold,
  killsAreRecordedOnce,
  killsHappenWithinTheirRun,
  rateHolds,
} from './victim-checks.js';

/** Checks that hold for every history, whatever happened to the process meanwhile. Each returns its findings, in sentences. */
export const checks = {
  everyDecreaseIsRecorded,
  everyRunEndsOnce,
  dueTimesHold,
  delaysAreServed,
  everyVictimHasOneOutcome,
  killsAreRecordedOnce,
  killsHappenWithinTheirRun,
  rateHolds,
  floorsHold,
  decreasesConverge,
  lostRunsCountForNothing,
  streamsHaveNoGaps,
  eventsTakeEffectOnce,
  fencingTokensGrow,
  nothingIsLeftOver,
  shownAsRecorded,
};

/** All that is wrong with a history, with the check that found it; empty if nothing is. */
export function audit(history: History): string[] {
  return Object.entries(checks).flatMap(([name, check]) =>
    check(history).map((finding) => `${name}: ${finding}`),
  );
}
