import { describe, expect, it } from '@jest/globals';
import type { DomainEvent } from '#contracts';
import { atMs, control, planned, Run, summarize } from '../../testing/run-scenario.js';
import { countedVictims } from '../limits/ceilings.js';

const sentence = 'the platform has not answered e1-1-1 within 30 s';

describe('an order whose request was not answered and can no longer be carried out', () => {
  const unanswered = (plan = planned([20, 30])) => {
    const run = new Run(plan);
    run.care = () => ({ owner: { ofOthers: [0] } });
    run.order();
    run.crash();
    run.unanswered = sentence;
    return run;
  };
  const settle = (run: Run) => {
    const step = run.step();
    if (step.kind !== 'append') throw new Error(`the step is ${step.kind}`);
    run.append(step.events);
    run.unanswered = undefined;
    return step.events;
  };

  it('is closed as refused, with why', () => {
    const [refused] = settle(unanswered());
    expect(refused).toMatchObject({
      name: 'VictimRefused',
      data: { rank: 1, code: 'no-answer', message: sentence, retryAt: atMs(1000) },
    });
  });

  it('does not delay other victims', () => {
    const run = unanswered();
    settle(run);
    expect(run.order().allocation).toBe('v2');
  });

  it('is asked for again after a pause, as another attempt', () => {
    const run = unanswered(planned([50]));
    settle(run);
    expect(run.step()).toEqual({ kind: 'wait', for: 'back-off', until: atMs(1000) });
    run.now = 1000;
    expect(run.order()).toMatchObject({ allocation: 'v1', evictionId: 'e1-1-2' });
  });

  it.each<[string, (run: Run) => DomainEvent[]]>([
    ['is leaving', (run) => leftBefore(run, { state: 'releasing' })],
    ['is gone', (run) => leftBefore(run, null)],
    [
      'leaves as the next one is requested',
      (run) => run.answer(run.order(), { kind: 'accepted', repeated: true }),
    ],
    ['goes as the next one is requested', (run) => run.answer(run.order(), { kind: 'gone' })],
  ])(
    'may have been carried out after all if its victim %s, and counts for its owner and for ceilings',
    (_, settled) => {
      const ownerBudgets = [{ per: 'application', victims: 1, seconds: 60 }];
      const run = unanswered(planned([20, 30], {}, { settings: { ownerBudgets } }));
      settle(run);
      run.now = 1000;
      expect(summarize([...settled(run), ...run.drive()]).slice(0, 2)).toEqual([
        'VictimGone 1 gone-after-request',
        'VictimSpared 2 owner-budget',
      ]);
      expect(countedVictims(run.state).map(({ allocation }) => allocation)).toEqual(['v1']);
    },
  );
  const leftBefore = (run: Run, live: Parameters<Run['set']>[1]) => {
    run.set('v1', live);
    return run.drive();
  };

  it('fails after the last attempt', () => {
    const run = unanswered();
    run.becomes({ control: control({ limits: { ...run.control.limits, maxAttempts: 1 } }) });
    expect(summarize(settle(run))).toEqual(['VictimRefused 1 no-answer', 'VictimFailed 1 no-answer']);
  });

  it('gives the room in an owner budget back where its victim stays', () => {
    const ownerBudgets = [{ per: 'application', victims: 1, seconds: 60 }];
    const run = unanswered(planned([20, 30], {}, { settings: { ownerBudgets } }));
    run.set('v1', { queue: 'root.z' });
    expect(summarize(run.drive()).slice(0, 2)).toEqual(['VictimSpared 1 moved', 'VictimOrdered 2']);
  });

  it('is spared where it would no longer be ordered', () => {
    const run = unanswered();
    run.becomes({ used: { memory: 30 } });
    expect(summarize(settle(run))).toEqual(['VictimSpared 1 no-longer-needed']);
  });
});
