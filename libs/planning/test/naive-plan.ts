import type {
  ClusterSnapshot,
  Outcome,
  QuotaDecreaseSettings,
  QuotaDecreaseTrigger,
  Resources,
  SnapshotAllocation,
} from '@curtail/contracts';

/** The part of a plan that the specification fixes to the letter; notices by their codes only. */
export interface NaivePlan {
  outcome: Outcome;
  target: Resources;
  inFlight: Resources;
  claimed: Resources;
  shortfall: Resources;
  overshoot: Resources;
  collateral: Resources;
  shares: { queue: string; releasable: Resources; target: Resources; claimed: Resources }[];
  victims: string[];
  spared: { allocation: string; reason: string }[];
  notices: string[];
}

type Amounts = Map<string, bigint>;
type Allocation = Required<
  Omit<SnapshotAllocation, 'resources' | 'uid' | 'node' | 'lastJobStartedAt' | 'interruptible'>
> & {
  uses: Amounts;
  node: string | undefined;
  user: string | undefined;
};
interface Queue {
  path: string;
  max: Amounts;
  guaranteed: Amounts;
  dynamic: boolean;
  enforcing: boolean;
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const positive = (a: bigint): bigint => (a > 0n ? a : 0n);
const isBelow = (path: string, queue: string): boolean => path === queue || path.startsWith(`${queue}.`);
const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('.')));

function amountsFrom(resources: Resources | undefined): Amounts {
  return new Map(Object.entries(resources ?? {}).map(([type, amount]) => [type, BigInt(amount)]));
}

function written(amounts: Iterable<[string, bigint]>): Resources {
  const entries = [...amounts].filter(([, amount]) => amount > 0n).sort(([a], [b]) => compareText(a, b));
  return Object.fromEntries(entries.map(([type, amount]) => [type, Number(amount)]));
}

/**
 * The policy once more, written from docs/reference/policies/quota-decrease.md alone, as literally as it goes: objects, big integers,
 * and every sum made anew whenever it is asked for. Far too slow for a cluster; it guards the planner that is not.
 */
export function naivePlan(
  snapshot: ClusterSnapshot,
  trigger: QuotaDecreaseTrigger,
  settings: QuotaDecreaseSettings,
): NaivePlan {
  return new Naive(snapshot, trigger, settings).plan();
}

class Naive {
  private readonly queues: Queue[];
  private readonly allocations: Allocation[];
  private readonly at: Queue;
  private readonly target: Amounts = new Map();
  private readonly need: Amounts = new Map();
  private taken: Allocation[] = [];
  private readonly refused = new Set<string>();
  private readonly past = new Set<string>();
  private readonly givenBack = new Set<string>();
  private readonly codes = new Set<string>();

  constructor(
    private readonly snapshot: ClusterSnapshot,
    private readonly trigger: QuotaDecreaseTrigger,
    private readonly settings: QuotaDecreaseSettings,
  ) {
    this.queues = snapshot.queues.map((queue) => ({
      path: queue.path,
      max: amountsFrom(queue.max),
      guaranteed: amountsFrom(queue.guaranteed),
      dynamic: queue.dynamic ?? false,
      enforcing: queue.enforcing ?? false,
    }));
    this.allocations = snapshot.allocations.map((allocation) => {
      const application = snapshot.applications.find(({ id }) => id === allocation.application)!;
      return {
        ...allocation,
        uses: new Map([...amountsFrom(allocation.resources)].filter(([, amount]) => amount > 0n)),
        node: allocation.node,
        user: application.user,
        priority: allocation.priority ?? application.priority ?? 0,
        role: allocation.role ?? 'task',
        state: allocation.state ?? 'running',
        allowPreemption: allocation.allowPreemption ?? true,
        protected: allocation.protected ?? false,
      };
    });
    this.at = this.queues.find(({ path }) => path === trigger.queue)!;
  }

