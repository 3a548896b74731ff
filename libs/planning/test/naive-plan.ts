import { parse } from 'yaml';
import type {
  ClusterSnapshot,
  Outcome,
  QuotaDecreaseSettings,
  QuotaDecreaseTrigger,
  Resources,
  SnapshotAllocation,
} from '#contracts';

/** The part of a plan that the specification fixes to the letter; notices by their codes, those of victim care with the name. */
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
  /** The rank of the first of its unit, and the budgets that are passed, by victim. */
  units: { [victim: string]: number };
  overBudget: { [victim: string]: string[] };
  spared: { allocation: string; reason: string }[];
  notices: string[];
}

type Amounts = Map<string, bigint>;
type Allocation = Required<
  Omit<
    SnapshotAllocation,
    'resources' | 'uid' | 'node' | 'lastJobStartedAt' | 'interruptible' | 'checkpointedAt'
  >
> & {
  uses: Amounts;
  node: string | undefined;
  user: string | undefined;
  checkpointedAt: string | undefined;
  minMembers: number | undefined;
};
/** A test of docs/reference/policies/victim-care.md §4, and what its notice names. */
interface Refusal {
  test: string;
  names: string[];
}
interface Fraction {
  n: bigint;
  d: bigint;
}
interface Queue {
  path: string;
  max: Amounts;
  guaranteed: Amounts;
  dynamic: boolean;
  enforcing: boolean;
  minRunMs: number | undefined;
  share: bigint | undefined;
  limit: Amounts;
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const positive = (a: bigint): bigint => (a > 0n ? a : 0n);
const isBelow = (path: string, queue: string): boolean => path === queue || path.startsWith(`${queue}.`);
const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('.')));

function amountsFrom(resources: Resources | undefined): Amounts {
  return new Map(Object.entries(resources ?? {}).map(([type, amount]) => [type, BigInt(amount)]));
}

const unitsOf: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
/** Of what the generated cases have. */
function minRunOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const [, count, unit = 's'] = /^([\d.]+)(ms|s|m|h)?$/.exec(String(value))!;
  return Math.ceil(Number(count) * unitsOf[unit]!);
}
function shareOf(value: unknown): bigint | undefined {
  return value === undefined || value === null ? undefined : BigInt(value as string | number);
}
function limitOf(value: unknown): Amounts {
  if (value === undefined || value === null) return new Map();
  const entries = Object.entries(typeof value === 'string' ? parse(value) : value);
  return new Map(
    entries.map(([type, text]): [string, bigint] => {
      const [, digits, unit = ''] = /^(\d+)(m|M|G)?$/.exec(String(text))!;
      const factor = { '': 1n, m: 1n, M: 10n ** 6n, G: 10n ** 9n }[unit]!;
      return [type, BigInt(digits!) * factor * (type === 'vcore' && unit !== 'm' ? 1000n : 1n)];
    }),
  );
}

const fraction = (n: bigint, d = 1n): Fraction => ({ n, d });
const plus = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.d + b.n * a.d, d: a.d * b.d });
const minus = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.d - b.n * a.d, d: a.d * b.d });
const times = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.n, d: a.d * b.d });
const compare = (a: Fraction, b: Fraction): number => {
  const difference = minus(a, b).n;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
};

function written(amounts: Iterable<[string, bigint]>): Resources {
  const entries = [...amounts].filter(([, amount]) => amount > 0n).sort(([a], [b]) => compareText(a, b));
  return Object.fromEntries(entries.map(([type, amount]) => [type, Number(amount)]));
}

