import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chain, type DomainEvent, isWithin, type Plan, type SnapshotAllocation } from '#contracts';
import { atMs, control, planned } from '../../testing/run-scenario.js';
import { recordAnswer } from '../run/answer.js';
import type { RunControl } from '../run/control.js';
import type { VictimFacts } from '../run/facts.js';
import { nextStep } from '../run/next-step.js';
import { openRun } from '../run/open.js';
import { outcomeOfVictim, type PlannedVictim, type RunState } from '../run/run-state.js';
import { foldRun, initialRunState } from '../run/state.js';
import type { Eviction } from '../run/step.js';
import { victimNotifiedEvent } from '../run/victim-events.js';
import type { LiveNeed } from './live-need.js';

/*
 * Random runs of fair-share, whose victims make room for starts on nodes, against a cluster that changes by itself. The
 * conditions are checked from outside at each request and each kill.
 */

type Weather =
  | 'moves'
  | 'finishes'
  | 'is held'
  | 'is released'
  | 'recovers'
  | 'starts elsewhere'
  | 'falls back';
type Answer = 'ok' | 'busy' | 'never';

interface Turn {
  ms: number;
  weather: { kind: Weather; victim: number } | null;
  answer: Answer;
  crash: boolean;
}

interface Case {
  /** By victim: its start, on a node of its own, and its time to finish. */
  victims: { start: number; graceMs: number }[];
  aggressive: boolean;
  pending: number;
  turns: Turn[];
}

const weathers: Weather[] = [
  'moves',
  'finishes',
  'is held',
  'is released',
  'recovers',
  'starts elsewhere',
  'falls back',
];
const cases: fc.Arbitrary<Case> = fc.record({
  victims: fc.array(
    fc.record({ start: fc.nat({ max: 2 }), graceMs: fc.constantFrom(0, 0, 1000, 5000, 20_000) }),
    { minLength: 1, maxLength: 7 },
  ),
  aggressive: fc.boolean(),
  pending: fc.integer({ min: 1, max: 3 }),
  turns: fc.array(
    fc.record({
      ms: fc.constantFrom(0, 1, 200, 900, 4000),
      weather: fc.option(
        fc.record({ kind: fc.constantFrom(...weathers), victim: fc.integer({ min: 1, max: 7 }) }),
        { freq: 4, nil: null },
      ),
      answer: fc.constantFrom<Answer>('ok', 'ok', 'ok', 'busy', 'never'),
      crash: fc.boolean(),
    }),
    { maxLength: 50, size: 'max' },
  ),
});

class World {
  log: DomainEvent[] = [];
  state: RunState = initialRunState;
  now = 0;
  control: RunControl = control({
    limits: { victimsPerSecond: 3, victimsAtOnce: 3, maxAttempts: 3, backOffMs: 300, maxBackOffMs: 1000 },
  });
  readonly live = new Map<string, SnapshotAllocation>();
  starving: LiveNeed & { starving: unknown };

  constructor(readonly given: Case) {
    const event = planned(
      given.victims.map(() => 5),
      {},
      { queue: 'root', max: null },
    );
    if (event.name !== 'PlanComputed') throw new Error('no plan');
    const plan = event.data.plan as Plan;
    Object.assign(plan, { policy: 'fair-share', target: {}, outcome: 'best-effort' });
    plan.victims.forEach((victim, i) => {
      const { start, graceMs } = given.victims[i]!;
      const queue = `root.q${start}.v${i + 1}`;
      const cause = given.aggressive ? 'aggressive-starvation' : 'starvation';
      Object.assign(victim, {
        queue,
        node: `n${start}`,
        cause,
        preemptedFor: 'shop',
        gracePeriodMs: graceMs,
      });
      const { allocation: id, application, resources, uid } = victim;
      const named = uid === undefined ? {} : { uid };
      this.live.set(id, {
        ...{ id, application, resources, queue, node: `n${start}`, startedAt: atMs(0) },
        ...named,
      });
    });
    plan.starts = [0, 1, 2].flatMap((nr) => {
      const victims = plan.victims.filter((_, i) => given.victims[i]?.start === nr);
      const ids = victims.map(({ allocation }) => allocation);
      const ask = { operation: 'shop', pending: 0, resources: { memory: 10 } };
      return ids.length === 0 ? [] : [{ ...ask, node: `n${nr}`, victims: ids }];
    });
    this.starving = {
      operation: {
        queue: 'root.shops.shop',
        pending: [{ resources: { memory: 10 }, count: given.pending }],
      },
      starving: [{ kind: 'pool', name: 'root.shops', state: 'aggressively_starving' }],
    };
    this.append([event]);
  }