  plan(): NaivePlan {
    const inFlightTypes =
      this.trigger.target === undefined
        ? [...this.at.max.keys()]
        : Object.keys(this.trigger.target).filter((type) => this.trigger.target![type]! > 0);
    const inFlight = written(
      inFlightTypes.map((type): [string, bigint] => [type, this.inFlight(this.at.path, type)]),
    );
    const skipped = this.isSkipped();
    if (!skipped) this.setTarget();
    if (this.target.size === 0) {
      if (skipped) this.codes.add('enforcement-skipped');
      else this.findUnknownTypes();
      return { ...this.result(skipped ? 'skipped' : 'not-needed', []), inFlight };
    }

    const isLeaf = this.children(this.at.path).length === 0;
    const shares = isLeaf ? [] : this.takeFromChildren();
    if (isLeaf) this.takeAlone();
    if (!this.reached()) {
      for (const a of this.allCandidates()) {
        if (!this.taken.includes(a) && this.usesShort(a) && !this.allowed(a)) this.refused.add(a.id);
      }
    }
    const found = this.taken.length;
    const reached = this.reached();
    if (!reached && this.settings.feasibility === 'all-or-nothing') {
      for (const a of this.taken) this.givenBack.add(a.id);
      this.taken = [];
      if (found > 0) this.codes.add('all-or-nothing');
    }
    const outcome = reached ? 'satisfied' : this.taken.length > 0 ? 'best-effort' : 'impossible';
    this.judge(outcome);
    this.findUnknownTypes();
    return { ...this.result(outcome, shares), inFlight };
  }

  // §8
  private isSkipped(): boolean {
    const enforcing = this.queues.some((queue) => queue.enforcing && isBelow(this.at.path, queue.path));
    return this.at.dynamic || enforcing || this.settings.quotaPreemptionEnabled === false;
  }

  // §4, §6.2
  private setTarget(): void {
    const wanted =
      this.trigger.target !== undefined
        ? amountsFrom(this.trigger.target)
        : new Map([...this.at.max].map(([type, max]) => [type, this.used(this.at.path, type) - max]));
    for (const [type, amount] of wanted) {
      if (amount <= 0n) continue;
      this.target.set(type, amount);
      this.need.set(type, amount - (amount * BigInt(this.settings.miss ?? 0)) / 100n);
    }
  }

  private usage(path: string, type: string): bigint {
    return this.sum(
      this.allocations.filter((a) => isBelow(a.queue, path)),
      type,
    );
  }
  private inFlight(path: string, type: string): bigint {
    return this.sum(
      this.allocations.filter((a) => isBelow(a.queue, path) && a.state !== 'running'),
      type,
    );
  }
  private used(path: string, type: string): bigint {
    return this.usage(path, type) - this.inFlight(path, type);
  }
  private sum(allocations: Allocation[], type: string): bigint {
    return allocations.reduce((total, a) => total + (a.uses.get(type) ?? 0n), 0n);
  }
  private takenBelow(path: string, type: string): bigint {
    return this.sum(
      this.taken.filter((a) => isBelow(a.queue, path)),
      type,
    );
  }
  private children(path: string): string[] {
    return this.queues
      .map((queue) => queue.path)
      .filter((child) => child !== path && parentOf(child) === path)
      .sort(compareText);
  }

  // §5
  private isCandidate(a: Allocation): boolean {
    return a.state === 'running' && a.role !== 'daemon' && this.usesTarget(a) && !this.isProtected(a);
  }
  private usesTarget(a: Allocation): boolean {
    return [...a.uses.keys()].some((type) => this.target.has(type));
  }
  private isProtected(a: Allocation): boolean {
    const { queues, applications, users, allocations, priorityAtLeast } = this.settings.protect ?? {};
    return (
      a.protected ||
      (queues ?? []).some((path) => isBelow(a.queue, path)) ||
      (applications ?? []).includes(a.application) ||
      (a.user !== undefined && (users ?? []).includes(a.user)) ||
      (allocations ?? []).includes(a.id) ||
      (typeof priorityAtLeast === 'number' && a.priority >= priorityAtLeast)
    );
  }
  private candidates(leaf: string): Allocation[] {
    return this.allocations.filter((a) => a.queue === leaf && this.isCandidate(a));
  }
  private allCandidates(): Allocation[] {
    return this.leavesTakingPart().flatMap((leaf) => this.candidates(leaf));
  }

