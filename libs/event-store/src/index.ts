export { AnswerWatch } from './answer-watch.js';
export {
  append,
  appendAlone,
  appendNext,
  appendNextToEach,
  type StreamAppend,
  StreamConflict,
} from './append.js';
export { type ArchiveManifest, DamagedArchive } from './archive/format.js';
export {
  archivedBefore,
  detachPartition,
  dropPartition,
  endOfPartition,
  forgetIds,
  type LogPartition,
  logPartitions,
  moveOn,
  noteEnd,
  noteWritten,
} from './archive/log-partitions.js';
export { LogWithArchives, MissingArchive } from './archive/log-with-archives.js';
export {
  type ArchivedEvent,
  assertDigest,
  isBefore,
  readArchive,
  readManifest,
  readManifests,
  verifyArchive,
} from './archive/read-archive.js';
export { writeArchive } from './archive/write-archive.js';
export { Batcher } from './batcher.js';
export { cancelledWith } from './cancelled-with.js';
export {
  Checkpoints,
  checkpointAfter,
  type LogCheckpoint,
  type SignedCheckpoint,
  signedCheckpointSchema,
} from './chain/checkpoint.js';
export { type LogFault, withMoves } from './chain/compare.js';
export { eventsOfPass, layBlocks, layThrough, stopLaying } from './chain/lay-blocks.js';
export { type PlacedManifest, verifyArchives } from './chain/verify-archives.js';
export { verifyLog } from './chain/verify-log.js';
export { openDatabase, type Tx } from './database.js';
export { AT, type Clock, DatabaseClock } from './database-clock.js';
export {
  databaseTime,
  deleteOldest,
  durabilityWarnings,
  planForValues,
  type SessionFault,
  sessionFaults,
  tableSizes,
} from './database-statements.js';
export { FoldedStream } from './folded-stream.js';
export { decodeEvent, known, NewerEvent, readOnce, UnreadableEvent } from './known-event.js';
export { isLeaseOver, leaseUntil } from './lease.js';
export { addPartitionsAhead, continueLog } from './log-upkeep.js';
export { isLockTimeout, migrateDatabase } from './migrate.js';
export { OneWrite } from './one-write.js';
export {
  DATA,
  OUTLINE,
  packAhead,
  SCHEMA_VERSION,
  STORED_SIZE,
  unpackData,
  unpackText,
} from './packed-data.js';
export { watchedBy } from './pg-patches/watched-client.js';
export { probeDatabase, probeWrite } from './probe-database.js';
export {
  type EventPage,
  endOfLog,
  eventById,
  type KeyOfStream,
  type RestOfStream,
  readEventsById,
  readKeysOfStream,
  readPage,
  readStream,
  readStreams,
  readWithoutData,
  streamVersion,
} from './read.js';
export { type Outgoing, type OutgoingPage, readOutgoing } from './read-outgoing.js';
export {
  countBehind,
  countRange,
  type EventContent,
  type LogRange,
  type RangePage,
  readOutgoingRange,
  readRange,
} from './read-range.js';
export {
  answersStream,
  clockStream,
  configStream,
  controlStream,
  digestOfPlan,
  foresightStream,
  operatorStream,
  planStream,
  runOfStream,
  runStream,
} from './run-streams.js';
export { withSession } from './session-settings.js';
export {
  DamagedSnapshot,
  deleteExpiredSnapshots,
  type PackedChunk,
  type PackedSnapshot,
  packListAhead,
  packSnapshot,
  readPackedSnapshot,
  readSnapshotBody,
  storeSnapshots,
  unpackSnapshot,
} from './snapshots.js';
export { beginning, type Cursor, type KnownEvent, type NewEvent, type StoredEvent } from './stored-event.js';
export { type EventTrace, rootTrace, traceOfEvent, traceOn } from './trace-context.js';
export { announce, awaited, WakeListener } from './wake.js';
