import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { DomainEvent, Flapping, QuotaValues, Resources, TimerPolicy } from '#contracts';
import { Scenario, summarize } from '../../testing/clock-scenario.js';
import { sameLimit } from '../amounts.js';

/*
 * Random lives of one clock. Beside the decider runs a model that knows only the words of the specification, written
 * down a second time in another way: no events, no rows, just the due time in seconds.
 */

type Action =
  | { kind: 'change'; to: QuotaValues }
  | { kind: 'check'; memory: number; vcore: number; ancestor: boolean }
  | { kind: 'end'; memory: number; lease: boolean }
  | { kind: 'switch'; on: boolean }
  | { kind: 'restart'; resets: boolean; found?: QuotaValues }
  | { kind: 'remove' };

const max = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record(
      { memory: fc.constantFrom(0, 1, 2, 3), vcore: fc.constantFrom(0, 1, 2) },
      { requiredKeys: [] },
    ),
  },
  { weight: 1, arbitrary: fc.constant(null) },
);
const quota = fc.record({ max, delayMs: fc.constantFrom(0, 2000, 5000, 2000, 5000) });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('change' as const), to: quota }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('check' as const),
      memory: fc.constantFrom(0, 2, 4, 4),
      vcore: fc.integer({ min: 0, max: 3 }),
      ancestor: fc.constantFrom(false, false, false, true),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      memory: fc.constantFrom(0, 2, 4, 4),
      lease: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('switch' as const), on: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record(
      { kind: fc.constant('restart' as const), resets: fc.boolean(), found: quota },
      { requiredKeys: ['kind', 'resets'] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const) }) },
);
const life = fc.array(fc.tuple(fc.integer({ min: 0, max: 6 }), action), {
  minLength: 1,
  maxLength: 30,
  size: 'max',
});

const types = ['memory', 'vcore'] as const;
const limit = (values: QuotaValues, type: string) => values.max?.[type] ?? Number.POSITIVE_INFINITY;

/** The result by the table of §3.1: a number = due then, null = nothing pending, undefined = no effect. */
function asked(now: number, old: QuotaValues, current: QuotaValues): number | null | undefined {
  if (current.delayMs === 0) return null;
  if (types.every((type) => limit(current, type) === Number.POSITIVE_INFINITY)) return null;
  const fresh = now + current.delayMs / 1000;
  if (types.some((type) => limit(current, type) < limit(old, type))) return fresh;
  if (types.some((type) => limit(current, type) !== limit(old, type))) return null;
  return old.delayMs === current.delayMs ? undefined : fresh;
}

interface Ups {
  times: number[];
  isUp: Record<string, boolean>;
  /** When max changed last. */
  at: number;
  tooMany: boolean;
}

const none: Ups = { times: [], isUp: {}, at: 0, tooMany: false };

class Model {
  due: number | null = null;
  running = false;
  private values: QuotaValues = { max: null, delayMs: 0 };
  private firedWith: QuotaValues = this.values;
  private skipped = false;
  private on = true;
  private ups: Ups = none;

  constructor(
    private readonly policy: TimerPolicy,
    private readonly flapping: Flapping,
  ) {}

  /** @param counts whether the ups and downs of its max are counted now. */
  save(now: number, to: QuotaValues, counts = true): void {
    const old = this.values;
    this.values = to;
    this.ups = this.countUps(now, old, to, counts);
    if (this.running) {
      this.skipped ||= JSON.stringify(sorted(old)) !== JSON.stringify(sorted(to));
      return;
    }
    const then = asked(now, old, to);
    if (then === undefined) return;
    if (then !== null && this.due !== null && this.policy === 'keep-earliest')
      this.due = Math.min(this.due, then);
    else this.due = then;
    this.wait();
  }

  private countUps(now: number, old: QuotaValues, to: QuotaValues, counts: boolean): Ups {
    const moved = types.filter((type) => limit(old, type) !== limit(to, type));
    if (moved.length === 0) return this.ups;
    if (!this.flapping || !counts) return none;
    const { windowSeconds, turns } = this.flapping;
    const isUp = Object.fromEntries(moved.map((type) => [type, limit(to, type) > limit(old, type)]));
    const isTurn = moved.some((type) => type in this.ups.isUp && this.ups.isUp[type] !== isUp[type]);
    const times = [...this.ups.times, ...(isTurn ? [now] : [])].filter((time) => time > now - windowSeconds);
    return { times, isUp: { ...this.ups.isUp, ...isUp }, at: now, tooMany: times.length > turns };
  }

  /** A max that goes up and down has to stay the same first. */
  private wait(): void {
    if (this.due === null || !this.flapping || !this.ups.tooMany) return;
    const seconds = Math.max(this.values.delayMs / 1000, this.flapping.stableSeconds);
    this.due = Math.max(this.due, this.ups.at + seconds);
  }