  /** Up to rule 3. */
  private compareClasses(a: Allocation, b: Allocation): number {
    if (this.settings.victimOrder === 'closest-match') {
      const outside = (x: Allocation): number =>
        [...x.uses.keys()].filter((type) => !this.target.has(type)).length;
      const exact = (x: Allocation): boolean => outside(x) === 0 && x.uses.size === this.target.size;
      if (exact(a) !== exact(b)) return exact(a) ? -1 : 1;
      if (outside(a) !== outside(b)) return outside(a) - outside(b);
    }
    if ((a.role === 'placeholder') !== (b.role === 'placeholder')) return a.role === 'placeholder' ? -1 : 1;
    if ((a.role === 'originator') !== (b.role === 'originator')) return a.role === 'originator' ? 1 : -1;
    if (a.priority !== b.priority) return a.priority - b.priority;
    if (a.allowPreemption !== b.allowPreemption) return a.allowPreemption ? -1 : 1;
    return 0;
  }
  private compareAge(a: Allocation, b: Allocation): number {
    return Date.parse(b.startedAt) - Date.parse(a.startedAt) || compareText(a.id, b.id);
  }
  private compareNodes(leaf: string, a: Allocation, b: Allocation): number {
    if (a.node === undefined || b.node === undefined) {
      return Number(a.node === undefined) - Number(b.node === undefined);
    }
    const clearable = (x: Allocation): boolean =>
      this.allocations
        .filter((other) => other.node === x.node && other.state === 'running' && other.role !== 'daemon')
        .every((other) => this.candidates(leaf).includes(other) && this.compareClasses(other, x) <= 0);
    const ofClass = (x: Allocation): number =>
      this.candidates(leaf).filter((other) => other.node === x.node && this.compareClasses(other, x) === 0)
        .length;
    if (clearable(a) !== clearable(b)) return clearable(a) ? -1 : 1;
    return ofClass(a) - ofClass(b) || compareText(a.node, b.node);
  }
  private order(leaf: string): Allocation[] {
    return this.candidates(leaf).sort(
      (a, b) =>
        this.compareClasses(a, b) ||
        (this.settings.nodeAware ? this.compareNodes(leaf, a, b) : 0) ||
        this.compareAge(a, b),
    );
  }

  // §6.1
  private allowed(a: Allocation): boolean {
    return this.queues
      .filter((queue) => isBelow(a.queue, queue.path))
      .every((queue) =>
        [...a.uses].every(([type, amount]) => {
          const floor = queue.guaranteed.get(type);
          if (floor === undefined) return true;
          return this.used(queue.path, type) - this.takenBelow(queue.path, type) - amount >= floor;
        }),
      );
  }

  private claimed(type: string): bigint {
    return this.sum(this.taken, type);
  }
  private isShort(type: string): boolean {
    return this.need.has(type) && this.claimed(type) < this.need.get(type)!;
  }
  private usesShort(a: Allocation): boolean {
    return [...a.uses.keys()].some((type) => this.isShort(type));
  }
  private reached(): boolean {
    return [...this.need.keys()].every((type) => !this.isShort(type));
  }

  // §6.3, §7 step 5
  private takeFromLeaf(leaf: string, share: Amounts | null): number {
    const mine: Allocation[] = [];
    for (const a of this.order(leaf)) {
      if (this.reached()) break;
      if (this.taken.includes(a)) continue;
      const open = (type: string): boolean =>
        this.isShort(type) && (share === null || this.sum(mine, type) < (share.get(type) ?? 0n));
      if (![...a.uses.keys()].some(open)) continue;
      if (!this.allowed(a)) {
        this.refused.add(a.id);
        continue;
      }
      const passes = [...a.uses].some(
        ([type, amount]) =>
          this.target.has(type) &&
          (this.claimed(type) + amount > this.target.get(type)! ||
            (share !== null && this.sum(mine, type) + amount > (share.get(type) ?? 0n))),
      );
      if (this.settings.fit === 'within' && passes) {
        this.past.add(a.id);
        continue;
      }
      this.taken.push(a);
      mine.push(a);
    }
    return mine.length;
  }

  private reprieve(): number {
    const order = this.taken
      .map((a, rank) => ({ a, rank }))
      .sort(
        (x, y) =>
          this.compareClasses(x.a, y.a) ||
          (this.settings.nodeAware ? x.rank - y.rank : this.compareAge(x.a, y.a)),
      );
    let count = 0;
    for (const { a } of order.reverse()) {
      const others = this.taken.filter((other) => other !== a);
      const spare = [...a.uses.keys()].every(
        (type) => !this.need.has(type) || this.sum(others, type) >= this.need.get(type)!,
      );
      if (!spare) continue;
      this.taken = others;
      this.givenBack.add(a.id);
      count++;
    }
    return count;
  }

  private takeAlone(): void {
    for (;;) {
      this.takeFromLeaf(this.at.path, null);
      if (this.settings.fit === 'within') return;
      if (this.reprieve() === 0 || this.reached()) return;
    }
  }

