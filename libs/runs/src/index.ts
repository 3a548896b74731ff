export {
  leaseLocks,
  noteVersions,
  renewLocks,
  renewLocksOfOpen,
  type SavedClock,
  saveClocks,
  saveVersions,
} from './clock-table.js';
export {
  admitRun,
  countVictims,
  forgetLimits,
  keepTokens,
  type LimitedService,
  noteLimitEveryMs,
  noteLimits,
  observingServices,
  turnOfOrders,
} from './limits.js';
export { LOCK_IN_FORCE } from './lock-in-force.js';
export {
  addCrashingRun,
  addRuns,
  type Claim,
  claimRuns,
  endOutdatedRuns,
  type HeldRun,
  holdOwnLock,
  keepHold,
  mostDeaths,
  type NewRun,
  noteApproved,
  type OpenRun,
  releaseRun,
  removeRuns,
  takeOverAll,
  touchRuns,
} from './open-run-table.js';
export {
  addPlannedVictims,
  countedFor,
  countOfOthers,
  dropPlannedVictims,
  dropVictimsOf,
  leavingByOthers,
  trimRecentVictims,
  turnOfOwnerBudgets,
} from './victim-tables.js';