/**
 * The policy once more, written from docs/reference/policies/quota-decrease.md and victim-care.md alone (its sections are cited as C1 …),
 * as literally as it goes: objects, big integers, and every sum made again whenever it is asked for. Far too slow for a cluster; it guards the planner that is not.
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
  /** Units of two or more that are taken, with the member that was reached. */
  private units: { reached: Allocation; members: Allocation[] }[] = [];
  private surplus: Allocation[] = [];
  private borrowed: Allocation[] = [];
  /** C5.2: the budgets are not asked any more. */
  private secondPart = false;
  private firstRound = true;
  private readonly refusals = new Map<string, Set<string>>();
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
      minRunMs: minRunOf(queue.properties?.['quota.preemption.min.run']),
      share: queue.dynamic ? undefined : shareOf(queue.properties?.['quota.preemption.share']),
      limit: limitOf(queue.properties?.['quota.preemption.limit']),
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
        checkpointedAt: allocation.checkpointedAt,
        budgets: allocation.budgets ?? [],
        minMembers: application.gang?.minMembers,
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
    if (isLeaf) this.takeFromOneLeaf();
    this.testWhatIsLeft();
    if (this.settings.disruptionBudgets === 'last' && !this.reached()) {
      this.secondPart = true;
      if (isLeaf) this.takeFromOneLeaf();
      else this.furtherRounds(true);
      this.testWhatIsLeft();
    }
    const found = this.taken.length;
    const reached = this.reached();
    if (!reached && this.settings.feasibility === 'all-or-nothing') {
      for (const a of this.taken) this.givenBack.add(a.id);
      this.taken = [];
      this.units = [];
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
    return (
      a.state === 'running' &&
      a.role !== 'daemon' &&
      this.usesTarget(a) &&
      !this.isProtected(a) &&
      !this.isTooYoung(a)
    );
  }
  // C2
  private isTooYoung(a: Allocation): boolean {
    if (a.role === 'placeholder') return false;
    const chain = this.chain(a.queue).reverse();
    const own = chain.find((queue) => queue.minRunMs !== undefined)?.minRunMs;
    const minimum = own ?? (this.settings.minRunSeconds ?? 0) * 1000;
    return minimum > 0 && Date.parse(this.snapshot.takenAt) - Date.parse(a.startedAt) < minimum;
  }
  /** From the top down. */
  private chain(path: string): Queue[] {
    return this.queues
      .filter((queue) => isBelow(path, queue.path))
      .sort((a, b) => a.path.length - b.path.length);
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
  private compareClasses(a: Allocation, b: Allocation, closestMatch = true): number {
    if (closestMatch && this.settings.victimOrder === 'closest-match') {
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
    // C3
    const time = (x: Allocation): number =>
      this.settings.ageFrom === 'checkpoint' && x.checkpointedAt !== undefined
        ? Math.max(Date.parse(x.startedAt), Date.parse(x.checkpointedAt))
        : Date.parse(x.startedAt);
    return time(b) - time(a) || compareText(a.id, b.id);
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

  // C4, C7: what goes with a candidate
  private isMember(a: Allocation): boolean {
    return (
      this.settings.gangs !== 'ignore' &&
      a.minMembers !== undefined &&
      a.state === 'running' &&
      (a.role === 'task' || a.role === 'originator')
    );
  }
  private staying(of: Allocation): Allocation[] {
    return this.allocations.filter(
      (a) => a.application === of.application && this.isMember(a) && !this.taken.includes(a),
    );
  }
  private isSurplus(a: Allocation): boolean {
    return this.isMember(a) && this.staying(a).length - 1 >= a.minMembers!;
  }
  private unitOf(a: Allocation): Allocation[] {
    if (!this.isMember(a) || this.isSurplus(a) || this.settings.gangs === 'spare') return [a];
    return this.staying(a).sort((x, y) => this.compareClasses(x, y, false) || this.compareAge(x, y));
  }

  /** The first of the tests 1 to 5 of C4 that refuses; `budgets`: whether the fourth is made. */
  private refusal(a: Allocation, budgets = !this.secondPart): Refusal | null {
    const unit = this.unitOf(a);
    if (this.isMember(a) && !this.isSurplus(a)) {
      const whole = unit.every((x) => x.queue === a.queue && !this.isProtected(x) && !this.isTooYoung(x));
      if (this.settings.gangs === 'spare' || !whole) return { test: 'gang', names: [a.application] };
    }
    const types = [...new Set(unit.flatMap((x) => [...x.uses.keys()]))];
    // Q6.1
    const floored = this.chain(a.queue).some((queue) =>
      types.some((type) => {
        const floor = queue.guaranteed.get(type);
        if (floor === undefined) return false;
        if (this.settings.guaranteedTypes === 'lowered' && !this.target.has(type)) return false;
        return this.used(queue.path, type) - this.takenBelow(queue.path, type) - this.sum(unit, type) < floor;
      }),
    );
    if (floored) return { test: 'guaranteed-floor', names: [] };
    // C8.5
    const limiting = this.chain(a.queue)
      .reverse()
      .find((queue) =>
        types.some((type) => {
          const limit = queue.limit.get(type);
          return limit !== undefined && this.takenBelow(queue.path, type) + this.sum(unit, type) > limit;
        }),
      );
    if (limiting !== undefined) return { test: 'queue-limit', names: [limiting.path] };
    if (budgets && this.settings.disruptionBudgets !== 'ignore') {
      const names = this.budgetsRefusing(unit);
      if (names.length > 0) return { test: 'disruption-budget', names };
    }
    const names = this.ownersRefusing(unit);
    return names.length > 0 ? { test: 'owner-budget', names } : null;
  }
  // C5.1
  private budgetsRefusing(unit: Allocation[]): string[] {
    return (this.snapshot.budgets ?? [])
      .filter(({ id, allowed }) => {
        const members = unit.filter((x) => x.budgets.includes(id)).length;
        const allowance = allowed - this.taken.filter((x) => x.budgets.includes(id)).length;
        return members > 0 && members > allowance;
      })
      .map(({ id }) => id);
  }
  // C6
  private ownersRefusing(unit: Allocation[]): string[] {
    const names: string[] = [];
    (this.settings.ownerBudgets ?? []).forEach(({ per, victims, seconds }, entry) => {
      const ownerOf = (x: { user?: string | undefined; application: string; queue: string }): string =>
        per === 'user' ? (x.user ?? '') : per === 'application' ? x.application : x.queue;
      const since = Date.parse(this.snapshot.takenAt) - seconds! * 1000;
      for (const owner of new Set(unit.map(ownerOf))) {
        const recent = (this.snapshot.recentVictims ?? []).filter(
          (victim) => ownerOf(victim) === owner && Date.parse(victim.at) > since,
        );
        const all = [...unit, ...this.taken].filter((x) => ownerOf(x) === owner).length + recent.length;
        if (all > victims!) names.push(`${entry} ${owner}`);
      }
    });
    return names;
  }

  private passOver(a: Allocation, { test, names }: Refusal): void {
    const whole = this.unitOf(a).length > 1;
    const reason = whole ? 'gang' : test;
    if (!this.refusals.has(a.id)) this.refusals.set(a.id, new Set());
    this.refusals.get(a.id)!.add(reason);
    if (reason === 'gang') this.codes.add(`gang ${a.application}`);
    else if (test === 'guaranteed-floor') this.codes.add(test);
    else for (const name of names) this.codes.add(`${test} ${name}`);
  }

  // C10
  private testWhatIsLeft(): void {
    if (this.reached()) return;
    for (const a of this.allCandidates()) {
      if (this.taken.includes(a) || !this.usesShort(a) || this.refusals.has(a.id)) continue;
      const refusal = this.refusal(a);
      if (refusal !== null) this.passOver(a, refusal);
    }
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
      const refusal = this.refusal(a);
      if (refusal !== null) {
        this.passOver(a, refusal);
        continue;
      }
      const unit = this.unitOf(a);
      const passes = [...this.target].some(([type, amount]) => {
        const more = this.sum(unit, type);
        return (
          more > 0n &&
          (this.claimed(type) + more > amount ||
            (share !== null && this.sum(mine, type) + more > (share.get(type) ?? 0n)))
        );
      });
      if (this.settings.fit === 'within' && passes) {
        if (unit.length > 1) this.passOver(a, { test: 'past-target', names: [] });
        else this.past.add(a.id);
        continue;
      }
      // C5.2
      this.borrowed = this.borrowed.filter((x) => x !== a);
      if (this.secondPart && this.budgetsRefusing(unit).length > 0) this.borrowed.push(a);
      if (this.isSurplus(a)) this.surplus.push(a);
      if (unit.length > 1) this.units.push({ reached: a, members: unit });
      this.taken.push(...unit);
      mine.push(...unit);
    }
    return mine.length;
  }

  private reprieve(): number {
    const unitOf = (a: Allocation) => this.units.find(({ members }) => members.includes(a));
    const order = this.taken
      .map((a, rank) => ({ a, rank }))
      .filter(({ a }) => unitOf(a) === undefined || unitOf(a)!.reached === a)
      .sort(
        (x, y) =>
          Number(this.borrowed.includes(x.a)) - Number(this.borrowed.includes(y.a)) ||
          this.compareClasses(x.a, y.a) ||
          (this.settings.nodeAware ? x.rank - y.rank : this.compareAge(x.a, y.a)),
      );
    let count = 0;
    for (const { a } of order.reverse()) {
      const unit = unitOf(a)?.members ?? [a];
      // C7.7
      const waits =
        this.surplus.includes(a) && this.units.some((other) => other.reached.application === a.application);
      const others = this.taken.filter((other) => !unit.includes(other));
      const spare = [...this.need].every(
        ([type, need]) => this.sum(unit, type) === 0n || this.sum(others, type) >= need,
      );
      if (waits || !spare) continue;
      this.taken = others;
      this.units = this.units.filter(({ reached }) => reached !== a);
      this.surplus = this.surplus.filter((x) => x !== a);
      for (const x of unit) this.givenBack.add(x.id);
      count += unit.length;
    }
    return count;
  }

  private takeFromOneLeaf(): void {
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
            this.candidates(path).filter((a) => !this.taken.includes(a) && this.refusal(a) === null),
            type,
          );
    // C8.6
    return min(this.withinLimit(path, type, this.releasable(path, type)), below);
  }
  private withinLimit(path: string, type: string, amount: bigint): bigint {
    const limit = this.queues.find((queue) => queue.path === path)!.limit.get(type);
    return limit === undefined ? amount : min(amount, positive(limit - this.takenBelow(path, type)));
  }

  // §7 step 3, C8
  private shareOut(amount: bigint, parent: string, type: string): Map<string, bigint> {
    const children = this.children(parent)
      .filter((child) => this.takesPart(child) && this.room(child, type) > 0n)
      .map((path) => ({
        path,
        weight: this.releasable(path, type),
        room: this.room(path, type),
        share: this.queues.find((queue) => queue.path === path)!.share,
        part: fraction(0n),
      }));
    let left = fraction(amount);
    // C8.1
    for (const child of children) {
      if (child.share === undefined) continue;
      const quota = fraction(amount * child.share, 100n);
      if (compare(quota, fraction(child.room)) > 0) this.codes.add('shifted-to-siblings');
      child.part = compare(quota, fraction(child.room)) > 0 ? fraction(child.room) : quota;
      left = minus(left, child.part);
    }
    // C8.2, C8.3
    for (const withShare of [false, true]) {
      let open = children.filter(
        (child) => (child.share !== undefined) === withShare && compare(child.part, fraction(child.room)) < 0,
      );
      if (withShare && left.n > 0n && this.firstRound) {
        for (const child of open) this.codes.add(`share-passed ${child.path}`);
      }
      while (open.length > 0 && left.n > 0n) {
        const weights = open.reduce((sum, child) => sum + child.weight, 0n);
        const quota = (child: { weight: bigint }): Fraction => times(left, fraction(child.weight, weights));
        const free = (child: { room: bigint; part: Fraction }): Fraction =>
          minus(fraction(child.room), child.part);
        const full = open.filter((child) => compare(quota(child), free(child)) >= 0);
        if (full.length === 0) {
          for (const child of open) child.part = plus(child.part, quota(child));
          left = fraction(0n);
          break;
        }
        let given = fraction(0n);
        for (const child of full) {
          if (compare(quota(child), free(child)) > 0) this.codes.add('shifted-to-siblings');
          given = plus(given, free(child));
        }
        for (const child of full) child.part = fraction(child.room);
        left = minus(left, given);
        open = open.filter((child) => !full.includes(child));
      }
    }
    // C8.4
    const parts = new Map(children.map(({ path, part }) => [path, part.n / part.d]));
    const all = children.reduce((sum, { part }) => plus(sum, part), fraction(0n));
    const units = all.n / all.d - [...parts.values()].reduce((sum, part) => sum + part, 0n);
    const rest = children
      .map(({ path, part }) => ({ path, rest: minus(part, fraction(part.n / part.d)) }))
      .sort((a, b) => compare(b.rest, a.rest) || compareText(a.path, b.path));
    for (let i = 0; i < units; i++) parts.set(rest[i]!.path, parts.get(rest[i]!.path)! + 1n);
    return parts;
  }

  // §7 steps 3 to 5
  private round(given: Amounts): { shares: Map<string, Amounts>; taken: number } {
    // C8.6
    const amounts = new Map(
      [...given].map(([type, amount]): [string, bigint] => [
        type,
        this.chain(this.at.path).reduce((least, queue) => this.withinLimit(queue.path, type, least), amount),
      ]),
    );
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
    this.firstRound = false;
    this.furtherRounds(first.taken > 0);
    return listed.map(({ queue, releasable: amounts }) => ({
      queue,
      releasable: amounts,
      target: written(first.shares.get(queue) ?? []),
      claimed: {},
    }));
  }

  // §7 step 6
  private furtherRounds(start: boolean): void {
    let progress = start;
    for (;;) {
      while (progress && !this.reached()) {
        const rest = [...this.need].map(([type, need]): [string, bigint] => [
          type,
          positive(need - this.claimed(type)),
        ]);
        progress = this.round(new Map(rest)).taken > 0;
        if (progress) this.codes.add('shifted-to-siblings');
      }
      if (this.settings.fit === 'within') return;
      progress = this.reprieve() > 0;
      if (this.reached() || !progress) return;
    }
  }

  // §10
  private judge(outcome: Outcome): void {
    const over = [...this.target].some(([type, amount]) => this.claimed(type) > amount);
    const under = [...this.target].some(([type, amount]) => this.claimed(type) < amount);
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
    const young = this.leavesTakingPart().flatMap((leaf) =>
      this.allocations.filter(
        (a) =>
          a.queue === leaf &&
          a.state === 'running' &&
          a.role !== 'daemon' &&
          this.usesTarget(a) &&
          !this.isProtected(a) &&
          this.isTooYoung(a),
      ),
    );
    if (young.length > 0) this.codes.add(`too-young ${this.at.path}`);
    if (candidates.length === 0) {
      const running = this.allocations.filter(
        (a) => isBelow(a.queue, this.at.path) && a.state === 'running' && this.usesTarget(a),
      );
      if (running.length > 0 && running.every((a) => a.role === 'daemon')) this.codes.add('only-daemons');
      else if (kept.length === 0 && young.length === 0) this.codes.add('no-candidates');
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
    const checked = this.queues.filter(
      (queue) => isBelow(queue.path, this.at.path) || isBelow(this.at.path, queue.path),
    );
    const named = checked.flatMap((queue) => [...queue.max.keys(), ...queue.guaranteed.keys()]);
    if (named.some((type) => !known.has(type))) this.codes.add('unknown-resource-type');
  }

  // C10
  private overBudget(): NaivePlan['overBudget'] {
    const over: NaivePlan['overBudget'] = {};
    for (const { id, allowed } of this.snapshot.budgets ?? []) {
      const inIt = this.taken.filter((a) => a.budgets.includes(id));
      for (const a of inIt.slice(allowed)) over[a.id] = [...(over[a.id] ?? []), id].sort(compareText);
      if (inIt.length > allowed) this.codes.add(`disruption-budget-passed ${id}`);
    }
    return over;
  }

  private reasonOf(a: Allocation): string {
    if (a.role === 'daemon') return 'daemon';
    if (a.state !== 'running') return 'not-running';
    if (this.target.size > 0 && !this.usesTarget(a)) return 'other-types';
    if (this.isProtected(a)) return 'protected';
    if (this.queues.some((queue) => queue.enforcing && isBelow(a.queue, queue.path))) return 'enforcing';
    if (this.isTooYoung(a)) return 'too-young';
    const refusals = ['gang', 'guaranteed-floor', 'queue-limit', 'disruption-budget', 'owner-budget'];
    const refusal = refusals.find((reason) => this.refusals.get(a.id)?.has(reason));
    if (refusal !== undefined) return refusal;
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
      units: Object.fromEntries(
        this.units.flatMap(({ members }) =>
          members.map((a) => [a.id, 1 + Math.min(...members.map((x) => this.taken.indexOf(x)))]),
        ),
      ),
      overBudget: this.overBudget(),
      spared: this.allocations
        .filter((a) => isBelow(a.queue, this.at.path) && !this.taken.includes(a))
        .sort((a, b) => compareText(a.queue, b.queue) || compareText(a.id, b.id))
        .map((a) => ({ allocation: a.id, reason: this.reasonOf(a) })),
      notices: [...this.codes].sort(compareText),
    };
  }
}
