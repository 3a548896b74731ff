import { describe, expect, it } from '@jest/globals';
import { control, planned, Run } from '../../testing/run-scenario.js';

describe('a reason names its subject', () => {
  const stop = (queue: string | null) => (run: Run) =>
    run.becomes({ control: control({ stops: [{ queue, by: 'ann' }] }) });

  it.each<[string, (run: Run) => void, object]>([
    ['the partition that is stopped', stop(null), { kind: 'partition', name: 'default' }],
    ['the queue that is stopped', stop('root.a.b'), { kind: 'queue', name: 'root.a.b' }],
    [
      'the queue that would fall below its guaranteed amount',
      (run) => run.becomes({ guaranteed: { 'root.a': { memory: 80 } } }),
      { kind: 'queue', name: 'root.a' },
    ],
    [
      'the queue that has come down',
      (run) => run.becomes({ used: { memory: 30 } }),
      { kind: 'queue', name: 'root.a' },
    ],
    [
      'the allocation that has moved',
      (run) => run.set('v1', { queue: 'root.z' }),
      { kind: 'allocation', name: 'v1', queue: 'root.a.b' },
    ],
    [
      'the allocation that has gone',
      (run) => run.set('v1', null),
      { kind: 'allocation', name: 'v1', queue: 'root.a.b' },
    ],
    [
      'the run past its deadline',
      (run) => run.becomes({ now: 600_000 }),
      { kind: 'enforcement', name: 'e1' },
    ],
    [
      'the queue whose lock is lost',
      (run) => run.becomes({ control: control({ fencingToken: 9 }) }),
      { kind: 'queue', name: 'root.a' },
    ],
  ])('%s', (_, happens, about) => {
    const run = new Run(planned([50]));
    happens(run);
    expect(run.drive()[0]?.data).toMatchObject({ allocation: 'v1', about });
  });

  it('the allocation whose eviction is refused', () => {
    const run = new Run(planned([50]));
    const events = run.answer(run.order(), {
      kind: 'refused',
      retryable: false,
      code: 'forbidden',
      message: 'no right',
    });
    const about = { kind: 'allocation', name: 'v1', queue: 'root.a.b' };
    expect(events).toMatchObject([
      { name: 'VictimRefused', data: { about } },
      { name: 'VictimFailed', data: { about } },
    ]);
  });
});
