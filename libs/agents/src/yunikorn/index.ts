export { dumpKeys, snapshotOfDump } from './state-dump.js';
