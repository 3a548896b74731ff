import type { ClusterSnapshot, SnapshotAllocation } from '#contracts';
import { toNumber } from './fraction.js';
import { type NaiveElement, naiveFairShares } from './naive-fair-shares.js';
import { naiveTree, TYPES } from './naive-tree.js';

type Amounts = number[];
type State = 'non_starving' | 'starving' | 'aggressively_starving';
type Group = 'safe' | 'aggressive' | 'plain';
const NEAR = 1e-9;
const nine = (ratio: number): number => (Number.isFinite(ratio) ? Math.round(ratio * 1e9) / 1e9 : ratio);

interface Settings {
  [name: string]: unknown;
}

const DEFAULTS: Settings = {
  fairShareStarvationTimeout: 30_000,
  fairShareStarvationTolerance: 0.8,
  enableAggressiveStarvation: false,
  allowAggressivePreemption: true,
  nonPreemptibleResourceUsageThreshold: {},
  allocationPreemptionTimeout: 10_000,
  fairShareAggressiveStarvationTimeout: 120_000,
  preemptionSatisfactionThreshold: 1,
  aggressivePreemptionSatisfactionThreshold: 0.2,
  preemptiveSchedulingBackoff: 5000,
  allowedNodeResourcesOvercommitDuration: 15_000,
  considerAllocationOnFairShareBoundPreemptible: true,
  enablePoolStarvation: true,
  schedulingPreemptionPriorityScope: 'operation_and_ancestors',
  allowPreemptionFromStarvingOperations: false,
  allowAggressivePreemptionForGangOperations: true,
  allocationCountPreemptionTimeoutCoefficient: 1,
  enableAbsoluteFairShareStarvationTolerance: false,
  fifoPoolSchedulingOrder: 'satisfaction',
  aggressiveStageFirst: false,
};

interface Element {
  name: string;
  parent: Element | null;
  properties: Settings;
  operation: ClusterSnapshot['applications'][number] | null;
  limit: Record<string, number> | undefined;
  enforcing: boolean;
  fair: Amounts;
  demand: Amounts;
  state: State;
  /** Once normal it does not starve any more. */
  wasNormal: boolean;
  starvingSince: number | null;
  wasBelow: boolean;
  place: number;
}

interface Running {
  id: string;
  owner: Element;
  node: string | undefined;
  size: Amounts;
  startedAt: number;
  optedOut: boolean;
  kept: string | null;
}

interface Ask {
  owner: Element;
  index: number;
  size: Amounts;
  left: number;
  selector: [string, string][];
}

interface Place {
  id: string;
  capacity: Amounts;
  labels: Record<string, string>;
  schedulable: boolean;
  lastUsed: number;
  overSince: number;
  used: boolean;
}

export interface NaivePlan {
  outcome: string;
  victims: { allocation: string; cause: string; preemptedFor: string | null }[];
  starts: { operation: string; pending: number; node: string; victims: string[] }[];
  answered: string[];
  spared: Record<string, string>;
  states: Record<string, unknown>;
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const amounts = (given: object | undefined): Amounts =>
  TYPES.map((type) => (given as Record<string, number> | undefined)?.[type] ?? 0);
const time = (text: unknown): number => Date.parse(text as string);

/** Plans by reading docs/reference/policies/fair-share.md line by line: everything is checked again for every decision. */
export class NaivePlanner {
  private readonly settings: Settings;
  private readonly takenAt: number;
  private readonly totals: Amounts;
  private readonly elements: Element[] = [];
  private readonly operations: Element[] = [];
  private allocations: Running[] = [];
  private readonly asks: Ask[] = [];
  /** The started asks, as usage that no one can take. */
  private readonly started: { owner: Element; node: Place; size: Amounts }[] = [];
  private readonly nodes: Place[];
  private readonly victims: NaivePlan['victims'] = [];
  private readonly starts: NaivePlan['starts'] = [];

