import { SetChoice } from './choose-set.js';
import type { Draft } from './draft.js';
import { AGGRESSIVE, PLAIN } from './groups.js';
import type { NodeLabels } from './node-labels.js';
import { isInBackOff } from './overcommit-step.js';
import { rounded } from './tolerance.js';

/** How good the set of a node is, by node: smaller is better, `oldest` aside. No members: nobody has to go. */
interface Found {
  /** The version of the node it was worked out for; 0 = not yet. */
  readonly version: Int32Array;
  /** -1 = the node cannot give enough. */
  readonly members: Int32Array;
  readonly aggressive: Uint8Array;
  readonly hinted: Int32Array;
  /** The sum of the dominant shares of the members. */
  readonly shares: Float64Array;
  /** The start of the oldest member. */
  readonly oldest: Float64Array;
}

/** Kinds of asks whose sets are remembered at the same time; they are forgotten all at once beyond that. */
const MOST_REMEMBERED = 200;

/**
 * The sets of allocations that could go in a stage with victims (steps 5 and 6 of docs/policies/fair-share.md §11), and the node
 * where the least has to go. What was worked out for a kind of ask and a node holds until the version of the node rises.
 */
export class NodeSets {
  /** The candidates of node n, not hinted before hinted, newer first: `members[i]` from `first[n]` below `first[n + 1]`. */
  private readonly first: Int32Array;
  private readonly members: Int32Array;
  /** What the candidates of a node give, and the most that one of them gives, by node and type; the start of the newest. */
  private readonly given: Float64Array;
  private readonly greatest: Float64Array;
  private readonly newest: Float64Array;
  private readonly version: Int32Array;
  private readonly found = new Map<number, Found>();
  /** Where the allocations of the operation that asks are among the candidates nothing is remembered. */
  private readonly forOne: Found;
  /** Kinds for which no node gives enough, with the number of reliefs until then: only those make things better. */
  private readonly hopeless = new Map<number, number>();
  private reliefs = 0;
  private readonly missing: Float64Array;
  private readonly choice: SetChoice;
  /** By allocation; -1 = not worked out yet. */
  private readonly dominant: Float64Array;
  /** Nodes where nobody had to go in this plan, and that are in no back-off. */
  private open: Int32Array;

  constructor(
    private readonly draft: Draft,
    private readonly kept: Uint8Array,
    private readonly labels: NodeLabels,
    private readonly aggressive: boolean,
  ) {
    const { nodes, allocations, types } = draft.judged.snapshot;
    const width = types.length;
    this.missing = new Float64Array(width);
    this.choice = new SetChoice(width, allocations.size);
    this.given = new Float64Array(nodes.count * width);
    this.greatest = new Float64Array(nodes.count * width);
    this.newest = new Float64Array(nodes.count);
    this.version = new Int32Array(nodes.count).fill(1);
    this.forOne = nothingFound(nodes.count);
    this.dominant = new Float64Array(allocations.count).fill(-1);
    this.first = new Int32Array(nodes.count + 1);
    this.members = new Int32Array(nodes.byNode.length);
    const open: number[] = [];
    let count = 0;
    for (let node = 0; node < nodes.count; node++) {
      const isOpen = nodes.schedulable[node] === 1 && draft.used[node] === 0 && !isInBackOff(draft, node);
      if (isOpen) open.push(node);
      for (let hinted = 0; hinted < 2 && isOpen; hinted++) {
        for (let i = nodes.firstAllocation[node]!; i < nodes.firstAllocation[node + 1]!; i++) {
          const allocation = nodes.byNode[i]!;
          if (allocations.hinted[allocation] === hinted && this.isInGroup(allocation)) {
            this.members[count++] = allocation;
          }
        }
      }
      this.first[node + 1] = count;
      this.sumUp(node);
    }
    this.open = Int32Array.from(open);
  }

  /**
   * The node where an ask of this kind starts at the least cost, -1 if no node gives enough.
   *
   * @param served the operation that asks: its own allocations stay.
   */
  best(kind: number, served: number): number {
    if (this.hopeless.get(kind) === this.reliefs) return -1;
    const matching = this.labels.matching(kind);
    const found = this.foundOf(kind);
    const own = this.nodesWithCandidatesOf(served);
    let best = -1;
    let where = found;
    for (const node of this.open) {
      if (matching[node] === 0) continue;
      const here = own?.has(node) ? this.forOne : found;
      if (here === this.forOne) {
        this.workOut(here, kind, node, served);
      } else if (found.version[node] !== this.version[node]) {
        if (!this.couldBeat(kind, node, where, best)) continue;
        this.workOut(found, kind, node, -1);
      }
      if (here.members[node]! < 0) continue;
      if (best < 0 || isBetter(here, node, where, best)) {
        best = node;
        where = here;
      }
    }
    if (best < 0 && own === null) this.hopeless.set(kind, this.reliefs);
    return best;
  }

