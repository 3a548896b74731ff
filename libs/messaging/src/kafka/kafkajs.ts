import { createRequire } from 'node:module';
import { boundedGzip } from './kafkajs-patches/bounded-gzip.js';
import { leanPartitions } from './kafkajs-patches/lean-partitions.js';
import { leanRecords } from './kafkajs-patches/lean-records.js';
import { stopNewFetchers } from './kafkajs-patches/stopped-fetches.js';
import { standInForUnreadable } from './kafkajs-patches/unreadable-batches.js';

leanPartitions();
leanRecords();
stopNewFetchers();
standInForUnreadable();

/** The client, with its patches: import it from here. */
export const kafkajs = createRequire(import.meta.url)('kafkajs') as typeof import('kafkajs');

kafkajs.CompressionCodecs[kafkajs.CompressionTypes.GZIP] = () => boundedGzip;