  constructor(
    private readonly snapshot: ClusterSnapshot,
    given: Settings,
  ) {
    this.settings = { ...DEFAULTS, ...given };
    this.takenAt = time(snapshot.takenAt);
    this.nodes = (snapshot.nodes ?? [])
      .map((node) => ({
        id: node.id,
        capacity: amounts(node.capacity),
        labels: node.labels ?? {},
        schedulable: (node as { schedulable?: boolean }).schedulable ?? true,
        lastUsed: time(node.properties?.lastPreemptiveSchedulingAt),
        overSince: time(node.properties?.overcommittedSince),
        used: false,
      }))
      .sort((a, b) => compareTexts(a.id, b.id));
    this.totals = TYPES.map((_, type) => this.nodes.reduce((sum, node) => sum + node.capacity[type]!, 0));
    const tree = naiveTree(snapshot, this.settings);
    this.addElement(tree, null, naiveFairShares(tree));
    for (const allocation of snapshot.allocations) this.addAllocation(allocation);
    this.allocations.sort((a, b) => a.startedAt - b.startedAt || compareTexts(a.id, b.id));
  }

  plan(): NaivePlan {
    for (const element of this.elements) this.findState(element);
    const states = this.states();
    const spared = new Map<string, string>();
    for (const { id, state } of this.snapshot.allocations)
      if (state !== 'running') spared.set(id, 'not-running');
    for (const a of this.allocations) spared.set(a.id, this.spares(a, null, false));
    const reasons = this.reasons();
    this.stepLimits();
    for (const node of this.nodes) this.stepOvercommit(node);
    this.stepRegular();
    for (const [aggressive, priorities] of this.stages()) this.stepVictims(aggressive, priorities);
    const answered = reasons.filter(({ isAnswered }) => isAnswered()).map(({ name }) => name);
    for (const { allocation } of this.victims) spared.delete(allocation);
    return {
      outcome:
        reasons.length === 0
          ? 'not-needed'
          : answered.length === reasons.length
            ? 'satisfied'
            : this.victims.length > 0
              ? 'best-effort'
              : 'impossible',
      victims: this.victims,
      starts: this.starts,
      answered,
      spared: Object.fromEntries(spared),
      states,
    };
  }

  private addElement(
    tree: NaiveElement,
    parent: Element | null,
    fair: Map<string, readonly { over: bigint; under: bigint }[]>,
  ): void {
    const queue = this.snapshot.queues.find(({ path }) => path === tree.name);
    const operation = this.snapshot.applications.find(({ id }) => id === tree.name) ?? null;
    const properties = (tree.children === undefined ? operation?.properties : queue?.properties) ?? {};
    const element: Element = {
      name: tree.name,
      parent,
      properties,
      operation: tree.children === undefined ? operation : null,
      limit: (tree.children === undefined ? properties.resourceLimits : queue?.max) as
        | Record<string, number>
        | undefined,
      enforcing: queue?.enforcing ?? false,
      fair: fair.get(tree.name)!.map(toNumber),
      demand: tree.demand.map(toNumber),
      state: 'non_starving',
      wasNormal: false,
      starvingSince: null,
      wasBelow: false,
      place: parent?.properties.mode === 'fifo' ? this.childrenOf(parent).length : 0,
    };
    this.elements.push(element);
    if (tree.children === undefined) {
      this.operations.push(element);
      (operation?.pending ?? []).forEach(({ resources, count, ...rest }, index) => {
        const size = amounts(resources);
        const selector = Object.entries(
          (rest as { nodeSelector?: Record<string, string> }).nodeSelector ?? {},
        );
        if (count > 0 && size.some((amount) => amount > 0)) {
          this.asks.push({ owner: element, index, size, left: count, selector });
        }
      });
    }
    for (const child of tree.children ?? []) this.addElement(child, element, fair);
  }

