export {
  addDeadlyExecution,
  addExecutions,
  type Claim,
  claimExecutions,
  endOutdatedRuns,
  type HeldExecution,
  holdOwnLock,
  keepHold,
  letGo,
  mostDeaths,
  noteApproved,
  type OpenExecution,
  removeExecutions,
  takeOverAll,
  touchExecutions,
} from './execution-table.js';
export { addPlannedVictims, dropPlannedVictims, dropVictimsOf } from './planned-victims.js';
export {
  leaseLocks,
  noteVersions,
  renewLocks,
  renewLocksOfOpen,
  type SavedClock,
  saveClocks,
  saveVersions,
} from './schedule-table.js';
