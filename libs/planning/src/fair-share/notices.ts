import { counted, type Notice, ofPartition, type Subject } from '#contracts';
import { AmountTexts, instantText } from '../writing/texts.js';
import type { Draft } from './draft.js';
import { PLAIN } from './groups.js';
import { isOverAnyLimit, overLimit } from './limits-step.js';
import { isOvercommitted, isOvercommittedTooLong, overCapacity } from './overcommit-step.js';
import type { FoundReason } from './reasons.js';
import { type FairShareSnapshot, NON_STARVING } from './snapshot/columns.js';
import { sparedBecause } from './spared.js';
import { SAME_SHARE } from './tolerance.js';

/** Everything that notices speak of. */
export interface Findings {
  readonly draft: Draft;
  readonly kept: Uint8Array;
  readonly reasons: readonly FoundReason[];
  readonly isAnswered: (reason: FoundReason) => boolean;
  /** Why operations were set aside. */
  readonly setAside: ReadonlyMap<number, string>;
}

/** Notices for an administrator, with what each is about: docs/reference/policies/fair-share.md §14. */
export function noticesOf(findings: Findings): Notice[] {
  const texts = new AmountTexts();
  return [
    ...guaranteeNotices(findings),
    ...withoutFairShare(findings),
    ...starvationNotices(findings),
    ...victimNotices(findings),
    ...limitNotices(findings, texts),
    ...overcommitNotices(findings, texts),
  ];
}

function guaranteeNotices({ draft: { judged } }: Findings): Notice[] {
  return judged.guarantees.scaled.map(({ pool, factor }) => ({
    about: ofElement(judged.snapshot, pool),
    code: 'guarantees-scaled',
    message: `The children of ${judged.snapshot.pools.paths[pool]!} are guaranteed more than it has; their guarantees are multiplied by ${percent(factor)}.`,
  }));
}

function withoutFairShare({ draft: { judged } }: Findings): Notice[] {
  const { snapshot, entitlement } = judged;
  const { elements, pools, operations, types } = snapshot;
  const width = types.length;
  return operations.ids.flatMap((id, operation) => {
    const row = (pools.count + operation) * width;
    let wants = false;
    let has = false;
    for (let cell = row; cell < row + width; cell++) {
      if (elements.demand[cell]! > elements.usage[cell]!) wants = true;
      if (entitlement.fair[cell]! > SAME_SHARE) has = true;
    }
    if (!wants || has) return [];
    const message = `Operation ${id} wants more than it uses, and has no fair share in any resource type: limits, or what others are entitled to, leave it none.`;
    return [{ code: 'no-fair-share', message, about: ofElement(snapshot, pools.count + operation) }];
  });
}

function starvationNotices({ draft, reasons, isAnswered, setAside }: Findings): Notice[] {
  const { snapshot } = draft.judged;
  const notices: Notice[] = [];
  for (const [operation, why] of setAside) {
    if (draft.pending[operation] === 0 || draft.priority(operation) === NON_STARVING) continue;
    notices.push({
      about: ofElement(snapshot, snapshot.pools.count + operation),
      code: 'starving-unplaceable',
      message: `Operation ${snapshot.operations.ids[operation]!} starves and starts no more in this plan: ${why}.`,
    });
  }
  const open = reasons.filter((reason) => reason.cause.endsWith('starvation') && !isAnswered(reason));
  if (draft.starts.length > 0 && open.length > 0) {
    const end = instantText(earliestBackOffEnd(draft));
    notices.push({
      about: ofPartition(snapshot.partition),
      code: 'more-to-come',
      message: `${counted(draft.starts.length, 'allocation starts', 'allocations start')}, and ${counted(open.length, 'element still starves', 'elements still starve')}: a plan starts one allocation a node. The first back-off ends at ${end}.`,
    });
  }
  return notices;
}

/** When the first of the nodes that are in back-off, or get into it with this plan, may be used again. */
export function earliestBackOffEnd({ judged: { snapshot, settings }, used }: Draft): number {
  let earliest = Number.POSITIVE_INFINITY;
  for (let node = 0; node < snapshot.nodes.count; node++) {
    const last = used[node] === 1 ? snapshot.takenAt : snapshot.nodes.lastPreemptiveSchedulingAt[node]!;
    const end = last + settings.preemptiveSchedulingBackoff + 1;
    if (end > snapshot.takenAt && end < earliest) earliest = end;
  }
  return earliest === Number.POSITIVE_INFINITY ? snapshot.takenAt : earliest;
}