  private childrenOf(element: Element): Element[] {
    return this.elements.filter(({ parent }) => parent === element);
  }

  private chain(element: Element): Element[] {
    return element.parent === null ? [element] : [element, ...this.chain(element.parent)];
  }

  private addAllocation(allocation: SnapshotAllocation): void {
    if (allocation.state !== 'running') return;
    const owner = this.operations.find(({ name }) => name === allocation.application)!;
    const protect = (this.settings.protect ?? {}) as { allocations?: string[]; applications?: string[] };
    const isProtected =
      allocation.protected ||
      protect.allocations?.includes(allocation.id) ||
      protect.applications?.includes(allocation.application);
    const isEnforcing = this.chain(owner).some(({ enforcing }) => enforcing);
    this.allocations.push({
      id: allocation.id,
      owner,
      node: allocation.node,
      size: amounts(allocation.resources),
      startedAt: time(allocation.startedAt),
      optedOut: allocation.allowPreemption === false || allocation.role === 'originator',
      kept:
        allocation.role === 'daemon'
          ? 'daemon'
          : isProtected
            ? 'protected'
            : isEnforcing
              ? 'enforcing'
              : null,
    });
  }

  /** §3 */
  private own<T>(element: Element, name: string): T | undefined {
    return element.properties[name] as T | undefined;
  }

  private inherited<T>(element: Element, name: string): T {
    const above =
      element.parent === null ? (this.settings[name] as T) : this.inherited<T>(element.parent, name);
    return element.operation === null ? (this.own<T>(element, name) ?? above) : above;
  }

  private timeout(element: Element): number {
    const inherited = this.inherited<number>(element, 'fairShareStarvationTimeout');
    const own = this.own<number>(element, 'fairShareStarvationTimeout');
    return element.operation !== null && own !== undefined ? Math.max(own, inherited) : inherited;
  }

  private tolerance(element: Element): number {
    const inherited = this.inherited<number>(element, 'fairShareStarvationTolerance');
    const own = this.own<number>(element, 'fairShareStarvationTolerance');
    return element.operation !== null && own !== undefined ? Math.min(own, inherited) : inherited;
  }

  private allowsAggressive(element: Element): boolean {
    const gang =
      element.properties.isGang === true && !this.settings.allowAggressivePreemptionForGangOperations;
    return !gang && this.inherited<boolean>(element, 'allowAggressivePreemption');
  }

  private threshold(element: Element): Record<string, number> {
    const name = 'nonPreemptibleResourceUsageThreshold';
    const inherited = this.inherited<Record<string, number>>(element, name);
    const own = this.own<Record<string, number>>(element, name) ?? {};
    const smaller = Object.entries(own).map(([type, amount]) => [
      type,
      Math.min(amount, inherited[type] ?? amount),
    ]);
    return { ...inherited, ...Object.fromEntries(smaller) };
  }

  /** §5 */
  private usage(element: Element): Amounts {
    const isIn = (owner: Element): boolean => this.chain(owner).includes(element);
    const all = [...this.allocations, ...this.started].filter(({ owner }) => isIn(owner));
    return TYPES.map((_, type) => all.reduce((sum, { size }) => sum + size[type]!, 0));
  }

  private share(used: Amounts): Amounts {
    return used.map((amount, type) => (this.totals[type]! > 0 ? amount / this.totals[type]! : 0));
  }

  /** §7 */
  private open(element: Element): number[] {
    return TYPES.map((_, type) => type).filter((type) => element.fair[type]! < element.demand[type]! - NEAR);
  }

  private below(element: Element, bound: Amounts, used: Amounts): boolean {
    const under = (type: number): boolean => bound[type]! > used[type]! + NEAR;
    const open = this.open(element);
    return open.length > 0 ? open.every(under) : TYPES.some((_, type) => under(type));
  }

