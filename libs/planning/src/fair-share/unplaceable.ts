import type { Draft } from './draft.js';
import type { NodeLabels } from './node-labels.js';
import { isInBackOff } from './overcommit-step.js';

/**
 * Why nothing of a kind starts on any node now, as the end of a sentence.
 *
 * @param kind of the first ask that limits allow, -1 where there is none.
 * @param known what was found out for other operations of this stage, by kind.
 */
export function whyUnplaceable(
  draft: Draft,
  labels: NodeLabels,
  kind: number,
  known: Map<number, string>,
): string {
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