function victimNotices({ draft }: Findings): Notice[] {
  const { snapshot, starvation } = draft.judged;
  const { allocations, operations, pools, nodes } = snapshot;
  const notices: Notice[] = [];
  draft.lost.forEach((lost, operation) => {
    const element = pools.count + operation;
    if (lost === 0 || starvation.below[element] === 1 || !draft.shareStatus.isBelow(element)) return;
    notices.push({
      about: ofElement(snapshot, element),
      code: 'below-own-share',
      message: `Operation ${operations.ids[operation]!} had its fair share and is below it after losing ${counted(lost, 'allocation')}.`,
    });
  });
  const unsafe = new Map<number, number>();
  for (const { allocation, cause, group } of draft.victims) {
    if (allocations.optedOut[allocation] === 1) {
      notices.push({
        about: {
          ...ofElement(snapshot, pools.count + allocations.operation[allocation]!),
          kind: 'allocation',
          name: allocations.ids[allocation]!,
        },
        code: 'opted-out-taken',
        message: `Allocation ${allocations.ids[allocation]!} of ${operations.ids[allocations.operation[allocation]!]!} is taken although it was asked to spare it: the others do not give enough.`,
      });
    }
    if (cause === 'overcommit' && group !== PLAIN) {
      const node = allocations.node[allocation]!;
      unsafe.set(node, (unsafe.get(node) ?? 0) + 1);
    }
  }
  for (const [node, number] of unsafe) {
    notices.push({
      about: { kind: 'node', name: nodes.ids[node]! },
      code: 'protected-evicted',
      message: `Node ${nodes.ids[node]!} held more than its capacity for too long: ${counted(number, 'allocation that is', 'allocations that are')} otherwise safe from ordinary preemption ${number === 1 ? 'has' : 'have'} to go.`,
    });
  }
  return notices;
}

function limitNotices(findings: Findings, texts: AmountTexts): Notice[] {
  const { draft, reasons } = findings;
  const { types } = draft.judged.snapshot;
  return reasons
    .filter(({ cause, number }) => cause === 'resource-limits' && isOverAnyLimit(draft, number))
    .map(({ kind, name, number }) => {
      const over = texts.list(
        types,
        types.map((_, type) => overLimit(draft, number, type)),
      );
      const what = kind === 'pool' ? 'Pool' : 'Operation';
      return {
        about: ofElement(draft.judged.snapshot, number),
        code: 'limit-violation-remains',
        message: `${what} ${name} is still ${over} over its limits; what is left there is spared: ${whatSpares(findings, number)}.`,
      };
    });
}

/** A pool or an operation, by its number as an element. */
export function ofElement({ elements, pools, operations }: FairShareSnapshot, element: number): Subject {
  if (element < pools.count) {
    return { kind: 'pool', name: pools.paths[element]! };
  }
  const queue = pools.paths[elements.parent[element]!]!;
  return { kind: 'operation', name: operations.ids[element - pools.count]!, queue };
}

/** The reasons that spare the running allocations at and below an element, with how many it spares. */
function whatSpares({ draft, kept }: Findings, top: number): string {
  const { elements, pools, operations } = draft.judged.snapshot;
  const spared = new Map<string, number>();
  for (let operation = 0; operation < operations.count; operation++) {
    let element = pools.count + operation;
    while (element !== top && element > 0) element = elements.parent[element]!;
    if (element !== top) continue;
    for (
      let i = operations.firstAllocation[operation]!;
      i < operations.firstAllocation[operation + 1]!;
      i++
    ) {
      const allocation = operations.byOperation[i]!;
      if (draft.gone[allocation] === 1) continue;
      const reason = sparedBecause(draft, kept, allocation, -1, false);
      if (reason !== 'not-needed') spared.set(reason, (spared.get(reason) ?? 0) + 1);
    }
  }
  const parts = [...spared]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([reason, number]) => `${number} ${reason}`);
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

function overcommitNotices({ draft, reasons }: Findings, texts: AmountTexts): Notice[] {
  const { snapshot, settings } = draft.judged;
  const { nodes, types } = snapshot;
  return reasons
    .filter(({ kind, number }) => kind === 'node' && isOvercommitted(draft, number))
    .map(({ name, number }) => {
      const over = texts.list(
        types,
        types.map((_, type) => overCapacity(draft, number, type)),
      );
      if (isOvercommittedTooLong(draft, number)) {
        const message = `Node ${name} still holds ${over} more than its capacity: what stays there is protected or bound to the node.`;
        return { code: 'overcommit-remains', message, about: { kind: 'node' as const, name } };
      }
      const since = nodes.overcommittedSince[number]!;
      const allowed = settings.allowedNodeResourcesOvercommitDuration;
      const until = Number.isNaN(since)
        ? `${allowed} ms after it was first seen`
        : instantText(since + allowed + 1);
      return {
        about: { kind: 'node' as const, name },
        code: 'overcommit-waiting',
        message: `Node ${name} holds ${over} more than its capacity, and no preemptible allocation may be taken there now; from ${until} on others have to go.`,
      };
    });
}

function percent(part: number): string {
  return `${Math.round(part * 10_000) / 100} %`;
}