  private isBelow(element: Element): boolean {
    if (element.properties.suspended === true && element.operation !== null) return false;
    const { fair, demand } = element;
    const hasAll =
      element.operation !== null && fair.every((part, type) => part + 1e-4 >= demand[type]! - NEAR);
    const tolerance = hasAll ? 1 : this.tolerance(element);
    const used = this.share(this.usage(element));
    const bound = fair.map((part, type) => Math.min(part * tolerance, demand[type]!));
    if (!this.below(element, bound, used)) return false;
    if (!this.settings.enableAbsoluteFairShareStarvationTolerance || element.operation === null || hasAll)
      return true;
    const waiting = this.asks.filter(({ owner, left }) => owner === element && left > 0);
    const smallest = TYPES.map((_, type) => Math.min(...waiting.map(({ size }) => size[type]!)));
    const lacks = fair.map((part, type) => part - used[type]!);
    return this.below(
      element,
      lacks,
      waiting.length === 0 ? TYPES.map(() => Infinity) : this.share(smallest),
    );
  }

  private ownSatisfaction(element: Element): number {
    const { fair } = element;
    const used = this.share(this.usage(element));
    if (fair.every((part) => part <= NEAR)) return Infinity;
    const ratio = (type: number, none: number): number =>
      fair[type]! <= NEAR ? none : used[type]! / fair[type]!;
    const types = TYPES.map((_, type) => type);
    const open = this.open(element);
    let found: number;
    if (types.some((type) => used[type]! > fair[type]! + NEAR)) {
      found = Math.max(...types.map((type) => ratio(type, used[type]! <= NEAR ? 0 : Infinity)));
    } else if (open.length === 0) found = Math.min(...types.map((type) => ratio(type, 1)));
    else found = Math.max(0, ...open.filter((type) => fair[type]! > NEAR).map((type) => ratio(type, 0)));
    return found > 1e9 ? Infinity : found;
  }

  private satisfaction(element: Element): number {
    const children = this.childrenOf(element).filter(
      ({ properties, operation }) => !(operation && properties.suspended),
    );
    if (element.operation !== null || children.length === 0) return this.ownSatisfaction(element);
    return Math.min(...children.map((child) => this.satisfaction(child)));
  }

  /** §8.1 */
  private findState(element: Element): void {
    element.wasBelow = this.isBelow(element);
    if (element.parent === null || !element.wasBelow) return;
    if (element.operation === null && !this.settings.enablePoolStarvation) return;
    const { belowFairShareSince, starvationStatus, starvingSince } = element.properties;
    const before = (starvationStatus ?? (starvingSince === undefined ? 'non_starving' : 'starving')) as State;
    const pending = this.asks
      .filter(({ owner }) => owner === element)
      .reduce((sum, { left }) => sum + left, 0);
    const coefficient = this.settings.allocationCountPreemptionTimeoutCoefficient as number;
    const factor = element.operation === null ? 1 : Math.min(1, pending / coefficient);
    const elapsed = belowFairShareSince === undefined ? -1 : this.takenAt - time(belowFairShareSince);
    const aggressive = (this.settings.fairShareAggressiveStarvationTimeout as number) * factor;
    if (elapsed > aggressive && this.inherited<boolean>(element, 'enableAggressiveStarvation')) {
      element.state = 'aggressively_starving';
    } else if (elapsed > this.timeout(element) * factor) element.state = 'starving';
    else element.state = before;
    if (element.state === 'non_starving') return;
    if (before === 'non_starving') element.starvingSince = this.takenAt;
    else element.starvingSince = starvingSince === undefined ? null : time(starvingSince);
  }

  private stateNow(element: Element): State {
    return element.wasNormal ? 'non_starving' : element.state;
  }

  /** §8.2 */
  private priority(operation: Element): State {
    const checked =
      this.settings.schedulingPreemptionPriorityScope === 'operation_only'
        ? [operation]
        : this.chain(operation);
    const nearest = (states: State[]): State =>
      states.find((state) => state !== 'non_starving') ?? 'non_starving';
    const now = nearest(checked.map((element) => this.stateNow(element)));
    const before = nearest(checked.map(({ state }) => state));
    return now === 'aggressively_starving' && before === 'starving' ? before : now;
  }

