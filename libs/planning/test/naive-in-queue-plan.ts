import type { IntraQueueSettings, Resources, SnapshotAllocation, SnapshotQueue } from '#contracts';
import type { InQueueCase } from './generated-in-queue-clusters.js';

/** The result of both planners. Notices as `<code> <queue>`, those of no queue as `<code>`. */
export interface NaiveInQueuePlan {
  outcome: string;
  target: Resources;
  inFlight: Resources;
  claimed: Resources;
  shortfall: Resources;
  overshoot: Resources;
  collateral: Resources;
  shares: unknown[];
  victims: string[];
  spared: { allocation: string; reason: string }[];
  notices: string[];
}

/**
 * In-queue preemption once more, written from docs/reference/policies/intra-queue.md alone: slow, in fractions of big integers, without
 * any part of the planner.
 */
export function naiveInQueuePlan({ snapshot, trigger, settings }: InQueueCase): NaiveInQueuePlan {
  return new Naive(snapshot, trigger.queue, settings).plan();
}

type Vec = bigint[];
interface Fraction {
  n: bigint;
  d: bigint;
}

const fraction = (value: number): Fraction => {
  const text = value.toFixed(10);
  return { n: BigInt(text.replace('.', '')), d: 10n ** 10n };
};
const ceil = (n: bigint, d: bigint): bigint => n / d + (n % d > 0n ? 1n : 0n);
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const instant = (text: string): number => Date.parse(text);

interface App {
  id: string;
  queue: string;
  user: string;
  priority: number;
  submittedAt: number;
  allocations: SnapshotAllocation[];
  requests: Resources[];
  used: Vec;
  fixed: Vec;
  own: Vec;
  inFlight: Vec;
  pending: Vec;
  ideal: Vec;
  need: Vec;
  offer: Vec;
  give: Vec;
}

interface LeafPlan {
  path: string;
  policy: string;
  apps: App[];
  needBefore: Map<App, Vec>;
  demand: Vec;
  full: Vec;
  left: Vec;
  releasable: Vec;
  target: Vec;
  inFlight: Vec;
  victims: SnapshotAllocation[];
  limits: Map<string, Vec>;
}

class Naive {
  private readonly all: string[];
  private readonly types: string[];
  private readonly cluster: Vec;
  private readonly step: Vec;
  private readonly back: Vec;
  private round: Vec;
  private readonly notices: string[] = [];
  private readonly reasons = new Map<string, string>();
  private readonly settings: Required<IntraQueueSettings>;

  constructor(
    private readonly snapshot: InQueueCase['snapshot'],
    private readonly queue: string | undefined,
    given: IntraQueueSettings,
  ) {
    this.settings = {
      explain: true,
      enabled: true,
      preemptionOrderPolicy: 'userlimit-first',
      maxAllowableLimit: 0.2,
      minimumThreshold: 0.5,
      conservativeDrf: true,
      totalPreemptionPerRound: 0.1,
      maxWaitBeforeKill: 15000,
      monitoringInterval: 3000,
      observeOnly: false,
      resourceCalculator: 'default',
      minimumAllocation: {},
      cooldown: 0,
      fitAware: false,
      protect: null,
      ...given,
    };
    const named = [
      ...(snapshot.nodes ?? []).map((node) => node.capacity!),
      ...snapshot.queues.flatMap((queue) => [queue.max ?? {}, queue.guaranteed ?? {}]),
      ...snapshot.allocations.map(({ resources }) =>
        Object.fromEntries(Object.entries(resources).filter(([, amount]) => amount > 0)),
      ),
      ...snapshot.applications.flatMap((app) => app.pending!.map(({ resources }) => resources)),
    ];
    this.all = [...new Set(named.flatMap((resources) => Object.keys(resources)))].sort(compareText);
    this.types = this.settings.resourceCalculator === 'dominant' ? this.all : ['memory'];
    const root = snapshot.queues.find(({ path }) => path === 'root')!;
    this.cluster = this.vec(snapshot.nodes?.[0]?.capacity ?? root.max ?? root.guaranteed);
    this.back = this.vec(this.settings.minimumAllocation!);
    this.step = this.back.map((amount) => (amount > 1n ? amount : 1n));
    const leaving = this.sumOf(snapshot.allocations.filter((a) => (a.state ?? 'running') !== 'running'));
    this.round = this.clip(
      this.minus(this.times(this.cluster, fraction(this.settings.totalPreemptionPerRound!)), leaving),
    );
  }