  check(now: number, usage: Resources, ancestor: boolean): boolean {
    if (this.due === null || this.due > now || this.running || !this.on || ancestor) return false;
    this.due = null;
    if (!types.some((type) => (usage[type] ?? 0) > limit(this.values, type))) return false;
    this.running = true;
    this.firedWith = this.values;
    this.skipped = false;
    return true;
  }

  end(now: number, usage: Resources, lease: boolean): void {
    if (!this.running) return;
    this.running = false;
    const over = types.some((type) => (usage[type] ?? 0) > limit(this.values, type));
    if (lease) {
      if (over && this.values.delayMs > 0) this.due = now;
    } else if (this.skipped && over) this.due = asked(now, this.firedWith, this.values) ?? null;
    this.wait();
  }

  turn(now: number, on: boolean): void {
    if (on && !this.on && this.due !== null) {
      this.due = now + this.values.delayMs / 1000;
      this.wait();
    }
    this.on = on;
  }

  restart(now: number, resets: boolean, found: QuotaValues | undefined): void {
    if (found) this.save(now, found, false);
    if (!resets || this.due === null) return;
    this.due = now + this.values.delayMs / 1000;
    this.wait();
  }

  isOn(): boolean {
    return this.on;
  }
}

const sorted = ({ max: limits, delayMs }: QuotaValues) => [
  types.map((type) => limits?.[type] ?? null),
  delayMs,
];

function live(
  policy: TimerPolicy,
  actions: [number, Action][],
  check: (clock: Scenario, model: Model) => void,
  flapping: Flapping = false,
): DomainEvent[] {
  const clock = new Scenario();
  const model = new Model(policy, flapping);
  const log: DomainEvent[] = [];
  let now = 0;
  for (const [seconds, act] of actions) {
    now += seconds;
    const enabled = model.isOn();
    switch (act.kind) {
      case 'change':
        log.push(...clock.change(now, act.to, { timerPolicy: policy, enabled, flapping }));
        model.save(now, act.to);
        break;
      case 'check': {
        const usage = { memory: act.memory, vcore: act.vcore };
        const events = clock.check(now, 0, { usage, enabled, ancestorRuns: act.ancestor });
        log.push(...events);
        const started = events.some((event) => event.name === 'EnforcementStarted');
        expect(started).toBe(model.check(now, usage, act.ancestor));
        break;
      }
      case 'end':
        log.push(...clock.endRun(now, act.memory, { enabled, cause: act.lease ? 'lease-ended' : 'ended' }));
        model.end(now, { memory: act.memory }, act.lease);
        break;
      case 'switch':
        if (act.on !== enabled) log.push(...clock.turnSwitch(now, act.on));
        model.turn(now, act.on);
        break;
      case 'restart':
        log.push(
          ...clock.restart(now, {
            timerPolicy: policy,
            enabled,
            onRestart: act.resets ? 'restart' : 'keep',
            ...(act.found && { found: act.found }),
          }),
        );
        model.restart(now, act.resets, act.found);
        break;
      case 'remove':
        log.push(...clock.removeQueue(now));
        model.save(now, { max: null, delayMs: 0 }, false);
        break;
    }
    check(clock, model);
  }
  return log;
}

const flappings: Record<string, Flapping> = {
  'without flapping': false,
  'with flapping': { turns: 1, windowSeconds: 20, stableSeconds: 0 },
  'with flapping that needs longer than the delay': { turns: 2, windowSeconds: 60, stableSeconds: 9 },
};
const policiesOfModel = ['restart', 'keep-earliest'] as const;
const cases = policiesOfModel.flatMap((policy) =>
  Object.keys(flappings).map((flapping) => [policy, flapping] as const),
);

describe.each(cases)('random lives of a clock under %s, %s', (policy, flapping) => {
  it('have the due time and the lock of the model after every step', () => {
    fc.assert(
      fc.property(life, (actions) => {
        live(
          policy,
          actions,
          (clock, model) => {
            expect(clock.due).toBe(model.due);
            expect(clock.state.running !== undefined).toBe(model.running);
          },
          flappings[flapping],
        );
      }),
      { numRuns: flappings[flapping] ? 60 : 150 },
    );
  });
});

