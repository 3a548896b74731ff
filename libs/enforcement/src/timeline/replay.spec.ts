import { describe, expect, it } from '@jest/globals';
import { InputError } from '#contracts';
import { replayTimeline } from './replay.js';

const initial = { max: { memory: 90 }, delay: 60, dueAt: null, usage: { memory: 80 } };
const low = { max: { memory: 30 }, delay: 60 };
const lower = { max: { memory: 20 }, delay: 60 };

function replay(steps: unknown[], settings: object = {}, start: object = {}) {
  return replayTimeline({
    queue: 'root.a.b',
    settings: { quotaPreemptionEnabled: true, ...settings },
    initial: { ...initial, ...start },
    steps,
  });
}

const dueAtSteps = (...given: Parameters<typeof replay>) => replay(...given).dueAtSteps;

describe('a timeline', () => {
  it('returns the due time after each step and whether each check started a run', () => {
    const steps = [
      { at: 'T+0s', config: low },
      { at: 'T+59s', check: true },
      { at: 'T+60s', check: true },
      { at: 'T+65s', event: 'enforcement-finished', usage: { memory: 30 } },
    ];
    expect(replay(steps)).toEqual({
      dueAt: null,
      dueAtSteps: ['T+60s', 'T+60s', null, null],
      started: true,
      startedAtSteps: [null, false, true, null],
      runInterrupted: false,
    });
  });

  it('without steps returns the initial due time', () => {
    expect(replay([], {}, { dueAt: 'T+10.5s' })).toEqual({
      dueAt: 'T+10.5s',
      dueAtSteps: [],
      started: false,
      startedAtSteps: [],
      runInterrupted: false,
    });
  });

  it('has started false after a check that started nothing, whatever an earlier one did', () => {
    const steps = [
      { at: 'T+0s', config: low },
      { at: 'T+60s', check: true },
      { at: 'T+61s', check: true },
    ];
    expect(replay(steps)).toMatchObject({ started: false, startedAtSteps: [null, true, false] });
  });

  it('never starts early, not by less than a millisecond either', () => {
    const steps = [
      { at: 'T+0.0001s', config: low },
      { at: 'T+60.0009s', check: true },
      { at: 'T+60.001s', check: true },
    ];
    expect(replay(steps).startedAtSteps).toEqual([null, false, true]);
    const before = [{ at: 'T-0.0001s', check: true }];
    expect(replay(before, {}, { dueAt: 'T+0s' }).startedAtSteps).toEqual([false]);
  });

  it('judges one step in the order usage, running, settings, config, event, check', () => {
    expect(
      replay([{ at: 'T+60s', check: true, usage: { memory: 95 } }], {}, { dueAt: 'T+60s' }).started,
    ).toBe(true);
    // The switch comes on before the save, which then sets its own time; the check comes last.
    const steps = [
      { at: 'T+5s', check: true, config: { ...low, delay: 0.5 }, settings: { quotaPreemptionEnabled: true } },
    ];
    expect(dueAtSteps(steps, { quotaPreemptionEnabled: false }, { dueAt: 'T+1s' })).toEqual(['T+5.5s']);
    // The end of a run comes before the check of the same step.
    const both = [
      { at: 'T+0s', config: low },
      { at: 'T+60s', check: true },
      { at: 'T+61s', config: { ...lower, delay: 1 } },
      { at: 'T+70s', event: 'enforcement-finished', check: true },
      { at: 'T+71s', check: true },
    ];
    expect(replay(both)).toMatchObject({
      dueAtSteps: ['T+60s', null, null, 'T+71s', null],
      startedAtSteps: [null, true, null, false, true],
    });
  });

  it('keeps the usage of a step for those that follow', () => {
    const steps = [
      { at: 'T+0s', config: low, usage: { memory: 10 } },
      { at: 'T+60s', check: true },
    ];
    expect(replay(steps)).toMatchObject({ started: false, dueAt: null });
  });

  it('knows decimals and times before T', () => {
    expect(dueAtSteps([{ at: 'T-10.25s', config: { ...low, delay: 2 } }])).toEqual(['T-8.25s']);
    expect(dueAtSteps([{ at: 'T-0.5s', config: { ...low, delay: 0.5 } }])).toEqual(['T+0s']);
    expect(dueAtSteps([{ at: 'T+0.1s', config: { ...low, delay: 0.07 } }])).toEqual(['T+0.17s']);
    expect(dueAtSteps([{ at: 'T+1.000s', config: low }])).toEqual(['T+61s']);
  });

  it('rounds what is finer than a millisecond up', () => {
    expect(dueAtSteps([{ at: 'T+0.0001s', config: low }])).toEqual(['T+60.001s']);
    expect(dueAtSteps([{ at: 'T+0s', config: { ...low, delay: 1e-7 } }])).toEqual(['T+0.001s']);
  });

  it('reads a config without max or delay as unlimited and off', () => {
    expect(dueAtSteps([{ at: 'T+0s', config: { delay: 60 } }], {}, { dueAt: 'T+9s' })).toEqual([null]);
    expect(dueAtSteps([{ at: 'T+0s', config: { max: { memory: 1 } } }], {}, { dueAt: 'T+9s' })).toEqual([
      null,
    ]);
  });

  it('of a dynamic queue has no clock and no run', () => {
    const steps = [
      { at: 'T+0s', config: low },
      { at: 'T+60s', check: true },
    ];
    expect(replay(steps, {}, { dynamic: true })).toMatchObject({ dueAtSteps: [null, null], started: false });
    expect(replay([{ at: 'T+60s', check: true }], {}, { dynamic: true, dueAt: 'T+10s' })).toMatchObject({
      dueAt: null,
      started: false,
    });
    const running = [{ at: 'T+0s', running: true, config: low, event: 'enforcement-finished' }];
    expect(dueAtSteps(running, {}, { dynamic: true })).toEqual([null]);
  });
});

