import type { ReadSettings, Resources } from '#contracts';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import type { AmountTexts } from '../writing/amount-text.js';
import type { Care } from './care/care.js';
import type { CarefulTaking } from './care/careful-taking.js';
import { CareSpared } from './care/spared.js';
import type { Target } from './target.js';

/** What is to be planned: a queue, and how much of it has to go. */
export interface Task {
  snapshot: QueueSnapshot;
  queue: number;
  path: string;
  chosen: ReadSettings;
  /** Null: nothing in the snapshot and the settings asks for care. */
  care: Care | null;
  inFlight: Resources;
  target: Target;
  /** By queue: 1 if it may give victims. */
  takesPart: Uint8Array;
  /** Allocations, by id, that are left out because their evictions failed; null: none. */
  avoid: ReadonlySet<string> | null;
  texts: AmountTexts;
}

/** Why care spares allocations; null if there is none. */
export function whyCareSpares(
  { snapshot, care, texts }: Task,
  careful: CarefulTaking | null,
): CareSpared | null {
  return care === null ? null : new CareSpared(snapshot, care, careful, texts);
}