  // §7 step 1
  private takesPart(path: string): boolean {
    if (path === this.at.path) return true;
    const queue = this.queues.find((other) => other.path === path)!;
    const types = new Set(this.allocations.flatMap((a) => [...a.uses.keys()]));
    const uses = [...types].some((type) => this.used(path, type) > 0n);
    return uses && !queue.enforcing && this.takesPart(parentOf(path));
  }
  private queuesTakingPart(path = this.at.path): string[] {
    return this.children(path)
      .filter((child) => this.takesPart(child))
      .flatMap((child) => [child, ...this.queuesTakingPart(child)]);
  }
  private leavesTakingPart(): string[] {
    return [this.at.path, ...this.queuesTakingPart()].filter((path) => this.children(path).length === 0);
  }

  // §7 step 2
  private releasable(path: string, type: string): bigint {
    const floor = this.queues.find((queue) => queue.path === path)!.guaranteed.get(type) ?? 0n;
    return positive(this.used(path, type) - this.takenBelow(path, type) - floor);
  }
  private room(path: string, type: string): bigint {
    const children = this.children(path);
    const below =
      children.length > 0
        ? children
            .filter((child) => this.takesPart(child))
            .reduce((sum, child) => sum + this.room(child, type), 0n)
        : this.sum(
            this.candidates(path).filter((a) => !this.taken.includes(a) && this.allowed(a)),
            type,
          );
    return min(this.releasable(path, type), below);
  }

  // §7 step 3
  private shareOut(amount: bigint, parent: string, type: string): Map<string, bigint> {
    const parts = new Map<string, bigint>();
    let open = this.children(parent)
      .filter((child) => this.takesPart(child) && this.room(child, type) > 0n)
      .map((path) => ({ path, weight: this.releasable(path, type), room: this.room(path, type) }));
    let left = amount;
    for (;;) {
      const weights = open.reduce((sum, child) => sum + child.weight, 0n);
      const full = open.filter((child) => left * child.weight >= child.room * weights);
      if (full.length === 0) {
        const rest = open.map((child) => ({ ...child, fraction: (left * child.weight) % weights }));
        for (const child of open) parts.set(child.path, (left * child.weight) / weights);
        const units = left - open.reduce((sum, child) => sum + parts.get(child.path)!, 0n);
        rest.sort(
          (a, b) =>
            Number(b.fraction > a.fraction) - Number(b.fraction < a.fraction) || compareText(a.path, b.path),
        );
        if (open.length > 0)
          for (let i = 0; i < units; i++) parts.set(rest[i]!.path, parts.get(rest[i]!.path)! + 1n);
        return parts;
      }
      for (const child of full) {
        if (left * child.weight > child.room * weights) this.codes.add('shifted-to-siblings');
        parts.set(child.path, child.room);
      }
      left -= full.reduce((sum, child) => sum + child.room, 0n);
      open = open.filter((child) => !full.includes(child));
    }
  }

  // §7 steps 3 to 5
  private round(amounts: Amounts): { shares: Map<string, Amounts>; taken: number } {
    const shares = new Map<string, Amounts>([[this.at.path, amounts]]);
    const inner = [this.at.path, ...this.queuesTakingPart()];
    for (const path of inner) {
      for (const [type, amount] of shares.get(path) ?? []) {
        for (const [child, part] of this.shareOut(amount, path, type)) {
          if (!shares.has(child)) shares.set(child, new Map());
          shares.get(child)!.set(type, part);
        }
      }
    }
    let taken = 0;
    for (const leaf of this.leavesTakingPart()) {
      if (!this.reached()) taken += this.takeFromLeaf(leaf, shares.get(leaf) ?? new Map());
    }
    return { shares, taken };
  }

  private takeFromChildren(): NaivePlan['shares'] {
    const releasable = (path: string): Resources =>
      written([...this.target.keys()].map((type): [string, bigint] => [type, this.releasable(path, type)]));
    const listed = this.queuesTakingPart().map((queue) => ({ queue, releasable: releasable(queue) }));
    const first = this.round(this.target);
    let progress = first.taken > 0;
    for (;;) {
      while (progress && !this.reached()) {
        const rest = [...this.need].map(([type, need]): [string, bigint] => [
          type,
          positive(need - this.claimed(type)),
        ]);
        progress = this.round(new Map(rest)).taken > 0;
        if (progress) this.codes.add('shifted-to-siblings');
      }
      if (this.settings.fit === 'within') break;
      progress = this.reprieve() > 0;
      if (this.reached() || !progress) break;
    }
    return listed.map(({ queue, releasable: amounts }) => ({
      queue,
      releasable: amounts,
      target: written(first.shares.get(queue) ?? []),
      claimed: {},
    }));
  }