describe('a run in a timeline', () => {
  const started = [
    { at: 'T+0s', config: low },
    { at: 'T+60s', check: true },
  ];

  it('is from the check that started it to its end', () => {
    const steps = [
      ...started,
      { at: 'T+70s', config: lower },
      { at: 'T+200s', check: true },
      { at: 'T+210s', event: 'enforcement-finished' },
    ];
    expect(dueAtSteps(steps)).toEqual(['T+60s', null, null, null, 'T+270s']);
    expect(dueAtSteps(steps, { afterRun: 'ignore' })).toEqual(['T+60s', null, null, null, null]);
  });

  it('is over where a step has no run in progress', () => {
    const steps = [...started, { at: 'T+70s', running: false, config: lower }, { at: 'T+130s', check: true }];
    expect(replay(steps)).toMatchObject({ dueAtSteps: ['T+60s', null, 'T+130s', null], started: true });
  });

  it('that no check started is in progress at the steps that name it', () => {
    const steps = [
      { at: 'T+0s', running: true, config: low },
      { at: 'T+10s', running: true, check: true },
      { at: 'T+20s', config: lower },
    ];
    expect(dueAtSteps(steps, {}, { dueAt: 'T+5s' })).toEqual([null, null, 'T+80s']);
  });

  it('that no check started ends with enforcement-finished all the same', () => {
    const steps = [
      { at: 'T+0s', running: true, config: low },
      { at: 'T+5s', usage: { memory: 70 } },
      { at: 'T+10s', event: 'enforcement-finished' },
    ];
    expect(dueAtSteps(steps)).toEqual([null, null, 'T+70s']);
    expect(dueAtSteps(steps, { afterRun: 'ignore' })).toEqual([null, null, null]);
  });

  it('that no check started does not blur the one that a later check starts', () => {
    const steps = [
      { at: 'T-10s', running: true },
      ...started,
      { at: 'T+70s', config: lower },
      { at: 'T+80s', event: 'enforcement-finished' },
    ];
    expect(dueAtSteps(steps)).toEqual([null, 'T+60s', null, null, 'T+140s']);
  });

  it('is not ended by an event when none is in progress', () => {
    const steps = [{ at: 'T+10s', event: 'enforcement-finished' }];
    expect(dueAtSteps(steps, {}, { dueAt: 'T+20s' })).toEqual(['T+20s']);
  });
});

