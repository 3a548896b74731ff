import { chain, type DomainEvent, type Resources, type SnapshotAllocation } from '#contracts';
import { catalog } from '#contracts/events';
import { excess } from '../src/amounts.js';
import type { LiveNeed } from '../src/fair-share/live-need.js';
import { addMs } from '../src/instants.js';
import type { CareFacts } from '../src/quota-decrease/run-policy.js';
import { type AnswerToEviction, recordAnswer } from '../src/run/answer.js';
import type { LiveQueue, RunControl } from '../src/run/control.js';
import type { QueueFacts, VictimFacts } from '../src/run/facts.js';
import { nextStep } from '../src/run/next-step.js';
import { type OpeningTerms, openRun } from '../src/run/open.js';
import type { PlannedRun, PlannedVictim, RunState } from '../src/run/run-state.js';
import { foldRun, initialRunState } from '../src/run/state.js';
import type { Eviction, Step } from '../src/run/step.js';
import { withoutSubject } from './without-subject.js';

export const atMs = (ms: number) => addMs('2026-11-21T10:00:00.000Z', ms);

type Plan = PlannedRun['plan'];

/** A plan for `root.a` (max 30, used 80): `amounts` are the memory of the victims, all in leaf `root.a.b`. */
export function planned(
  amounts: number[],
  plan: Partial<Plan> = {},
  run: Partial<PlannedRun> = {},
): DomainEvent {
  const victims = amounts.map((memory, i) => ({
    allocation: `v${i + 1}`,
    uid: `uid-${i + 1}`,
    application: 'app',
    queue: 'root.a.b',
    resources: { memory },
    rank: i + 1,
    reason: 'It was the youngest.',
  }));
  const whole: Plan = {
    apiVersion: 'curtail/v1',
    kind: 'Plan',
    policy: 'quota-decrease',
    queue: 'root.a',
    outcome: 'satisfied',
    target: { memory: 50 },
    inFlight: {},
    claimed: { memory: 50 },
    shortfall: {},
    overshoot: {},
    collateral: {},
    shares: [],
    victims,
    notices: [],
    ...plan,
  };
  const data: PlannedRun = {
    partition: 'default',
    queue: 'root.a',
    enforcement: 'e1',
    fencingToken: 7,
    snapshotDigest: 'd',
    trigger: { policy: 'quota-decrease', queue: 'root.a' },
    settings: {},
    planDigest: 'p',
    plan: whole,
    takenAt: atMs(0),
    max: { memory: 30 },
    queueAllocations: amounts.length,
    queueUsage: { memory: 80 },
    planSeconds: 0,
    ...run,
  };
  return { name: 'PlanComputed', data };
}

/** The plan with these victims, by rank, as units. */
export function withUnits(plan: DomainEvent, ...units: number[][]): DomainEvent {
  if (plan.name !== 'PlanComputed') throw new Error('this is no plan');
  for (const ranks of units) {
    for (const rank of ranks) plan.data.plan.victims[rank - 1]!.unit = ranks[0]!;
  }
  return plan;
}

export const control = (more: Partial<RunControl> = {}): RunControl => ({
  mode: 'enforce',
  stops: [],
  fencingToken: 7,
  limits: { victimsPerSecond: 1000, victimsAtOnce: 1, maxAttempts: 3, backOffMs: 1000, maxBackOffMs: 3000 },
  inForce: { max: { memory: 30 }, enabled: true },
  clusterSize: {},
  ...more,
});

/** A run in a test. Its events are checked against the catalog and kept, so that they can be folded again. */
export class Run {
  log: DomainEvent[];
  state: RunState;
  now = 0;
  control = control();
  /** As the cluster reports it: the usage of `root.a.b`, which is all that `root.a` and root have. */
  used: Resources = { memory: 80 };
  inFlight: Resources = {};
  guaranteed: Record<string, Resources> = {};
  /** Of fair-share. */
  need: LiveNeed | undefined;
  /** Of quota-decrease, for each victim. */
  care: ((victim: PlannedVictim) => CareFacts) | undefined;
  /** The cluster's record of the open order. */
  carriedOut: boolean | undefined;
  openUntil: string | undefined;
  unanswered: string | undefined;
  private readonly live = new Map<string, SnapshotAllocation>();

  constructor(plan: DomainEvent, terms: Partial<OpeningTerms> | null = {}) {
    this.log = [plan];
    this.state = foldRun(initialRunState, this.log);
    for (const victim of this.state.planned?.plan.victims ?? []) {
      const { allocation, uid, application, queue, resources, node } = victim;
      this.live.set(allocation, {
        id: allocation,
        ...(uid !== undefined && { uid }),
        application,
        queue,
        ...(node !== undefined && { node }),
        resources,
        startedAt: atMs(0),
      });
    }
    if (terms) this.open(terms);
  }