  append(events: DomainEvent[]): void {
    this.state = foldRun(this.state, events);
    this.log.push(...events);
  }

  change({ kind, victim }: NonNullable<Turn['weather']>): void {
    const id = `v${victim}`;
    const found = this.live.get(id);
    const { starving } = this;
    switch (kind) {
      case 'moves':
        if (found) this.live.set(id, { ...found, node: 'n9' });
        break;
      case 'finishes':
        this.live.delete(id);
        break;
      case 'is held':
        if (found) this.control = { ...this.control, stops: [{ queue: found.queue.slice(0, 7), by: 'ann' }] };
        break;
      case 'is released':
        this.control = { ...this.control, stops: [] };
        break;
      case 'recovers':
        if (victim === 1) this.starving = { ...starving, starving: [] };
        break;
      case 'falls back':
        if (victim === 1)
          this.starving = {
            ...starving,
            starving: [{ kind: 'operation', name: 'shop', state: 'starving' }],
          };
        break;
      case 'starts elsewhere':
        this.starving = {
          ...starving,
          operation: { queue: 'root.shops.shop', pending: [{ resources: { memory: 10 }, count: 1 }] },
        };
    }
  }

  facts({ rank, allocation, queue }: PlannedVictim, beside: PlannedVictim[]): VictimFacts {
    const paths = [queue, ...beside.map((mate) => mate.queue)].flatMap(chain);
    return {
      rank,
      allocation: this.live.get(allocation),
      queues: new Map(paths.map((path) => [path, { usage: {}, inFlight: {} }])),
      own: this.starving,
      beside: new Map(beside.map((mate) => [mate.rank, this.live.get(mate.allocation)])),
    };
  }

  private get victims(): PlannedVictim[] {
    return this.state.planned?.plan.victims ?? [];
  }

  /** The conditions for asking a victim to finish or killing it. */
  judge(rank: number): void {
    const victim = this.victims[rank - 1]!;
    const { start } = this.given.victims[rank - 1]!;
    const { starving, given } = this;
    const states = starving.starving as { state: string }[];
    const wanted = given.aggressive ? ['aggressively_starving'] : ['aggressively_starving', 'starving'];
    expect(states.some(({ state }) => wanted.includes(state))).toBe(true);
    expect(this.live.get(victim.allocation)?.node).toBe(`n${start}`);
    expect(this.control.stops.some(({ queue }) => isWithin(victim.queue, queue ?? 'root'))).toBe(false);
    const mates = this.victims.filter(
      (mate) => mate !== victim && given.victims[mate.rank - 1]?.start === start,
    );
    for (const mate of mates) {
      expect(['spared', 'failed']).not.toContain(outcomeOfVictim(this.state, mate.rank));
      const isOpen = outcomeOfVictim(this.state, mate.rank) === undefined;
      const isHeld = this.control.stops.some(({ queue }) => isWithin(mate.queue, queue ?? 'root'));
      expect(isOpen && isHeld).toBe(false);
      // A victim with a grace period has it in full before the deadline.
      const toBeAsked = isOpen && (mate.gracePeriodMs ?? 0) > 0 && !this.state.killAt.has(mate.rank);
      const askedUntil = this.now + (mate.gracePeriodMs ?? 0);
      expect(toBeAsked && askedUntil >= Date.parse(this.state.opened!.deadlineAt) - Date.parse(atMs(0))).toBe(
        false,
      );
    }
    // Before the first of a start goes, all of it is where it was.
    const isFirst = mates.every(({ rank: other }) => outcomeOfVictim(this.state, other) !== 'evicted');
    if (isFirst && this.state.killAt.has(rank) === (victim.gracePeriodMs ?? 0) > 0) {
      for (const mate of mates) expect(this.live.get(mate.allocation)?.node ?? `n${start}`).toBe(`n${start}`);
    }
  }

