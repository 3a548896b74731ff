import type { RecordedNotice } from '../events/shapes.js';
import type { Resources } from '../planning/resources.js';

export interface EnforcementView {
  enforcement: string;
  partition: string;
  /** That is enforced; of a round `root`, since it looks at all. */
  queue: string;
  policy: string;
  /** Of policies that look again and again: which of their rounds. */
  round: number | null;
  state: string;
  outcome: string | null;
  dueAt: string | null;
  startedAt: string | null;
  endedAt: string | null;
  lateMs: number | null;
  mode: string | null;
  planOutcome: string | null;
  target: Resources | null;
  claimed: Resources | null;
  shortfall: Resources | null;
  freed: Resources | null;
  victims: number;
  /** Of a round: victims whose owners were notified by it or before, and which wait. */
  notified: number;
  evicted: number;
  message: string | null;
  updatedAt: string;
}

export interface VictimView {
  allocation: string;
  queue: string;
  application: string;
  rank: number;
  uid: string | null;
  resources: Resources;
  reason: string;
  state: string;
  code: string | null;
  message: string | null;
  /** What code and message are about. */
  about: RecordedNotice['about'] | null;
}
