import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { DAEMON, RUNNING } from '../snapshot/columns.js';

/** The nodes that allocations name, numbered by id; -1 for an allocation without a node. */
interface NodeNumbers {
  readonly ofAllocation: Int32Array;
  /** Running allocations on the node that are no daemons, of any queue. */
  readonly running: Int32Array;
}

/** The work on nodes that all leaves share. */
export function numberNodes(snapshot: QueueSnapshot): NodeNumbers {
  const { texts, inputPlace, role, state, count } = snapshot.allocations;
  const { nodes } = texts;
  const ids = [...new Set(nodes)].filter((id) => id !== undefined).sort((a, b) => (a < b ? -1 : 1));
  const number = new Map(ids.map((id, i) => [id, i]));
  const ofAllocation = new Int32Array(count).fill(-1);
  const running = new Int32Array(ids.length);
  for (let a = 0; a < count; a++) {
    const id = nodes[inputPlace[a]!];
    if (id === undefined) continue;
    const node = number.get(id)!;
    ofAllocation[a] = node;
    if (state[a] === RUNNING && role[a] !== DAEMON) running[node]!++;
  }
  return { ofAllocation, running };
}

/** A node as the candidates of one class of one leaf see it. */
interface SeenNode {
  node: number;
  clearable: boolean;
  candidates: number;
}

/**
 * Fills in the places of the candidates of one leaf: docs/reference/policies/quota-decrease.md §5, `nodeAware`. Candidates of one
 * class on one node share a place; rules 4 and 5 decide among them.
 *
 * @param sorted the candidates of the leaf, at least by class.
 * @returns above all places.
 */
export function placeByNode(
  numbers: NodeNumbers,
  classOf: Float64Array,
  sorted: Int32Array,
  place: Float64Array,
): number {
  // Candidates by node in this class and all before it.
  const upToHere = new Map<number, number>();
  let limit = 1;
  for (let from = 0, to = 0; from < sorted.length; from = to) {
    const inClass = new Map<number, number>();
    for (; to < sorted.length && classOf[sorted[from]!] === classOf[sorted[to]!]; to++) {
      const node = numbers.ofAllocation[sorted[to]!]!;
      if (node >= 0) inClass.set(node, (inClass.get(node) ?? 0) + 1);
    }
    const seen: SeenNode[] = [];
    for (const [node, candidates] of inClass) {
      const all = (upToHere.get(node) ?? 0) + candidates;
      upToHere.set(node, all);
      seen.push({ node, candidates, clearable: all === numbers.running[node] });
    }
    seen.sort(compareNodes);
    const placeOfNode = new Map(seen.map(({ node }, i) => [node, i]));
    for (let i = from; i < to; i++)
      place[sorted[i]!] = placeOfNode.get(numbers.ofAllocation[sorted[i]!]!) ?? seen.length;
    limit = Math.max(limit, seen.length + 1);
  }
  return limit;
}

/** Clearable nodes first, then fewer candidates, then the smaller id. */
function compareNodes(a: SeenNode, b: SeenNode): number {
  if (a.clearable !== b.clearable) return a.clearable ? -1 : 1;
  return a.candidates - b.candidates || a.node - b.node;
}