  /** §9 */
  private group(allocation: Running): Group {
    const { owner } = allocation;
    const bound = (threshold: string): Amounts =>
      owner.fair.map((part) => part * (this.settings[threshold] as number));
    const hasAll = owner.fair.every((part, type) => Math.abs(part - owner.demand[type]!) <= NEAR);
    const wants = owner.demand.some((part) => part > 0);
    const first = bound('aggressivePreemptionSatisfactionThreshold');
    const second = hasAll && wants ? TYPES.map(() => Infinity) : bound('preemptionSatisfactionThreshold');
    let group: Group = 'safe';
    let before = TYPES.map(() => 0);
    for (const other of this.allocations.filter((a) => a.owner === owner)) {
      const including = before.map((amount, type) => amount + other.size[type]!);
      if (group === 'safe' && !this.isWithin(owner, first, before, including)) group = 'aggressive';
      if (group === 'aggressive' && !this.isWithin(owner, second, before, including)) group = 'plain';
      if (other === allocation) break;
      before = including;
    }
    return group;
  }

  private isWithin(owner: Element, bound: Amounts, before: Amounts, including: Amounts): boolean {
    const flag = this.settings.considerAllocationOnFairShareBoundPreemptible as boolean;
    const threshold = Object.entries(this.threshold(owner));
    const sum = flag ? including : before;
    const amountOf = (type: string): number => sum[TYPES.indexOf(type as (typeof TYPES)[number])] ?? 0;
    if (threshold.length > 0 && threshold.every(([type, amount]) => amountOf(type) < amount)) return true;
    const shares = this.share(sum);
    if (!flag) return this.below(owner, bound, shares);
    const inside = (type: number): boolean => shares[type]! <= bound[type]! + NEAR;
    const open = this.open(owner);
    if (open.length > 0) return open.every(inside);
    return TYPES.some((_, type) => owner.demand[type]! > 0 && inside(type));
  }

  /** §10 */
  private spares(allocation: Running, served: Element | null, aggressive: boolean): string {
    const { owner } = allocation;
    if (allocation.kept !== null) return allocation.kept;
    if (owner === served) return 'own-operation';
    if (owner.properties.preemptionMode === 'graceful') return 'graceful-operation';
    if (!this.settings.allowPreemptionFromStarvingOperations && owner.state !== 'non_starving') {
      return 'starving-operation';
    }
    const group = this.group(allocation);
    if (group === 'safe') return 'non-preemptible';
    if (group === 'aggressive' && !aggressive) return 'aggressive-only';
    if (group === 'aggressive' && !this.allowsAggressive(owner)) return 'aggressive-not-allowed';
    const normal = this.inherited<boolean | undefined>(owner, 'allowNormalPreemption') ?? true;
    if (group === 'plain' && !aggressive && !normal) return 'normal-not-allowed';
    return 'not-needed';
  }

  private evict(allocation: Running, cause: string, preemptedFor: Element | null): void {
    this.allocations = this.allocations.filter((other) => other !== allocation);
    this.victims.push({ allocation: allocation.id, cause, preemptedFor: preemptedFor?.name ?? null });
  }

  /** Over its limit with what is tolerated, by type. */
  private over(element: Element, extra: Amounts = TYPES.map(() => 0)): Amounts {
    const used = this.usage(element);
    const tolerance = amounts(element.properties.resourceLimitsOvercommitTolerance as object);
    return TYPES.map((type, i) => {
      const limit = element.limit?.[type];
      return limit === undefined ? 0 : Math.max(0, used[i]! + extra[i]! - limit - tolerance[i]!);
    });
  }

