import type { VictimCause } from '#contracts';
import type { Draft } from './draft.js';
import { type NodeLabels, NodeSets } from './node-sets.js';
import { isInBackOff } from './overcommit-step.js';
import { AGGRESSIVELY_STARVING, STARVING } from './snapshot/columns.js';
import { StartQueue } from './start-queue.js';

export interface Stage {
  /** Whether aggressive allocations may go too (step 6). */
  readonly aggressive: boolean;
  /** The priorities that it serves. */
  readonly serves: ReadonlySet<number>;
}

/** The stages with victims in their order: docs/reference/policies/fair-share.md §11, steps 5 and 6. */
export function stagesOf(aggressiveFirst: boolean): Stage[] {
  const aggressive = { aggressive: true, serves: new Set([AGGRESSIVELY_STARVING]) };
  if (aggressiveFirst) return [aggressive, { aggressive: false, serves: new Set([STARVING]) }];
  return [{ aggressive: false, serves: new Set([STARVING, AGGRESSIVELY_STARVING]) }, aggressive];
}

/**
 * A stage in which starving operations start in the place of others. One allocation a node and plan; an operation that finds no
 * node is set aside, and why is noted in `setAside`.
 */
export function startInPlaceOfOthers(
  draft: Draft,
  kept: Uint8Array,
  labels: NodeLabels,
  { aggressive, serves }: Stage,
  setAside: Map<number, string>,
): void {
  const { operations, asks } = draft.judged.snapshot;
  const starving = Int32Array.from(operations.ids, (_, operation) => operation).filter(
    (operation) =>
      operations.suspended[operation] === 0 &&
      draft.pending[operation]! > 0 &&
      serves.has(draft.priority(operation)),
  );
  if (starving.length === 0) return;
  const place = new Int32Array(operations.count).fill(-1);
  const satisfaction = new Float64Array(operations.count);
  const queue = new StartQueue(draft.order, starving, place, satisfaction, (operation) => operation);
  const sets = new NodeSets(draft, kept, labels, aggressive);
  const reasons = new Map<number, string>();
  draft.follower = {
    moved: (operation) => queue.moved(operation),
    regrouped: (operation, newerThan) => sets.regrouped(operation, newerThan),
  };
  const cause: VictimCause = aggressive ? 'aggressive-starvation' : 'starvation';
  while (!queue.isEmpty) {
    const operation = queue.top;
    if (draft.pending[operation] === 0 || !serves.has(draft.priority(operation))) {
      queue.remove(operation);
      continue;
    }
    let started = false;
    let allowed = -1;
    for (let ask = operations.firstAsk[operation]!; ask < operations.firstAsk[operation + 1]!; ask++) {
      if (draft.waiting[ask] === 0 || !draft.limitsAllow(ask)) continue;
      if (allowed < 0) allowed = ask;
      const kind = asks.kind[ask]!;
      const node = sets.best(kind, operation);
      if (node < 0) continue;
      const victims = sets.membersFor(kind, node, operation);
      // Groups stay fixed while a set is chosen; they move when its members go.
      const groups = victims.map((victim) => draft.groups.of(victim));
      victims.forEach((victim, i) => {
        draft.take(victim, cause, operation, groups[i]!);
      });
      draft.starts.push({ ask, node, victims });
      draft.start(ask, node);
      if (victims.length > 0) {
        draft.used[node] = 1;
        sets.use(node);
      } else {
        sets.changed(node);
      }
      started = true;
      break;
    }
    if (started) continue;
    queue.remove(operation);
    setAside.set(operation, whyUnplaceable(draft, labels, allowed < 0 ? -1 : asks.kind[allowed]!, reasons));
  }
}

/**
 * Why nothing of a kind starts on any node now, as the end of a sentence.
 *
 * @param kind of the first ask that limits allow, -1 where there is none.
 * @param known what was found out for other operations of this stage, by kind.
 */
function whyUnplaceable(draft: Draft, labels: NodeLabels, kind: number, known: Map<number, string>): string {
  if (kind < 0) return 'limits of its own or of a pool above it leave no room for one more allocation';
  let why = known.get(kind);
  if (why === undefined) {
    why = findReason(draft, labels, kind);
    known.set(kind, why);
  }
  return why;
}

function findReason(draft: Draft, labels: NodeLabels, kind: number): string {
  const { nodes, asks, types } = draft.judged.snapshot;
  const width = types.length;
  const matching = labels.matching(kind);
  const large = (node: number): boolean => {
    for (let type = 0; type < width; type++) {
      const asked = asks.size[kind * width + type]!;
      if (asked > 0 && asked > nodes.capacity[node * width + type]!) return false;
    }
    return true;
  };
  for (let node = 0; node < nodes.count; node++) {
    if (draft.used[node] === 1 || matching[node] === 0 || isInBackOff(draft, node)) continue;
    if (large(node)) return 'on no node that is large enough may enough be taken';
  }
  let matched = 0;
  let fitting = false;
  for (let node = 0; node < nodes.count; node++) {
    if (matching[node] === 0) continue;
    matched++;
    if (!large(node)) continue;
    fitting = true;
    if (draft.used[node] === 1)
      return 'every node that is large enough is in back-off or used in this plan already';
  }
  if (matched === 0) return 'no schedulable node has the labels that it asks for';
  if (!fitting) return `what it asks for is larger than each of the ${matched} nodes it could run on`;
  return 'every node that is large enough was used for preemption a moment ago and is in back-off';
}