  // Vectors

  private vec(resources: Resources | undefined | null): Vec {
    return this.types.map((type) => BigInt(resources?.[type] ?? 0));
  }
  private sumOf(allocations: SnapshotAllocation[]): Vec {
    return allocations.reduce((sum, a) => this.plus(sum, this.vec(a.resources)), this.vec({}));
  }
  private plus = (a: Vec, b: Vec): Vec => a.map((x, i) => x + b[i]!);
  private minus = (a: Vec, b: Vec): Vec => a.map((x, i) => x - b[i]!);
  private clip = (a: Vec): Vec => a.map((x) => (x > 0n ? x : 0n));
  private times = (a: Vec, { n, d }: Fraction): Vec => a.map((x) => (x * n) / d);
  private isZero = (a: Vec): boolean => a.every((x) => x === 0n);
  private up = (a: Vec): Vec => a.map((x, i) => ceil(x, this.step[i]!) * this.step[i]!);
  private zero = (): Vec => this.types.map(() => 0n);

  private shares(a: Vec): Fraction[] {
    return a
      .map((n, i) => ({ n, d: this.cluster[i]! }))
      .filter(({ d }) => d > 0n)
      .sort((x, y) => (x.n * y.d > y.n * x.d ? -1 : x.n * y.d < y.n * x.d ? 1 : 0));
  }
  private compare(a: Vec, b: Vec): number {
    if (this.settings.resourceCalculator !== 'dominant') return a[0]! > b[0]! ? 1 : a[0]! < b[0]! ? -1 : 0;
    if (this.isZero(this.cluster)) {
      const greater = a.some((x, i) => x > b[i]!);
      const smaller = a.some((x, i) => x < b[i]!);
      return greater === smaller ? 0 : greater ? 1 : -1;
    }
    const [left, right] = [this.shares(a), this.shares(b)];
    for (let i = 0; i < left.length; i++) {
      const difference = left[i]!.n * right[i]!.d - right[i]!.n * left[i]!.d;
      if (difference !== 0n) return difference > 0n ? 1 : -1;
    }
    return 0;
  }
  private above = (a: Vec): boolean => this.compare(a, this.zero()) > 0;
  private min = (a: Vec, b: Vec): Vec => (this.compare(a, b) <= 0 ? a : b);
  private max = (a: Vec, b: Vec): Vec => (this.compare(a, b) >= 0 ? a : b);
  private largest(a: Vec): Fraction {
    if (this.settings.resourceCalculator !== 'dominant') return { n: a[0]!, d: 1n };
    return this.shares(a)[0] ?? { n: 0n, d: 1n };
  }
  private ratio(a: Vec, b: Vec): Fraction {
    const [x, y] = [this.largest(a), this.largest(b)];
    return { n: x.n * y.d, d: x.d * y.n };
  }
  private written(a: Vec, types = this.types): Resources {
    return Object.fromEntries(
      types.map((type, i): [string, number] => [type, Number(a[i]!)]).filter(([, amount]) => amount > 0),
    );
  }

  // The properties of queues and allocations

