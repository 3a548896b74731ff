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
export { admitRun, countVictims, keepTokens, turnOfOrders } from './partition-limits.js';
export { addPlannedVictims, countedFor, dropPlannedVictims, dropVictimsOf } from './planned-victims.js';
export { trimRecentVictims, turnOfOwnerBudgets } from './recent-victims.js';
export {
  leaseLocks,
  noteVersions,
  renewLocks,
  renewLocksOfOpen,
  type SavedClock,
  saveClocks,
  saveVersions,
} from './schedule-table.js';
export {
  forgetLimits,
  type LimitedService,
  noteLimitEveryMs,
  noteLimits,
  observingServices,
} from './service-limits.js';
