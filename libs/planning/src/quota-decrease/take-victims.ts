import type { ReadDecreaseSettings, Resources } from '#contracts';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import type { AmountTexts } from '../writing/texts.js';
import { type Candidates, findCandidates } from './candidates.js';
import type { Care } from './care/care.js';
import { CarefulTaking } from './care/careful-taking.js';
import { CareSpared } from './care/spared.js';
import { Draft } from './draft.js';
import { LeafOrders } from './leaf-orders.js';
import { type Sharing, takeInFurtherPasses, takeInPasses } from './passes.js';
import { plainTaking, type Taking } from './taking.js';
import type { Target } from './target.js';

/** The victims as they were taken, and what explains them. */
export interface Taken {
  draft: Draft;
  candidates: Candidates;
  orders: LeafOrders;
  /** Null: there is no rule of care that an eviction could break. */
  careful: CarefulTaking | null;
  /** How the queues below share the target; null: the queue is a leaf. */
  sharing: Sharing | null;
}

/** Takes victims until the target is reached or no candidate is left: docs/reference/policies/quota-decrease.md §5 to §7. */
export function takeVictims({ snapshot, queue, chosen, care, target, takesPart, avoid }: Task): Taken {
  const candidates = findCandidates(
    ...([snapshot, queue, takesPart, target, chosen.protect] as const),
    care?.youngAfter ?? null,
    avoid,
  );
  const orders = new LeafOrders(snapshot, target, candidates, chosen, care?.lastSaved ?? null);
  const draft = new Draft(snapshot, target, chosen.guaranteedTypes);
  const isLeaf = snapshot.queues.end[queue] === queue + 1;
  const careful = care?.hasTests
    ? new CarefulTaking(snapshot, draft, care, queue, takesPart, candidates, orders, chosen.protect)
    : null;
  const taking = careful ?? plainTaking(draft, queue, takesPart, candidates, orders, chosen.fit);
  const sharing = isLeaf ? null : takeInPasses(draft, queue, takesPart, taking, chosen.fit);
  if (isLeaf) takeFromOneLeaf(draft, queue, taking, chosen.fit);
  if (!draft.reached) taking.testWhatIsLeft();
  if (careful !== null && !draft.reached && chosen.disruptionBudgets === 'last') {
    careful.beginSecondPart();
    if (sharing === null) takeFromOneLeaf(draft, queue, taking, chosen.fit);
    else takeInFurtherPasses(draft, queue, takesPart, taking, chosen.fit, sharing, true);
    if (!draft.reached) taking.testWhatIsLeft();
  }
  return { draft, candidates, orders, careful, sharing };
}

/**
 * The plan of a queue without children: docs/reference/policies/quota-decrease.md §6.3. It ends: a victim is given back only if its
 * types stay given, and then it is never wanted again.
 */
function takeFromOneLeaf(
  draft: Draft,
  queue: number,
  taking: Taking,
  fit: ReadDecreaseSettings['fit'],
): void {
  for (;;) {
    taking.takeFromLeaf(queue, null);
    if (fit === 'within') return;
    const givenBack = taking.reprieve();
    if (draft.reached || givenBack === 0) return;
  }
}

/** What is to be planned: a queue, and how much of it has to go. */
export interface Task {
  snapshot: QueueSnapshot;
  queue: number;
  path: string;
  chosen: ReadDecreaseSettings;
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
