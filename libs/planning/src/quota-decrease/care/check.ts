import { InputError, type ReadSettings } from '@curtail/contracts';
import { notInstant } from '../../snapshot/applications.js';
import type { Snapshot } from '../../snapshot/columns.js';
import { careColumnsOf } from './columns.js';

/**
 * Checks what a snapshot has for victim care, whatever the settings are.
 *
 * @throws InputError with the path of the field (docs/reference/policies/victim-care.md §12).
 */
export function checkCareInput(snapshot: Snapshot, { minRunSeconds, ownerBudgets }: ReadSettings): void {
  const { minRun } = careColumnsOf(snapshot).queues;
  if (!Number.isNaN(snapshot.takenAt)) return;
  const needsTime = minRunSeconds > 0 || ownerBudgets.length > 0 || minRun?.some((ms) => ms > 0);
  if (needsTime) throw new InputError('takenAt', notInstant(undefined));
}