  private chain(path: string): SnapshotQueue[] {
    return this.snapshot.queues
      .filter((queue) => path === queue.path || path.startsWith(`${queue.path}.`))
      .sort((a, b) => b.path.length - a.path.length);
  }
  private inherited(path: string, name: string): unknown {
    return this.chain(path)
      .map(({ properties }) => properties?.[name])
      .find((value) => value !== undefined);
  }
  private own(path: string, name: string): unknown {
    return this.chain(path)[0]!.properties?.[name];
  }
  private weight(path: string, user: string): Fraction {
    for (const { properties } of this.chain(path)) {
      const weights = (properties?.userWeights ?? {}) as Record<string, number>;
      if (Object.hasOwn(weights, user)) return fraction(weights[user]!);
    }
    return fraction(1);
  }
  private fixedAs(a: SnapshotAllocation): string | undefined {
    const app = this.snapshot.applications.find(({ id }) => id === a.application)!;
    const { users, allocations } = this.settings.protect ?? {};
    if (a.role === 'originator' || a.role === 'daemon') return a.role;
    if (a.protected || users?.includes(app.user!) || allocations?.includes(a.id)) return 'protected';
    const last = app.properties?.lastPreemptedAt as string | undefined;
    const since =
      last === undefined ? Number.POSITIVE_INFINITY : instant(this.snapshot.takenAt) - instant(last);
    return this.settings.cooldown! > 0 && since < this.settings.cooldown! ? 'cooling' : undefined;
  }

  private appsOf(path: string): App[] {
    return this.snapshot.applications
      .filter(({ queue }) => queue === path)
      .map((app): App => {
        const allocations = this.snapshot.allocations.filter((a) => a.application === app.id);
        const used = this.sumOf(allocations);
        const fixed = this.sumOf(allocations.filter((a) => this.fixedAs(a) !== undefined));
        return {
          id: app.id,
          queue: path,
          user: app.user!,
          priority: app.priority!,
          submittedAt: instant(app.submittedAt!),
          allocations,
          requests: app
            .pending!.filter(({ count }) => count > 0)
            .map(({ resources }) => resources)
            .filter((request) => Object.values(request).some((amount) => amount > 0)),
          used,
          fixed,
          own: this.minus(used, fixed),
          inFlight: this.sumOf(allocations.filter((a) => (a.state ?? 'running') !== 'running')),
          pending: app.pending!.reduce(
            (sum, { resources, count }) =>
              this.plus(
                sum,
                this.vec(resources).map((x) => x * BigInt(count)),
              ),
            this.zero(),
          ),
          ideal: this.zero(),
          need: this.zero(),
          offer: this.zero(),
          give: this.zero(),
        };
      });
  }

  private total = (apps: App[], of: 'used' | 'fixed' | 'own' | 'inFlight'): Vec =>
    apps.reduce((sum, app) => this.plus(sum, app[of]), this.zero());

  private limitsOf(path: string, apps: App[]): Map<string, Vec> {
    const users = [...new Set(apps.map(({ user }) => user))];
    const { max, guaranteed: given } = this.chain(path)[0]!;
    const guaranteed = this.vec(given);
    const of = (user: string) => apps.filter((app) => app.user === user);
    const base0 = this.max(guaranteed, this.step);
    let consumed = this.total(apps, 'used');
    if (this.settings.resourceCalculator === 'dominant') {
      const sum = users
        .map((user) => this.largest(this.total(of(user), 'used')))
        .reduce((x, y) => ({ n: x.n * y.d + y.n * x.d, d: x.d * y.d }), { n: 0n, d: 1n });
      consumed = this.cluster.map((x) => ceil(x * sum.n, sum.d));
    }
    consumed = this.up(consumed);
    const base = this.compare(consumed, base0) < 0 ? base0 : this.plus(consumed, this.step);
    const weights = users
      .map((user) => this.weight(path, user))
      .reduce((x, y) => ({ n: x.n * y.d + y.n * x.d, d: x.d * y.d }));
    const by = weights.n === 0n ? { n: 1n, d: 1n } : weights;
    const share = base.map((x) => ceil(x * by.d, by.n));
    const percent = fraction((this.own(path, 'minimumUserLimitPercent') as number) ?? 100);
    const floor = base.map((x) => ceil((x * percent.n) / percent.d, 100n));
    const factor = (this.own(path, 'userLimitFactor') as number) ?? 1;
    const cap =
      factor === -1 || !this.above(guaranteed)
        ? this.types.map((type, i) => (max?.[type] === undefined ? this.cluster[i]! : BigInt(max[type]!)))
        : this.times(base0, fraction(factor));
    const limit = this.up(this.min(this.max(share, floor), cap));
    const limits = (this.own(path, 'userResourceLimits') ?? {}) as Record<string, Resources>;
    const one = this.own(path, 'userResourceLimit') as Resources | undefined;
    return new Map(
      users.map((user): [string, Vec] => {
        const set = Object.hasOwn(limits, user) ? limits[user] : one;
        if (set !== undefined) return [user, this.vec(set)];
        const down = this.times(limit, this.weight(path, user));
        return [user, down.map((x, i) => (x / this.step[i]!) * this.step[i]!)];
      }),
    );
  }