describe('settings in a timeline', () => {
  it('have the switch off by default, and the usual defaults otherwise', () => {
    const steps = [
      { at: 'T+0s', config: low },
      { at: 'T+40s', event: 'restart', config: low },
      { at: 'T+61s', check: true },
    ];
    expect(replay(steps, { quotaPreemptionEnabled: null })).toMatchObject({ dueAt: 'T+60s', started: false });
    expect(replay(steps)).toMatchObject({ dueAtSteps: ['T+60s', 'T+60s', null], started: true });
    expect(dueAtSteps(steps, { onRestart: 'restart' })).toEqual(['T+60s', 'T+100s', 'T+100s']);
  });

  it('turned on in a step restart a pending clock; turned off they leave it', () => {
    const steps = [
      { at: 'T+0s', config: low },
      { at: 'T+10s', settings: { quotaPreemptionEnabled: false } },
      { at: 'T+90s', check: true },
      { at: 'T+100s', settings: { quotaPreemptionEnabled: true }, check: true },
      { at: 'T+110s', settings: { quotaPreemptionEnabled: true } },
      { at: 'T+160s', check: true },
    ];
    expect(replay(steps)).toMatchObject({
      dueAtSteps: ['T+60s', 'T+60s', 'T+60s', 'T+160s', 'T+160s', null],
      startedAtSteps: [null, null, false, false, null, true],
    });
  });

  it('of a step change only what they name', () => {
    const steps = [
      { at: 'T+0s', config: low },
      { at: 'T+10s', settings: { quotaPreemptionEnabled: true, onRestart: 'restart' } },
      { at: 'T+30s', config: lower },
      { at: 'T+40s', event: 'restart' },
    ];
    expect(dueAtSteps(steps, { timerPolicy: 'keep-earliest' })).toEqual([
      'T+60s',
      'T+60s',
      'T+60s',
      'T+100s',
    ]);
  });

  it('choose the timer policy', () => {
    const steps = [
      { at: 'T+0s', config: low },
      { at: 'T+30s', config: { ...low, delay: 90 } },
    ];
    expect(dueAtSteps(steps)).toEqual(['T+60s', 'T+120s']);
    expect(dueAtSteps(steps, { timerPolicy: 'keep-earliest' })).toEqual(['T+60s', 'T+60s']);
    expect(dueAtSteps(steps, { timerPolicy: 'shift' })).toEqual(['T+60s', 'T+90s']);
  });

  it('let a forced or resized allocation start the clock under shift only', () => {
    for (const event of ['allocation-forced', 'allocation-resized']) {
      const steps = [{ at: 'T+5s', event, usage: { memory: 91 } }];
      expect(dueAtSteps(steps, { timerPolicy: 'shift' })).toEqual(['T+65s']);
      expect(dueAtSteps(steps)).toEqual([null]);
      expect(dueAtSteps([{ at: 'T+5s', event, usage: { memory: 90 } }], { timerPolicy: 'shift' })).toEqual([
        null,
      ]);
    }
  });
});