  // §10
  private judge(outcome: Outcome): void {
    const over = [...this.target].some(([type, amount]) => this.claimed(type) > amount);
    const under = [...this.target].some(([type, amount]) => this.claimed(type) < amount);
    if (this.refused.size > 0) this.codes.add('guaranteed-floor');
    if (over) this.codes.add('overshoot');
    if (outcome === 'satisfied') {
      if (under) this.codes.add('within-miss');
      return;
    }
    this.codes.add(outcome);
    const candidates = this.allCandidates();
    const kept = this.leavesTakingPart().flatMap((leaf) =>
      this.allocations.filter(
        (a) =>
          a.queue === leaf &&
          a.state === 'running' &&
          a.role !== 'daemon' &&
          this.usesTarget(a) &&
          this.isProtected(a),
      ),
    );
    if (kept.length > 0) this.codes.add('protected');
    if (candidates.length === 0) {
      const running = this.allocations.filter(
        (a) => isBelow(a.queue, this.at.path) && a.state === 'running' && this.usesTarget(a),
      );
      if (running.length > 0 && running.every((a) => a.role === 'daemon')) this.codes.add('only-daemons');
      else if (kept.length === 0) this.codes.add('no-candidates');
    } else if (
      candidates.length === 1 ||
      [...this.need].some(([type, need]) => this.sum(candidates, type) < need)
    ) {
      this.codes.add('too-few-victims');
    }
  }

  private findUnknownTypes(): void {
    const known = new Set([
      ...this.allocations.flatMap((a) =>
        Object.keys(this.snapshot.allocations.find(({ id }) => id === a.id)!.resources).filter((type) =>
          a.uses.has(type),
        ),
      ),
      ...this.snapshot.applications.flatMap((a) =>
        (a.pending ?? []).flatMap((p) => Object.keys(p.resources)),
      ),
      ...(this.snapshot.nodes ?? []).flatMap((node) => Object.keys(node.capacity ?? {})),
    ]);
    const looked = this.queues.filter(
      (queue) => isBelow(queue.path, this.at.path) || isBelow(this.at.path, queue.path),
    );
    const named = looked.flatMap((queue) => [...queue.max.keys(), ...queue.guaranteed.keys()]);
    if (named.some((type) => !known.has(type))) this.codes.add('unknown-resource-type');
  }

  private reasonOf(a: Allocation): string {
    if (a.role === 'daemon') return 'daemon';
    if (a.state !== 'running') return 'not-running';
    if (this.target.size > 0 && !this.usesTarget(a)) return 'other-types';
    if (this.isProtected(a)) return 'protected';
    if (this.queues.some((queue) => queue.enforcing && isBelow(a.queue, queue.path))) return 'enforcing';
    if (this.refused.has(a.id)) return 'guaranteed-floor';
    if (this.past.has(a.id)) return 'past-target';
    if (this.givenBack.has(a.id)) return 'given-back';
    return 'not-needed';
  }

  private result(outcome: Outcome, shares: NaivePlan['shares']): Omit<NaivePlan, 'inFlight'> {
    const targets = [...this.target.keys()];
    const amounts = (of: (type: string) => bigint): Resources =>
      written(targets.map((type): [string, bigint] => [type, of(type)]));
    const types = new Set(this.taken.flatMap((a) => [...a.uses.keys()]));
    const others = [...types].filter((type) => !this.target.has(type));
    return {
      outcome,
      target: written(this.target),
      claimed: amounts((type) => this.claimed(type)),
      shortfall: amounts((type) => this.target.get(type)! - this.claimed(type)),
      overshoot: amounts((type) => this.claimed(type) - this.target.get(type)!),
      collateral: written(others.map((type): [string, bigint] => [type, this.claimed(type)])),
      shares: shares.map((share) => ({
        ...share,
        claimed: amounts((type) => this.takenBelow(share.queue, type)),
      })),
      victims: this.taken.map((a) => a.id),
      spared: this.allocations
        .filter((a) => isBelow(a.queue, this.at.path) && !this.taken.includes(a))
        .sort((a, b) => compareText(a.queue, b.queue) || compareText(a.id, b.id))
        .map((a) => ({ allocation: a.id, reason: this.reasonOf(a) })),
      notices: [...this.codes].sort(compareText),
    };
  }
}
