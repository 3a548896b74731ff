import { type Retention, rowsAtOnce, type Trim, upTo } from '#runtime';
import { trimAnswers } from './answers/answer-rows.js';
import { trimNotices, trimRuns } from './read-model/trim.js';
import { trimReplays } from './replay/work/replay-rows.js';
import { trimMessages } from './webhook/outbox.js';

/** Which rows of the console's tables to delete, and when. Open runs and running replays stay. */
export const consoleTrims = (kept: Retention): Trim[] => [
  { table: 'read_runs', step: (db) => trimRuns(db, kept.runRetentionDays) },
  upTo(rowsAtOnce, 'read_notices', (db, limit) => trimNotices(db, kept.runRetentionDays, limit)),
  upTo(rowsAtOnce, 'replays', (db, limit) => trimReplays(db, kept.runRetentionDays, limit)),
  upTo(rowsAtOnce, 'webhook_messages', trimMessages),
  upTo(rowsAtOnce, 'owner_answers', trimAnswers),
];
