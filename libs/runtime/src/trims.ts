import type { DataSource } from 'typeorm';
import { trimFeeds } from '#clusters';
import { deleteExpiredSnapshots } from '#event-store';
import { trimAttempts, trimDeadLetters, trimInbox } from '#messaging';
import type { SettingsOf } from '#platform';
import { roundPolicies } from '#rounds';
import { trimRecentVictims } from '#runs';
import { retentionOfRecords, type retentionSettings } from './settings/retention-settings.js';

/** Rows with a limited retention. */
export interface Trim {
  /** Of the metric: the table. */
  table: string;
  /** Deletes a bounded number of rows, in a transaction of its own. */
  step(db: DataSource): Promise<Trimmed>;
}

export interface Trimmed {
  rows: number;
  /** More rows may be left. */
  more: boolean;
}

const marksAtOnce = 5000;
const snapshotsAtOnce = 20;
/** Rows that are deleted in one transaction. */
export const trimmedAtOnce = 1000;

export type Retention = SettingsOf<typeof retentionSettings>;

/**
 * The trims of the tables that all services share, and their ages. They delete nothing that is open or running, or may
 * be resumed.
 */
export function sharedTrims(kept: Retention): Trim[] {
  return [
    upTo(marksAtOnce, 'inbox', (db, limit) => trimInbox(db, kept.inboxDays, limit)),
    upTo(marksAtOnce, 'attempts', (db, limit) => trimAttempts(db, kept.inboxDays, limit)),
    upTo(snapshotsAtOnce, 'snapshots', deleteExpiredSnapshots),
    upTo(trimmedAtOnce, 'dead_letters', (db, limit) => trimDeadLetters(db, retentionOfRecords(kept), limit)),
    upTo(trimmedAtOnce, 'feeds', trimFeeds),
    upTo(trimmedAtOnce, 'recent_victims', trimRecentVictims),
    ...[...roundPolicies].flatMap(({ ownTrim }) =>
      ownTrim
        ? [upTo(trimmedAtOnce, ownTrim.table, (db, limit) => ownTrim.trim(db, kept.nodeRetentionDays, limit))]
        : [],
    ),
  ];
}

/** @param trim deletes at most this many rows. @returns the number of deleted rows. */
export function upTo(
  limit: number,
  table: string,
  trim: (db: DataSource, limit: number) => Promise<number>,
): Trim {
  return {
    table,
    step: async (db) => {
      const rows = await trim(db, limit);
      return { rows, more: rows >= limit };
    },
  };
}

/** The tables that grow with time. */
export const watchedTables = [
  'events',
  'stream_heads',
  'event_ids',
  'inbox',
  'snapshots',
  'read_runs',
  'read_victims',
  'read_notices',
  'configurations',
  'configuration_texts',
  'dead_letters',
  'replays',
];