  /** Who has to go on a node for an ask of this kind, in walking order. */
  membersFor(kind: number, node: number, served: number): readonly number[] {
    this.choose(kind, node, served);
    return this.choice.members.slice();
  }

  /** To be told that an operation starves no more, so that its allocations may be taken. */
  relieved(operation: number): void {
    this.reliefs++;
    this.regrouped(operation);
  }

  /** To be told that allocations of an operation have changed their group. */
  regrouped(operation: number): void {
    const { operations, allocations } = this.draft.judged.snapshot;
    for (
      let i = operations.firstAllocation[operation]!;
      i < operations.firstAllocation[operation + 1]!;
      i++
    ) {
      const node = allocations.node[operations.byOperation[i]!]!;
      if (node >= 0) this.changed(node);
    }
  }

  /** To be told that something has started on a node. */
  changed(node: number): void {
    this.version[node]!++;
    this.sumUp(node);
  }

  /** To be told that somebody had to go on a node. */
  use(node: number): void {
    this.open = this.open.filter((other) => other !== node);
  }

  private foundOf(kind: number): Found {
    const known = this.found.get(kind);
    if (known !== undefined) return known;
    if (this.found.size >= MOST_REMEMBERED) this.found.clear();
    const found = nothingFound(this.version.length);
    this.found.set(kind, found);
    return found;
  }

  /** null where none of its allocations could be taken anyway. */
  private nodesWithCandidatesOf(operation: number): ReadonlySet<number> | null {
    const { operations, allocations } = this.draft.judged.snapshot;
    const nodes = new Set<number>();
    for (
      let i = operations.firstAllocation[operation]!;
      i < operations.firstAllocation[operation + 1]!;
      i++
    ) {
      const allocation = operations.byOperation[i]!;
      if (allocations.node[allocation]! >= 0 && this.mayGo(allocation))
        nodes.add(allocations.node[allocation]!);
    }
    return nodes.size === 0 ? null : nodes;
  }

  /** Whether an allocation is a candidate of this stage, whoever is starving. */
  private isInGroup(allocation: number): boolean {
    const { draft, kept, aggressive } = this;
    if (kept[allocation]! > 0 || draft.gone[allocation] === 1) return false;
    const { snapshot, effective } = draft.judged;
    const element = snapshot.pools.count + snapshot.allocations.operation[allocation]!;
    const group = draft.groups.of(allocation);
    if (group === PLAIN) return aggressive || effective.allowNormal[element] === 1;
    return aggressive && group === AGGRESSIVE && effective.allowAggressive[element] === 1;
  }

  private mayGo(allocation: number): boolean {
    const { snapshot, settings } = this.draft.judged;
    if (!this.isInGroup(allocation)) return false;
    return (
      settings.allowPreemptionFromStarvingOperations ||
      !this.draft.isStarving(snapshot.allocations.operation[allocation]!)
    );
  }

  private sumUp(node: number): void {
    const { allocations, types } = this.draft.judged.snapshot;
    const width = types.length;
    const row = node * width;
    this.given.fill(0, row, row + width);
    this.greatest.fill(0, row, row + width);
    this.newest[node] = Number.NEGATIVE_INFINITY;
    for (let i = this.first[node]!; i < this.first[node + 1]!; i++) {
      const allocation = this.members[i]!;
      if (!this.mayGo(allocation)) continue;
      if (allocations.startedAt[allocation]! > this.newest[node]!) {
        this.newest[node] = allocations.startedAt[allocation]!;
      }
      for (let type = 0; type < width; type++) {
        const amount = allocations.size[allocation * width + type]!;
        this.given[row + type]! += amount;
        if (amount > this.greatest[row + type]!) this.greatest[row + type] = amount;
      }
    }
  }