  send(kill: Eviction, answer: Answer): void {
    const found = this.live.get(kill.allocation);
    if (answer === 'ok') {
      this.judge(kill.rank);
      const killAt = this.state.killAt.get(kill.rank);
      expect(killAt !== undefined || this.given.victims[kill.rank - 1]?.graceMs === 0).toBe(true);
      if (killAt !== undefined) expect(Date.parse(killAt)).toBeLessThanOrEqual(Date.parse(atMs(this.now)));
      if (found) this.live.set(kill.allocation, { ...found, state: 'releasing' });
    }
    const reply =
      answer === 'ok'
        ? ({ kind: 'accepted', repeated: false } as const)
        : ({ kind: 'refused', retryable: answer === 'busy', code: answer, message: 'no' } as const);
    this.append(recordAnswer(this.state, atMs(this.now), kill, reply, this.control));
  }
}

const terms = {
  mode: 'enforce',
  max: null,
  deadlineSeconds: 15,
  approveAboveVictims: null,
  approveAbovePercent: null,
  allocations: 9,
  usage: {},
} as const;

function take(world: World, { answer, crash }: Turn): void {
  const now = atMs(world.now);
  let step = nextStep(world.state, now, world.control);
  if (step.kind === 'check') {
    step = nextStep(world.state, now, world.control, [world.facts(step.victims[0]!, step.beside)]);
  }
  if (step.kind === 'open') world.append([openRun(world.state, { ...terms, openedAt: now })]);
  else if (step.kind === 'append') world.append(step.events);
  else if (step.kind === 'notify') {
    for (const { rank, gracePeriodMs = 0 } of step.victims) {
      world.judge(rank);
      const killAt = atMs(world.now + gracePeriodMs);
      world.append([victimNotifiedEvent(world.state, rank, { notifiedAt: now, killAt })]);
    }
  } else if (step.kind === 'order') {
    world.append(step.events);
    if (crash) world.state = foldRun(initialRunState, world.log);
    else for (const kill of step.kills) world.send(kill, answer);
  } else if (step.kind === 'send') world.send(step.kill, answer);
  // The end of a wait is in the future: otherwise the run would ask again and again.
  else if (step.kind === 'wait') expect(Date.parse(step.until ?? '')).toBeGreaterThan(Date.parse(now));
}

function run(given: Case): World {
  const world = new World(given);
  for (let i = 0; !world.state.ended; i++) {
    if (i > 200) throw new Error('the run comes to no end');
    const turn = given.turns[i] ?? { ms: 500, weather: null, answer: 'ok', crash: false };
    world.now += turn.ms;
    if (turn.weather) world.change(turn.weather);
    take(world, turn);
  }
  return world;
}

describe('random runs of fair-share', () => {
  it('ask and kill only for starving operations and possible starts; each victim has one outcome', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const { state } = run(given);
        given.victims.forEach((_, i) => {
          expect(outcomeOfVictim(state, i + 1)).toBeDefined();
        });
      }),
      { numRuns: 250 },
    );
  });

  it('reach every kind of outcome', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(cases, (given) => {
        for (const { name, data } of run(given).log) {
          seen.add('code' in data ? `${name} ${data.code}` : name);
        }
      }),
      { numRuns: 400, seed: 1 },
    );
    for (const kind of [
      'VictimEvicted',
      'VictimNotified',
      'VictimGone gone',
      'VictimFailed never',
      'VictimSpared start-lost',
      'VictimSpared stopped',
      'VictimSpared moved',
      'VictimSpared no-longer-needed',
      'VictimSpared deadline',
    ]) {
      expect(seen).toContain(kind);
    }
  });
});
