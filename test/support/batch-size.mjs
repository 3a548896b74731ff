import { PartitionBatches } from '../../dist/libs/messaging/src/kafka/partition-batches.js';

/** `node --import batch-size.mjs <program>`: every consumer of Kafka handles up to CURTAIL_TEST_BATCH events in a transaction. */
const size = Number(process.env.CURTAIL_TEST_BATCH);
Object.defineProperty(PartitionBatches.prototype, 'size', { get: () => size });