  open(terms: Partial<OpeningTerms> = {}): DomainEvent {
    const event = openRun(this.state, {
      openedAt: atMs(this.now),
      mode: 'enforce',
      max: { memory: 30 },
      deadlineSeconds: 600,
      approveAboveVictims: null,
      approveAbovePercent: null,
      allocations: 100,
      usage: { memory: 80 },
      ...terms,
    });
    this.append([event]);
    if (terms.max !== undefined) this.inForce({ max: terms.max });
    return event;
  }

  /** Another configuration is saved. */
  inForce(change: Partial<RunControl['inForce']>): void {
    this.control = { ...this.control, inForce: { ...this.control.inForce, ...change } };
  }

  append(events: DomainEvent[]): void {
    for (const { name, data } of events) catalog[name].schema.parse(data);
    const unnamed = events.flatMap(withoutSubject);
    if (unnamed.length > 0) throw new Error(`a reason does not name its subject: ${unnamed.join(', ')}`);
    this.state = foldRun(this.state, events);
    this.log.push(...events);
  }

  becomes(change: Partial<Pick<Run, 'control' | 'now' | 'used' | 'guaranteed'>>): void {
    Object.assign(this, change);
  }

  /** The allocation under an id as the cluster has it; null = none. */
  set(id: string, more: Partial<SnapshotAllocation> | null): void {
    const before = this.live.get(id);
    if (more === null || !before) this.live.delete(id);
    else this.live.set(id, { ...before, ...more });
  }

  /** @param beside other victims that are checked too. */
  facts(rank: number, beside: readonly PlannedVictim[] = []): VictimFacts {
    const victim = this.state.planned?.plan.victims[rank - 1];
    const queues = new Map<string, LiveQueue>();
    const chains = [victim?.queue ?? 'root.a.b', ...beside.map(({ queue }) => queue)].flatMap(chain);
    for (const path of chains) {
      const guaranteed = this.guaranteed[path];
      queues.set(path, { usage: this.used, inFlight: this.inFlight, ...(guaranteed && { guaranteed }) });
    }
    return {
      rank,
      allocation: this.live.get(victim?.allocation ?? ''),
      queues,
      ...(this.need && { own: this.need }),
      ...(this.care && victim && { own: this.care(victim) }),
      ...(this.carriedOut !== undefined && { carriedOut: this.carriedOut }),
      ...(this.openUntil !== undefined && { openUntil: this.openUntil }),
      ...(this.unanswered !== undefined && { unanswered: this.unanswered }),
      beside: new Map(beside.map((mate) => [mate.rank, this.live.get(mate.allocation)])),
    };
  }

  queueFacts(max: Resources): QueueFacts {
    return { above: excess(this.used, this.inFlight, max) };
  }

  /** The next step, facts not gathered. */
  ask(): Step {
    return nextStep(this.state, atMs(this.now), this.control);
  }

  /** The next step; where it asks for facts, the one after it. */
  step(...facts: VictimFacts[]): Step {
    const step = nextStep(this.state, atMs(this.now), this.control, facts);
    if (step.kind === 'check-queue')
      return nextStep(this.state, atMs(this.now), this.control, this.queueFacts(step.max));
    if (step.kind !== 'check' || facts.length > 0) return step;
    return this.step(...step.victims.map(({ rank }) => this.facts(rank, step.beside)));
  }

  /** Takes the next step, which has to be an order, and records it. */
  order(): Eviction {
    const step = this.step();
    if (step.kind !== 'order') throw new Error(`the step is ${JSON.stringify(step)}, no order`);
    this.append(step.events);
    return step.kills[0]!;
  }

  answer(kill: Eviction, answer: AnswerToEviction = { kind: 'accepted', repeated: false }): DomainEvent[] {
    const events = recordAnswer(this.state, atMs(this.now), kill, answer, this.control);
    this.append(events);
    return events;
  }

  /** Steps until something is waited for or the run is over, every kill accepted at once; the events on the way. */
  drive(answer: AnswerToEviction = { kind: 'accepted', repeated: false }): DomainEvent[] {
    const from = this.log.length;
    for (let steps = 0; steps < 1000; steps++) {
      const step = this.step();
      if (step.kind === 'append') this.append(step.events);
      else if (step.kind === 'order') {
        this.append(step.events);
        for (const kill of step.kills) this.answer(kill, answer);
      } else if (step.kind === 'send') this.answer(step.kill, answer);
      else return this.log.slice(from);
    }
    throw new Error('the run comes to no end');
  }

  /** The process dies and another takes over: only what was appended is known. */
  crash(): void {
    this.state = foldRun(initialRunState, this.log);
  }

  get outcome(): string | undefined {
    return this.state.ended?.outcome;
  }
}

/** Name and code of each event, with the rank of its victim: `VictimSpared 2 stopped`. */
export function summarize(events: DomainEvent[]): string[] {
  return events.map(({ name, data }) =>
    [
      name,
      'rank' in data ? data.rank : '',
      'code' in data ? data.code : '',
      'outcome' in data ? data.outcome : '',
    ]
      .filter((part) => part !== '')
      .join(' '),
  );
}