describe.each(['restart', 'keep-earliest', 'shift'] as const)(
  'the events of random lives under %s',
  (policy) => {
    const withoutModel = (actions: [number, Action][]) => {
      const clock = new Scenario();
      const log: DomainEvent[] = [];
      let now = 0;
      for (const [seconds, act] of actions) {
        now += seconds;
        const usage = { memory: 2, vcore: 1 };
        if (act.kind === 'change') log.push(...clock.change(now, act.to, { timerPolicy: policy, usage }));
        if (act.kind === 'check') log.push(...clock.check(now, act.memory, { ancestorRuns: act.ancestor }));
        if (act.kind === 'end') log.push(...clock.endRun(now, act.memory));
        if (act.kind === 'switch') log.push(...clock.turnSwitch(now, act.on));
        if (act.kind === 'restart')
          log.push(
            ...clock.restart(now, { timerPolicy: policy }),
            ...clock.exceed(now, 4, { timerPolicy: policy }),
          );
        if (act.kind === 'remove') log.push(...clock.removeQueue(now));
        expect(clock.state.pending && clock.state.running).toBeUndefined();
      }
      return log;
    };

    it('never start two runs at a time, never early, and number the clocks upwards', () => {
      fc.assert(
        fc.property(life, (actions) => {
          let running: string | undefined;
          let generation = 0;
          let dueAt: string | undefined;
          for (const { name, data } of withoutModel(actions)) {
            if (name === 'EnforcementScheduled' || name === 'EnforcementRescheduled') {
              expect(running).toBeUndefined();
              expect(data.generation).toBe(generation + 1);
              ({ generation, dueAt } = data);
            }
            if (name === 'EnforcementCancelled') dueAt = undefined;
            if (name === 'EnforcementStarted') {
              expect(running).toBeUndefined();
              expect(data.dueAt).toBe(dueAt);
              expect(data.generation).toBe(generation);
              expect(Date.parse(data.startedAt)).toBeGreaterThanOrEqual(Date.parse(data.dueAt));
              expect(data.lateMs).toBe(Date.parse(data.startedAt) - Date.parse(data.dueAt));
              running = data.enforcement;
              dueAt = undefined;
            }
            if (name === 'EnforcementReleased') {
              expect(data.enforcement).toBe(running);
              running = undefined;
            }
          }
        }),
        { numRuns: 100 },
      );
    });
  },
);

it('the test life reaches runs, skipped changes and what follows them', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(life, (actions) => {
      for (const { name, data } of live('restart', actions, () => {}))
        seen.add(`${name} ${'cause' in data ? data.cause : ''}`.trim());
    }),
    { numRuns: 400, seed: 3 },
  );
  for (const event of [
    'EnforcementStarted',
    'EnforcementSkipped running',
    'EnforcementScheduled after-run',
    'EnforcementReleased lease-ended',
    'EnforcementCancelled not-needed',
    'EnforcementRescheduled switched-on',
  ]) {
    expect(seen).toContain(event);
  }
});

describe.each(['restart', 'keep-earliest', 'shift'] as const)(
  'a max that goes up and down, under %s',
  (policy) => {
    const flapping: Flapping = { turns: 1, windowSeconds: 30, stableSeconds: 7 };
    const steps = fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: 4 }),
        fc.oneof({ weight: 4, arbitrary: quota }, { weight: 1, arbitrary: fc.boolean() }),
      ),
      { minLength: 3, maxLength: 25, size: 'max' },
    );

    /** Both clocks until the one without flapping is judged. */
    function inLockstep(actions: [number, QuotaValues | boolean][]) {
      const [plain, waiting] = [new Scenario(), new Scenario()];
      const usage = { memory: 9, vcore: 9 };
      let now = 0;
      let changedAt = 0;
      let on = true;
      for (const [seconds, step] of actions) {
        now += seconds;
        if (summarize(plain.check(now, 0, { usage, enabled: on })).includes('EnforcementStarted')) break;
        expect(summarize(waiting.check(now, 0, { usage, enabled: on }))).not.toContain('EnforcementStarted');
        if (typeof step === 'boolean') {
          if (step !== on) for (const clock of [plain, waiting]) clock.turnSwitch(now, step);
          on = step;
        } else {
          if (!sameLimit(plain.state.values, step)) changedAt = now;
          const more = { timerPolicy: policy, enabled: on, usage };
          plain.change(now, step, more);
          waiting.change(now, step, { ...more, flapping });
        }
        expect(waiting.due === null).toBe(plain.due === null);
        if (plain.due !== null) expect(waiting.due).toBeGreaterThanOrEqual(plain.due);
      }
      return { plain, waiting, now, on, changedAt, usage };
    }

    it('never starts a run earlier than without the setting', () => {
      let later = 0;
      fc.assert(
        fc.property(steps, (actions) => {
          const { plain, waiting } = inLockstep(actions);
          if (waiting.due !== null && plain.due !== null && waiting.due > plain.due) later += 1;
        }),
        { numRuns: 100 },
      );
      // The property would hold of a clock that never waits.
      expect(later).toBeGreaterThan(0);
    });

    it('starts it in the end, once it has stayed the same for long enough', () => {
      fc.assert(
        fc.property(steps, (actions) => {
          const { plain, waiting, now, on, changedAt, usage } = inLockstep(actions);
          const { due } = waiting;
          if (due === null || plain.state.running) return;
          if (!on) waiting.turnSwitch(now, true);
          const longest = policy === 'shift' ? 5 : 0;
          const stable = changedAt + Math.max(waiting.state.values.delayMs / 1000, 7) + longest;
          expect(due).toBeLessThanOrEqual(Math.max(plain.due ?? 0, stable));
          const at = waiting.due!;
          expect(summarize(waiting.check(Math.max(now, at), 0, { usage }))).toEqual(['EnforcementStarted']);
        }),
        { numRuns: 100 },
      );
    });
  },
);
