export {
  type DumpDifference,
  dumpKeys,
  type QueueOfDump,
  readStateDump,
  type StateDump,
  withUnlisted,
} from './state-dump.js';