  // One queue

  private whySkipped(path: string, apps: App[]): string | undefined {
    if (this.inherited(path, 'disablePreemption') || this.inherited(path, 'disableIntraQueuePreemption')) {
      return 'queue-disabled';
    }
    if (this.chain(path).some(({ enforcing }) => enforcing)) return 'enforcement-running';
    if (apps.length === 1) return 'one-application';
    if (apps.length > 0 && !apps.some(({ pending }) => this.above(pending))) return 'nothing-pending';
    const base = this.max(this.vec(this.chain(path)[0]!.guaranteed), this.step);
    const ratio = this.ratio(this.total(apps, 'used'), base);
    const threshold = fraction(this.settings.minimumThreshold!);
    if (ratio.d > 0n && ratio.n * threshold.d < threshold.n * ratio.d) {
      return 'below-threshold';
    }
    return undefined;
  }

  private planLeaf(path: string): LeafPlan | string | undefined {
    const apps = this.appsOf(path);
    const note = (code: string): void => {
      if (!this.notices.includes(`${code} ${path}`)) this.notices.push(`${code} ${path}`);
    };
    if (apps.length === 0) return undefined;
    const skipped = this.whySkipped(path, apps);
    if (skipped !== undefined) {
      note(skipped);
      return skipped;
    }
    const written = this.inherited(path, 'preemptionOrderPolicy') ?? this.settings.preemptionOrderPolicy!;
    const policy = String(written).toLowerCase().replace(/_/g, '-');
    const userFirst = policy === 'userlimit-first';
    const limits = this.limitsOf(path, apps);
    const of = (user: string): App[] => apps.filter((app) => app.user === user);
    const limit1 = (user: string): Vec => this.minus(limits.get(user)!, this.total(of(user), 'fixed'));
    const excess = (user: string): Vec => this.minus(this.total(of(user), 'own'), limit1(user));
    const isOver = (user: string): boolean => this.compare(this.total(of(user), 'own'), limit1(user)) > 0;
    const inFlight = this.total(apps, 'inFlight');
    const drf = this.settings.resourceCalculator === 'dominant' && this.settings.conservativeDrf!;

    // 5.2
    const bySubmission = (a: App, b: App): number => a.submittedAt - b.submittedAt || compareText(a.id, b.id);
    apps.sort(bySubmission);
    if (!userFirst || this.own(path, 'orderingPolicy') === 'fifo') {
      apps.sort((a, b) => b.priority - a.priority || bySubmission(a, b));
    } else {
      // Applications are by submission here, so users come in the order of their first one.
      const inOrder = [...new Set(apps.map(({ user }) => user))];
      inOrder.sort((a, b) => this.compare(excess(a), excess(b)));
      const memory = (app: App): bigint => app.used[this.types.indexOf('memory')] ?? 0n;
      apps.sort(
        (a, b) =>
          inOrder.indexOf(a.user) - inOrder.indexOf(b.user) ||
          Number(memory(a) - memory(b)) ||
          bySubmission(a, b),
      );
    }
    const worstFirst = [...apps].reverse();

    // 5.3
    const freed = this.vec(this.own(path, 'freedRoom') as Resources | undefined);
    let rest = this.plus(this.minus(this.total(apps, 'used'), this.total(apps, 'fixed')), freed);
    const dealt = new Map<string, Vec>();
    let stopped = false;
    let cut = false;
    for (const a of apps) {
      if (!this.above(rest)) continue;
      if (drf && rest.some((x) => x <= 0n)) {
        stopped = true;
        continue;
      }
      const had = dealt.get(a.user) ?? this.zero();
      const wanted = this.plus(a.own, a.pending);
      if (this.compare(had, limit1(a.user)) >= 0) {
        if (this.above(wanted) && this.above(a.pending)) cut = true;
        continue;
      }
      const room = this.minus(limit1(a.user), had);
      a.ideal = this.min(rest, this.min(wanted, room));
      if (this.compare(room, wanted) < 0 && this.compare(room, rest) < 0 && this.above(a.pending)) cut = true;
      dealt.set(a.user, this.plus(had, a.ideal));
      rest = this.clip(this.minus(rest, a.ideal));
      if (this.compare(a.ideal, a.own) > 0) a.need = this.minus(a.ideal, a.own);
    }
    let untaken = freed;
    for (const a of apps) {
      const before = a.need;
      a.need = before.map((x, i) => (x <= 0n ? x : x > untaken[i]! ? x - untaken[i]! : 0n));
      untaken = this.minus(untaken, this.minus(before, a.need));
    }
    const isCovered = untaken.some((x, i) => x !== freed[i]);
    const needBefore = new Map(apps.map((a) => [a, a.need]));

    // 5.4 and 5.5, first without a ceiling
    const deal = (
      ceiling: Vec | null,
    ): { keptBack: boolean; refused: boolean; takers: Set<App>; moves: [App, App, Vec][] } => {
      let keptBack = false;
      for (const a of apps) {
        a.offer = this.zero();
        a.give = this.zero();
        a.need = needBefore.get(a)!;
      }
      let left = ceiling;
      for (const a of worstFirst) {
        if (left !== null && !this.above(left)) break;
        if (!this.above(a.used)) continue;
        let spare = this.clip(this.minus(this.clip(this.minus(a.used, a.ideal)), a.fixed));
        if (userFirst) {
          const before = spare;
          spare = this.clip(this.minus(spare, this.back));
          if (this.above(before) && !this.above(spare)) keptBack = true;
        }
        a.offer = left === null ? spare : this.min(spare, left);
        if (left !== null) left = this.clip(this.minus(left, a.offer));
      }
      const marked = new Set<string>();
      const takers = new Set<App>();
      const moves: [App, App, Vec][] = [];
      const refusals: App[] = [];
      for (const h of apps) {
        if (!this.above(h.need)) continue;
        for (const l of worstFirst) {
          if (this.isZero(h.need)) break;
          if (l.user === h.user && l.priority >= h.priority) {
            if (l !== h && this.above(l.offer)) refusals.push(h);
            continue;
          }
          if (this.compare(l.offer, l.give) <= 0) continue;
          if (l.user !== h.user && userFirst && !isOver(l.user)) continue;
          let free = this.minus(l.offer, l.give);
          if (l.user !== h.user && l.priority === h.priority && isOver(l.user)) {
            const e = marked.has(l.user) ? this.zero() : excess(l.user);
            if (this.compare(e, free) < 0) {
              free = e;
              marked.add(l.user);
            }
          }
          if (!this.above(free)) continue;
          const t = this.min(h.need, free);
          h.need = this.minus(h.need, t);
          l.give = this.plus(l.give, t);
          takers.add(h);
          moves.push([l, h, t]);
        }
      }
      return { keptBack, refused: refusals.some((h) => this.above(h.need)), takers, moves };
    };
    const given = (): Vec => apps.reduce((sum, a) => this.plus(sum, a.give), this.zero());
    deal(null);
    const fullDemand = this.clip(this.minus(given(), inFlight));
    const releasable = apps.reduce((sum, a) => this.plus(sum, a.offer), this.zero());
    const ofQueue = this.times(
      this.vec(this.chain(path)[0]!.guaranteed),
      fraction(this.settings.maxAllowableLimit!),
    );
    const ofRound = this.plus(this.round, inFlight);
    const ceiling = this.min(ofQueue, ofRound);
    const { keptBack, refused, takers, moves } = deal(ceiling);
    const demand = this.clip(this.minus(given(), inFlight));
    const full = fullDemand.map((x, i) => (x > demand[i]! ? x : demand[i]!));

    // 6.2
    const waiting = [...takers].flatMap(({ requests }) => requests);
    let leftOut = 0;
    const candidatesOf = (a: App): SnapshotAllocation[] =>
      a.allocations.filter((c) => {
        if ((c.state ?? 'running') !== 'running' || this.fixedAs(c) !== undefined) return false;
        const fit =
          !this.settings.fitAware ||
          waiting.some((request) =>
            Object.entries(request).every(([type, amount]) => amount <= (c.resources[type] ?? 0)),
          );
        this.reasons.set(c.id, fit ? 'not-needed' : 'unfit');
        if (!fit) leftOut++;
        return fit;
      });
    const appOf = (c: SnapshotAllocation): App => apps.find(({ id }) => id === c.application)!;
    const inOrder = (list: SnapshotAllocation[]): SnapshotAllocation[] =>
      list.sort(
        (a, b) =>
          Number(a.role !== 'placeholder') - Number(b.role !== 'placeholder') ||
          Number(a.allowPreemption === false) - Number(b.allowPreemption === false) ||
          (a.priority ?? appOf(a).priority) - (b.priority ?? appOf(b).priority) ||
          instant(b.startedAt) - instant(a.startedAt) ||
          -compareText(a.id, b.id),
      );
    const gives = (a: App): boolean => !this.isZero(a.give);
    const lists: { list: SnapshotAllocation[]; priority: number; standIns: App[] }[] = [];
    if (userFirst) {
      for (const a of worstFirst.filter(gives)) {
        lists.push({ list: inOrder(candidatesOf(a)), priority: a.priority, standIns: [] });
      }
    } else {
      for (const priority of [...new Set(apps.filter(gives).map((a) => a.priority))].sort((a, b) => a - b)) {
        const equal = apps.filter((a) => a.priority === priority);
        const standIns = equal.filter((a) => !gives(a) && !this.above(needBefore.get(a)!));
        const list = inOrder(equal.filter((a) => gives(a) || standIns.includes(a)).flatMap(candidatesOf));
        lists.push({ list, priority, standIns });
      }
    }

    // 6.3 and 6.4
    let left = demand;
    const victims: SnapshotAllocation[] = [];
    let dropped = false;
    let past2 = false;
    let past3 = false;
    for (const { list, priority, standIns } of lists) {
      if (!this.above(left)) break;
      const budgets = new Map<string, Vec>();
      let common = this.zero();
      const draw = (user: string, amount: Vec): void => {
        const budget = budgets.get(user) ?? this.zero();
        if (this.above(budget)) budgets.set(user, this.clip(this.minus(budget, amount)));
        else common = this.clip(this.minus(common, amount));
      };
      for (const [l, h, t] of moves) {
        if (l.priority !== priority || h.priority <= priority) continue;
        if (l.user === h.user || isOver(l.user))
          budgets.set(l.user, this.plus(budgets.get(l.user) ?? this.zero(), t));
        else common = this.plus(common, t);
      }
      for (const user of limits.keys()) {
        draw(
          user,
          this.total(
            of(user).filter((a) => a.priority === priority),
            'inFlight',
          ),
        );
      }
      let end = list.length;
      while (end > 0 && standIns.includes(appOf(list[end - 1]!))) end--;
      for (const c of list.slice(end)) this.reasons.set(c.id, 'no-give');
      for (const [i, c] of list.slice(0, end).entries()) {
        if (!this.above(left)) break;
        const app = appOf(c);
        const amount = this.vec(c.resources);
        const budget = budgets.get(app.user) ?? this.zero();
        if (!userFirst && standIns.includes(app) && !this.above(budget) && !this.above(common)) {
          this.reasons.set(c.id, 'no-give');
          continue;
        }
        const taken = this.sumOf(victims.filter((v) => appOf(v).user === app.user));
        const stays = this.minus(
          this.minus(this.total(of(app.user), 'used'), this.total(of(app.user), 'inFlight')),
          taken,
        );
        if (userFirst && this.compare(this.minus(stays, amount), limits.get(app.user)!) <= 0) {
          for (const other of list.slice(i, end)) this.reasons.set(other.id, 'user-limit');
          dropped = true;
          break;
        }
        if (amount.some((x, at) => x > this.round[at]!)) {
          this.reasons.set(c.id, 'round-ceiling');
          past2 = true;
          continue;
        }
        const after = this.minus(left, amount);
        const nearer = this.compare(this.clip(after), this.clip(left)) < 0;
        if ((drf && left.some((x) => x <= 0n)) || !nearer) {
          this.reasons.set(c.id, 'conservative-drf');
          past3 = true;
          continue;
        }
        this.reasons.set(c.id, 'taken');
        victims.push(c);
        left = after;
        this.round = this.minus(this.round, amount);
        if (!userFirst) draw(app.user, amount);
      }
    }

    // 10
    left = this.clip(left);
    const target = dropped && !past2 && !past3 ? this.clip(this.minus(full, left)) : full;
    const claimed = this.sumOf(victims).map((x, i) => (target[i]! > 0n ? x : 0n));
    const shortfall = this.clip(this.minus(target, claimed));
    const isShort = !this.isZero(shortfall);
    const needLeft = apps.some(({ need }) => this.above(need));
    const empty = this.isZero(target);
    const outcome = empty
      ? 'not-needed'
      : !isShort
        ? 'satisfied'
        : victims.length > 0 || !this.isZero(inFlight)
          ? 'best-effort'
          : 'impossible';
    const before = this.notices.length;
    if (this.compare(full, demand) > 0) {
      note(this.compare(ofQueue, ofRound) <= 0 ? 'queue-ceiling' : 'round-ceiling');
    }
    if (past2) note('round-ceiling');
    if (isCovered) note('freed-room');
    if (dropped || (keptBack && needLeft)) note('dead-zone');
    if (needLeft && userFirst && ![...limits.keys()].some(isOver)) note('nobody-over');
    if (needLeft && refused) note('equal-priority');
    if (victims.length === 0 && cut) note('need-above-user-limit');
    if ((victims.length === 0 || isShort) && (stopped || past3)) note('conservative-drf');
    if (apps.some((a) => a.allocations.some((c) => this.fixedAs(c) === 'cooling')) || this.isCooling(apps))
      note('cooling');
    if (isShort && leftOut > 0) note('unfit');
    if (!this.isZero(this.total(apps, 'used')) && this.isZero(this.total(apps, 'own'))) note('only-masters');
    if (victims.some(({ allowPreemption }) => allowPreemption === false)) note('opted-out');
    if (outcome === 'best-effort' || outcome === 'impossible') note(outcome);
    if (empty && this.notices.length === before) note('no-inversion');
    return {
      path,
      policy,
      apps,
      needBefore,
      demand,
      full,
      left,
      releasable,
      target,
      inFlight,
      victims,
      limits,
    };
  }