  /** Sets `missing`; false where all candidates together do not give it. */
  private couldGive(kind: number, node: number): boolean {
    const { asks } = this.draft.judged.snapshot;
    const { free } = this.draft;
    const width = this.missing.length;
    for (let type = 0; type < width; type++) {
      const asked = asks.size[kind * width + type]!;
      const lacks = asked === 0 ? 0 : Math.max(0, asked - free[node * width + type]!);
      if (lacks > this.given[node * width + type]!) return false;
      this.missing[type] = lacks;
    }
    return true;
  }

  /** Whether a node may turn out better than the best one until now, which has the smaller id. */
  private couldBeat(kind: number, node: number, where: Found, best: number): boolean {
    if (!this.couldGive(kind, node)) return false;
    if (best < 0 || where.aggressive[best]! > 0 || where.hinted[best]! > 0) return true;
    const { totals } = this.draft.judged.snapshot;
    const width = this.missing.length;
    let members = 0;
    let shares = 0;
    for (let type = 0; type < width; type++) {
      const lacks = this.missing[type]!;
      if (lacks === 0) continue;
      members = Math.max(members, Math.ceil(lacks / this.greatest[node * width + type]!));
      shares = Math.max(shares, lacks / totals[type]!);
    }
    if (members !== where.members[best]!) return members < where.members[best]!;
    const least = rounded(shares - 1e-12);
    if (least !== where.shares[best]!) return least < where.shares[best]!;
    return this.newest[node]! > where.oldest[best]!;
  }

  private choose(kind: number, node: number, served: number): boolean {
    this.choice.members.length = 0;
    if (!this.couldGive(kind, node)) return false;
    const { groups, judged } = this.draft;
    const { operation } = judged.snapshot.allocations;
    const offerGroup = (group: number, take: (candidate: number) => boolean): boolean => {
      for (let i = this.first[node]!; i < this.first[node + 1]!; i++) {
        const candidate = this.members[i]!;
        if (operation[candidate] === served || groups.of(candidate) !== group || !this.mayGo(candidate))
          continue;
        if (!take(candidate)) return false;
      }
      return true;
    };
    return this.choice.choose(this.missing, (take) => {
      if (offerGroup(PLAIN, take) && this.aggressive) offerGroup(AGGRESSIVE, take);
    });
  }

  private workOut(found: Found, kind: number, node: number, served: number): void {
    const { draft } = this;
    const { hinted, startedAt } = draft.judged.snapshot.allocations;
    found.version[node] = this.version[node]!;
    if (!this.choose(kind, node, served)) {
      found.members[node] = -1;
      return;
    }
    const { members } = this.choice;
    let aggressive = 0;
    let hints = 0;
    let shares = 0;
    let oldest = Number.POSITIVE_INFINITY;
    for (const member of members) {
      if (draft.groups.of(member) === AGGRESSIVE) aggressive = 1;
      hints += hinted[member]!;
      shares += this.dominantShare(member);
      oldest = Math.min(oldest, startedAt[member]!);
    }
    found.members[node] = members.length;
    found.aggressive[node] = aggressive;
    found.hinted[node] = hints;
    found.shares[node] = rounded(shares);
    found.oldest[node] = oldest;
  }

  private dominantShare(allocation: number): number {
    const known = this.dominant[allocation]!;
    if (known >= 0) return known;
    const { allocations, totals } = this.draft.judged.snapshot;
    const width = totals.length;
    let share = 0;
    for (let type = 0; type < width; type++) {
      if (totals[type]! > 0) {
        share = Math.max(share, allocations.size[allocation * width + type]! / totals[type]!);
      }
    }
    this.dominant[allocation] = share;
    return share;
  }
}

function nothingFound(nodes: number): Found {
  return {
    version: new Int32Array(nodes),
    members: new Int32Array(nodes),
    aggressive: new Uint8Array(nodes),
    hinted: new Int32Array(nodes),
    shares: new Float64Array(nodes),
    oldest: new Float64Array(nodes),
  };
}

/** Of two nodes of which the second one has the smaller id. */
function isBetter(a: Found, node: number, b: Found, other: number): boolean {
  if (a.members[node] === 0 || b.members[other] === 0) return b.members[other]! > 0;
  if (a.aggressive[node] !== b.aggressive[other]) return a.aggressive[node]! < b.aggressive[other]!;
  if (a.hinted[node] !== b.hinted[other]) return a.hinted[node]! < b.hinted[other]!;
  if (a.members[node] !== b.members[other]) return a.members[node]! < b.members[other]!;
  if (a.shares[node] !== b.shares[other]) return a.shares[node]! < b.shares[other]!;
  return a.oldest[node]! > b.oldest[other]!;
}
