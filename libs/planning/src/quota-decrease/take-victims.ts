import { type Candidates, findCandidates } from './candidates.js';
import { CarefulTaking } from './care/careful-taking.js';
import { Draft } from './draft.js';
import { LeafOrders } from './leaf-orders.js';
import { type Sharing, takeInFurtherPasses, takeInPasses } from './passes.js';
import { takeFromOneLeaf } from './take-from-one-leaf.js';
import { plainTaking } from './taking.js';
import type { Task } from './task.js';

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