  private isCooling(apps: App[]): boolean {
    return apps.some(({ id }) => {
      const last = this.snapshot.applications.find((app) => app.id === id)!.properties?.lastPreemptedAt;
      return (
        last !== undefined &&
        this.settings.cooldown! > 0 &&
        instant(this.snapshot.takenAt) - instant(last as string) < this.settings.cooldown!
      );
    });
  }

  // The whole

  plan(): NaiveInQueuePlan {
    const leaves = this.snapshot.queues
      .map(({ path }) => path)
      .filter((path) => !this.snapshot.queues.some((other) => other.path.startsWith(`${path}.`)))
      .filter((path) => this.queue === undefined || path === this.queue);
    const closed = leaves.every((path) =>
      ['queue-disabled', 'enforcement-running'].includes(this.whySkipped(path, []) ?? ''),
    );
    const ratio = (path: string): Fraction =>
      this.ratio(
        this.sumOf(this.snapshot.allocations.filter(({ queue }) => queue === path)),
        this.vec(this.chain(path)[0]!.guaranteed),
      );
    const order = [...leaves].sort((a, b) => {
      const [x, y] = [ratio(a), ratio(b)];
      if (x.d === 0n || y.d === 0n) return Number(x.d === 0n) - Number(y.d === 0n) || compareText(a, b);
      const difference = x.n * y.d - y.n * x.d;
      return difference === 0n ? compareText(a, b) : difference < 0n ? -1 : 1;
    });
    const plans: LeafPlan[] = [];
    const skipped = new Map<string, string>();
    if (!this.settings.enabled) this.notices.push('feature-disabled');
    if (this.settings.observeOnly) this.notices.push('observe-only');
    for (const path of order) {
      if (!this.settings.enabled) {
        skipped.set(path, 'queue-disabled');
        continue;
      }
      const found = this.planLeaf(path);
      if (typeof found === 'string') skipped.set(path, found);
      else if (found !== undefined) plans.push(found);
    }
    const add = (of: (plan: LeafPlan) => Vec): Vec =>
      plans.reduce((sum, plan) => this.plus(sum, of(plan)), this.zero());
    const claimedOf = ({ victims, target }: LeafPlan): Vec =>
      this.sumOf(victims).map((x, i) => (target[i]! > 0n ? x : 0n));
    const target = add((plan) => plan.target);
    const shortfall = add((plan) => this.clip(this.minus(plan.target, claimedOf(plan))));
    const inFlight = add((plan) => plan.inFlight);
    const victims = plans.flatMap((plan) => plan.victims);
    const collateral = this.all.map((type) =>
      plans.reduce((sum, plan) => {
        const place = this.types.indexOf(type);
        if (place >= 0 && plan.target[place]! > 0n) return sum;
        return sum + plan.victims.reduce((all, { resources }) => all + BigInt(resources[type] ?? 0), 0n);
      }, 0n),
    );
    return {
      outcome:
        !this.settings.enabled || closed
          ? 'skipped'
          : this.isZero(target)
            ? 'not-needed'
            : this.isZero(shortfall)
              ? 'satisfied'
              : victims.length > 0 || !this.isZero(inFlight)
                ? 'best-effort'
                : 'impossible',
      target: this.written(target),
      inFlight: this.written(inFlight),
      claimed: this.written(add(claimedOf)),
      shortfall: this.written(shortfall),
      overshoot: this.written(add((plan) => this.clip(this.minus(claimedOf(plan), plan.target)))),
      collateral: this.written(collateral, this.all),
      shares: plans.map((plan) => ({
        queue: plan.path,
        releasable: this.written(plan.releasable),
        target: this.written(plan.target),
        claimed: this.written(claimedOf(plan)),
        users: [...plan.limits.keys()].sort(compareText).map((user) => ({
          user,
          used: this.written(
            this.total(
              plan.apps.filter((a) => a.user === user),
              'used',
            ),
          ),
          limit: this.written(plan.limits.get(user)!),
        })),
        applications: plan.apps.map((a) => ({
          application: a.id,
          used: this.written(a.used),
          pending: this.written(a.pending),
          ideal: this.written(a.ideal),
          need: this.written(plan.needBefore.get(a)!),
          offer: this.written(a.offer),
          give: this.written(a.give),
        })),
      })),
      victims: victims.map(({ id }) => id),
      spared: this.snapshot.allocations
        .filter((a) => leaves.includes(a.queue) && !victims.includes(a))
        .sort((a, b) => compareText(a.queue, b.queue) || compareText(a.id, b.id))
        .map((a) => ({
          allocation: a.id,
          reason:
            skipped.get(a.queue) ??
            ((a.state ?? 'running') === 'running'
              ? (this.fixedAs(a) ?? this.reasons.get(a.id) ?? 'no-give')
              : 'not-running'),
        })),
      notices: [...this.notices].sort(compareText),
    };
  }
}