describe('bad input', () => {
  function failure(input: unknown): InputError {
    try {
      replayTimeline(input);
    } catch (error) {
      if (error instanceof InputError) return error;
      throw error;
    }
    throw new Error('was accepted');
  }
  const withSteps = (...steps: unknown[]) => failure({ queue: 'root.a', initial, steps });

  it.each<[string, unknown]>([
    ['timeline', null],
    ['timeline', []],
    ['queue', { initial, steps: [] }],
    ['queue', { queue: 7, initial, steps: [] }],
    ['steps', { queue: 'root.a', initial }],
    ['steps', { queue: 'root.a', initial, steps: {} }],
    ['initial', { queue: 'root.a', initial: 5, steps: [] }],
    ['initial.max.memory', { queue: 'root.a', initial: { max: { memory: -1 } }, steps: [] }],
    ['initial.max.memory', { queue: 'root.a', initial: { max: { memory: '30G' } }, steps: [] }],
    ['initial.max', { queue: 'root.a', initial: { max: 30 }, steps: [] }],
    ['initial.delay', { queue: 'root.a', initial: { delay: -1 }, steps: [] }],
    ['initial.dueAt', { queue: 'root.a', initial: { dueAt: 60 }, steps: [] }],
    ['initial.usage.memory', { queue: 'root.a', initial: { usage: { memory: 0.5 } }, steps: [] }],
    ['initial.dynamic', { queue: 'root.a', initial: { dynamic: 'no' }, steps: [] }],
    ['settings.timerPolicy', { queue: 'root.a', initial, settings: { timerPolicy: 'never' }, steps: [] }],
    ['settings.delay', { queue: 'root.a', initial, settings: { delay: 60 }, steps: [] }],
  ])('is refused at %s', (path, input) => {
    expect(failure(input).path).toBe(path);
  });

  it.each<[string, object | null]>([
    ['steps[1]', null],
    ['steps[1].at', {}],
    ['steps[1].at', { at: 'T+4s' }],
    ['steps[1].at', { at: 'T+4.999s' }],
    ['steps[1].at', { at: '60s' }],
    ['steps[1].at', { at: 'T60s' }],
    ['steps[1].at', { at: 'T+60' }],
    ['steps[1].at', { at: 'T+1m' }],
    ['steps[1].at', { at: 60 }],
    ['steps[1].at', { at: 'T+999999999999999s' }],
    ['steps[1].usage.memory', { at: 'T+5s', usage: { memory: 2 ** 53 } }],
    ['steps[1].usage', { at: 'T+5s', usage: [] }],
    ['steps[1].running', { at: 'T+5s', running: 'yes' }],
    ['steps[1].check', { at: 'T+5s', check: 1 }],
    ['steps[1].settings', { at: 'T+5s', settings: true }],
    ['steps[1].settings.quotaPreemptionEnabled', { at: 'T+5s', settings: { quotaPreemptionEnabled: 'on' } }],
    ['steps[1].settings.switch', { at: 'T+5s', settings: { switch: true } }],
    ['steps[1].config', { at: 'T+5s', config: 'lower' }],
    ['steps[1].config.delay', { at: 'T+5s', config: { max: null, delay: -60 } }],
    ['steps[1].config.delay', { at: 'T+5s', config: { max: null, delay: '60' } }],
    ['steps[1].config.delay', { at: 'T+5s', config: { max: null, delay: null } }],
    ['steps[1].config.max.memory', { at: 'T+5s', config: { max: { memory: -1 }, delay: 60 } }],
    ['steps[1].event', { at: 'T+5s', event: 'reboot' }],
    ['steps[1].event', { at: 'T+5s', event: true }],
  ])('of a step is refused at %s: %j', (path, step) => {
    expect(withSteps({ at: 'T+5s' }, step).path).toBe(path);
  });

  it('names valid values', () => {
    expect(withSteps({ at: 'T5s' }).message).toContain('T+60s');
    expect(withSteps({ at: 'T+5s', event: 'reboot' }).message).toContain('enforcement-finished');
  });

  it('does not count fields that are not known', () => {
    const steps = [{ at: 'T+5s', note: 'nothing happens' }];
    expect(replayTimeline({ queue: 'root.a', initial, steps, expect: {} }).dueAt).toBeNull();
  });
});
