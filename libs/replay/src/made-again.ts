import { InputError, type Plan } from '#contracts';
import type { DigestReplay } from '#contracts/api';
import {
  DamagedSnapshot,
  decodeEvent,
  digestOfPlan,
  type EventContent,
  type PackedChunk,
  unpackSnapshot,
} from '#event-store';
import { plan, readSnapshot } from '#planning';
import { type PartOfPlan, type PlanPart, partOfPlan } from './plan-part.js';

/** A plan as recorded in the log. */
export interface PlanOfLog {
  enforcement: string;
  queue: string;
  snapshotDigest: string;
  planDigest: string;
  trigger: unknown;
  settings: Record<string, unknown>;
  plan: Plan;
}

/** Input of a recorded plan. */
export type PlanOrigin = Pick<PlanOfLog, 'snapshotDigest' | 'trigger' | 'settings'>;

/** A recomputed plan, the reason for none, or nothing because the input is no longer kept. */
export type Replanned = PartOfPlan | { because: string } | 'not kept';

/** The data of a `PlanComputed` of any schema version. @throws NewerEvent, UnreadableEvent */
export const recordedPlanOf = (event: Pick<EventContent, 'id' | 'type' | 'data' | 'schemaVersion'>) =>
  decodeEvent(event).data as unknown as PlanOfLog;

/**
 * Recomputes a recorded plan from its recorded input.
 *
 * @param readInput returns the input with this digest; undefined: no longer kept. May throw DamagedSnapshot.
 * @param part of the plan to return; undefined: the whole plan.
 */
export async function madeAgain(
  { snapshotDigest, trigger, settings }: PlanOrigin,
  readInput: (digest: string) => Promise<unknown>,
  part?: PlanPart,
): Promise<Replanned> {
  try {
    const snapshot = await readInput(snapshotDigest);
    if (snapshot === undefined) return 'not kept';
    return partOfPlan(plan(readSnapshot(snapshot), trigger, settings), part);
  } catch (error) {
    if (!(error instanceof DamagedSnapshot || error instanceof InputError)) throw error;
    return { because: error instanceof InputError ? error.sentence : error.message };
  }
}

/** A recorded plan to recompute, with its packed input; the thread gets a copy. */
export interface RemakeQuestion {
  origin: PlanOrigin;
  packed: PackedChunk[];
  part?: PlanPart;
}

/** Same as `madeAgain`, for an input already read. */
export const remade = ({ origin, packed, part }: RemakeQuestion): Promise<Replanned> =>
  madeAgain(origin, (digest) => unpackSnapshot(packed, digest), part);

const differencesListed = 1000;

export const noneCompared = (): DigestReplay => ({ plans: 0, same: 0, different: [], notKept: 0 });

/** Compares one recomputed plan with its recorded digest, and adds the result to `found`. */
export function addCompared(
  found: DigestReplay,
  { enforcement, queue, planDigest }: PlanOfLog,
  made: Replanned,
): void {
  found.plans++;
  if (made === 'not kept') {
    found.notKept++;
    return;
  }
  const outcome =
    'because' in made ? { replayed: null, because: made.because } : { replayed: digestOfPlan(made.plan) };
  if (outcome.replayed === planDigest) found.same++;
  else if (found.different.length < differencesListed)
    found.different.push({ enforcement, queue, recorded: planDigest, ...outcome });
}