  private free(node: Place): Amounts {
    const here = [
      ...this.allocations.filter((a) => a.node === node.id),
      ...this.started.filter((s) => s.node === node),
    ];
    return node.capacity.map((amount, type) => amount - here.reduce((sum, { size }) => sum + size[type]!, 0));
  }

  private reasons(): { name: string; isAnswered: () => boolean }[] {
    const found: { name: string; isAnswered: () => boolean }[] = [];
    for (const element of this.elements) {
      const kind = element.operation === null ? 'pool' : 'operation';
      const isOver = (): boolean => this.over(element).some((amount) => amount > 0);
      if (isOver())
        found.push({ name: `resource-limits ${kind} ${element.name}`, isAnswered: () => !isOver() });
      if (element.state === 'non_starving') continue;
      const cause = element.state === 'starving' ? 'starvation' : 'aggressive-starvation';
      const waits = (): boolean =>
        this.asks.some(
          ({ owner, left }) => left > 0 && !owner.properties.suspended && this.chain(owner).includes(element),
        );
      found.push({
        name: `${cause} ${kind} ${element.name}`,
        isAnswered: () => !this.isBelow(element) || !waits(),
      });
    }
    for (const node of this.nodes) {
      const isOver = (): boolean => this.free(node).some((amount) => amount < 0);
      if (isOver()) found.push({ name: `overcommit node ${node.id}`, isAnswered: () => !isOver() });
    }
    return found.sort((a, b) => compareTexts(a.name, b.name));
  }

  private newestFirst(): Running[] {
    const newest = [...this.allocations].reverse();
    return [...newest.filter(({ optedOut }) => !optedOut), ...newest.filter(({ optedOut }) => optedOut)];
  }

  /** §11, "Choosing a set" */
  private set(missing: Amounts, walk: Running[]): { members: Running[]; enough: boolean } {
    const lacks = (members: Running[], type: number): boolean =>
      members.reduce((sum, { size }) => sum + size[type]!, 0) < missing[type]!;
    const types = TYPES.map((_, type) => type).filter((type) => missing[type]! > 0);
    let members: Running[] = [];
    for (const candidate of walk) {
      if (types.some((type) => candidate.size[type]! > 0 && lacks(members, type))) members.push(candidate);
    }
    for (const member of [...members].reverse()) {
      const others = members.filter((other) => other !== member);
      if (types.every((type) => member.size[type] === 0 || !lacks(others, type))) members = others;
    }
    return { members, enough: types.every((type) => !lacks(members, type)) };
  }

  /** Step 2 */
  private stepLimits(): void {
    const relieves = ({ owner, size }: Running): boolean =>
      this.chain(owner).some((element) =>
        this.over(element).some((amount, type) => amount > 0 && size[type]! > 0),
      );
    const taken: Running[] = [];
    for (const allocation of this.newestFirst()) {
      if (this.spares(allocation, null, false) !== 'not-needed' || !relieves(allocation)) continue;
      this.allocations = this.allocations.filter((other) => other !== allocation);
      taken.push(allocation);
    }
    const back: Running[] = [];
    for (const allocation of [...taken].reverse()) {
      const without = this.allocations;
      this.allocations = this.sorted([...without, allocation]);
      if (relieves(allocation)) this.allocations = without;
      else back.push(allocation);
    }
    for (const allocation of taken)
      if (!back.includes(allocation)) this.evict(allocation, 'resource-limits', null);
  }

  private sorted(allocations: Running[]): Running[] {
    return allocations.sort((a, b) => a.startedAt - b.startedAt || compareTexts(a.id, b.id));
  }

  private inBackOff(node: Place): boolean {
    return this.takenAt - node.lastUsed <= (this.settings.preemptiveSchedulingBackoff as number);
  }

  /** Step 3 */
  private stepOvercommit(node: Place): void {
    const missing = (): Amounts => this.free(node).map((amount) => Math.max(0, -amount));
    const isOver = (): boolean => missing().some((amount) => amount > 0);
    if (!isOver()) return;
    if (!this.inBackOff(node)) {
      const plain = this.newestFirst().filter(
        (a) =>
          a.node === node.id && this.group(a) === 'plain' && this.spares(a, null, false) === 'not-needed',
      );
      for (const a of this.set(missing(), plain).members) this.evict(a, 'overcommit', null);
    }
    const duration = this.settings.allowedNodeResourcesOvercommitDuration as number;
    if (!isOver() || !(this.takenAt - node.overSince > duration)) return;
    const room = [...node.capacity];
    const here = this.allocations.filter((a) => a.node === node.id);
    const stays = ({ kept }: Running): boolean => kept === 'daemon' || kept === 'protected';
    const keep = ({ size }: Running): void => {
      for (let type = 0; type < size.length; type++) room[type]! -= size[type]!;
    };
    here.filter(stays).forEach(keep);
    const groups: Group[] = ['safe', 'aggressive', 'plain'];
    const others = here.filter((a) => !stays(a)).map((a) => ({ a, group: groups.indexOf(this.group(a)) }));
    // Sorting is stable: the older ones stay before the newer ones.
    others.sort((x, y) => x.group - y.group || Number(y.a.optedOut) - Number(x.a.optedOut));
    const leaving = others.filter(({ a }) => {
      if (!a.size.every((amount, type) => amount === 0 || amount <= room[type]!)) return true;
      keep(a);
      return false;
    });
    for (const { a } of leaving.reverse()) this.evict(a, 'overcommit', null);
  }

  /** Step 4, the order */
  private order(): Element[] {
    const key = (operation: Element): (number | string)[] => {
      const pool = operation.parent!;
      const asOne = this.settings.fifoPoolSchedulingOrder === 'fifo' && pool.properties.mode === 'fifo';
      return [
        nine(this.ownSatisfaction(asOne ? pool : operation)),
        operation.place,
        operation.starvingSince ?? Infinity,
        time(operation.operation!.submittedAt),
        operation.name,
      ];
    };
    return this.operations
      .filter(({ properties }) => !properties.suspended)
      .map((operation) => ({ operation, key: key(operation) }))
      .sort((a, b) => {
        const i = a.key.findIndex((part, j) => part !== b.key[j]);
        return a.key[i]! < b.key[i]! ? -1 : 1;
      })
      .map(({ operation }) => operation);
  }

  private mayRun(ask: Ask, node: Place): boolean {
    const filter = Object.entries((ask.owner.properties.schedulingTagFilter ?? {}) as Record<string, string>);
    return (
      node.schedulable && [...filter, ...ask.selector].every(([name, value]) => node.labels[name] === value)
    );
  }

  private limitsAllow(ask: Ask): boolean {
    return this.chain(ask.owner).every((element) =>
      this.over(element, ask.size).every((amount, type) => amount === 0 || ask.size[type] === 0),
    );
  }

  private begin(ask: Ask, node: Place): void {
    ask.left--;
    this.started.push({ owner: ask.owner, node, size: ask.size });
    for (const element of this.chain(ask.owner)) if (!this.isBelow(element)) element.wasNormal = true;
  }

  /** Step 4 */
  private stepRegular(): void {
    for (const node of this.nodes) {
      for (;;) {
        const free = this.free(node);
        const ask = this.order()
          .flatMap((operation) => this.asks.filter(({ owner }) => owner === operation))
          .find(
            (one) =>
              one.left > 0 &&
              this.mayRun(one, node) &&
              one.size.every((amount, type) => amount === 0 || amount <= free[type]!) &&
              this.limitsAllow(one),
          );
        if (ask === undefined) break;
        this.begin(ask, node);
      }
    }
  }

  private stages(): [boolean, State[]][] {
    if (this.settings.aggressiveStageFirst)
      return [
        [true, ['aggressively_starving']],
        [false, ['starving']],
      ];
    return [
      [false, ['starving', 'aggressively_starving']],
      [true, ['aggressively_starving']],
    ];
  }

  /** Steps 5 and 6 */
  private stepVictims(aggressive: boolean, priorities: State[]): void {
    const aside: Element[] = [];
    for (;;) {
      const operation = this.order().find(
        (one) =>
          !aside.includes(one) &&
          priorities.includes(this.priority(one)) &&
          this.asks.some(({ owner, left }) => owner === one && left > 0),
      );
      if (operation === undefined) return;
      if (!this.startInPlace(operation, aggressive)) aside.push(operation);
    }
  }

  private startInPlace(operation: Element, aggressive: boolean): boolean {
    for (const ask of this.asks) {
      if (ask.owner !== operation || ask.left === 0 || !this.limitsAllow(ask)) continue;
      const options = this.nodes
        .filter((node) => this.mayRun(ask, node) && !this.inBackOff(node) && !node.used)
        .flatMap((node) => {
          const free = this.free(node);
          const missing = ask.size.map((amount, type) =>
            amount === 0 ? 0 : Math.max(0, amount - free[type]!),
          );
          const candidates = this.newestFirst().filter(
            (a) => a.node === node.id && this.spares(a, operation, aggressive) === 'not-needed',
          );
          const walk = [
            ...candidates.filter((a) => this.group(a) === 'plain'),
            ...candidates.filter((a) => this.group(a) === 'aggressive'),
          ];
          const { members, enough } = this.set(missing, walk);
          return enough ? [{ node, members, key: this.cost(node, members) }] : [];
        })
        .sort((a, b) => {
          const i = a.key.findIndex((part, j) => part !== b.key[j]);
          return a.key[i]! < b.key[i]! ? -1 : 1;
        });
      const best = options[0];
      if (best === undefined) continue;
      const cause = aggressive ? 'aggressive-starvation' : 'starvation';
      for (const member of best.members) this.evict(member, cause, operation);
      if (best.members.length > 0) best.node.used = true;
      this.starts.push({
        operation: operation.name,
        pending: ask.index,
        node: best.node.id,
        victims: best.members.map(({ id }) => id),
      });
      this.begin(ask, best.node);
      return true;
    }
    return false;
  }

  private cost(node: Place, members: Running[]): (number | string)[] {
    if (members.length === 0) return [0, 0, 0, 0, 0, 0, node.id];
    return [
      1,
      members.some((a) => this.group(a) === 'aggressive') ? 1 : 0,
      members.filter(({ optedOut }) => optedOut).length,
      members.length,
      nine(members.reduce((sum, { size }) => sum + Math.max(...this.share(size)), 0)),
      -Math.min(...members.map(({ startedAt }) => startedAt)),
      node.id,
    ];
  }

  private states(): Record<string, unknown> {
    const order = this.order();
    return Object.fromEntries(
      this.elements.map((element) => {
        const shown = (ratio: number): unknown => (ratio === Infinity ? 'infinite' : nine(ratio));
        const common = {
          status: element.wasBelow ? 'below_fair_share' : 'normal',
          starvation: element.state,
          satisfaction: shown(this.satisfaction(element)),
          localSatisfaction: shown(this.ownSatisfaction(element)),
        };
        if (element.operation === null) return [element.name, common];
        const inGroup = (group: Group): string[] =>
          this.allocations.filter((a) => a.owner === element && this.group(a) === group).map(({ id }) => id);
        const place = order.indexOf(element);
        return [
          element.name,
          {
            ...common,
            priority: this.priority(element),
            order: place < 0 ? undefined : place + 1,
            groups: {
              nonPreemptible: inGroup('safe'),
              aggressivelyPreemptible: inGroup('aggressive'),
              preemptible: inGroup('plain'),
            },
          },
        ];
      }),
    );
  }
}
