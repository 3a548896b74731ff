import { describe, expect, it } from '@jest/globals';
import type { DomainEvent } from '#contracts';
import { planned, Run, summarize } from '../../testing/run-scenario.js';

/** Five victims of 10 from a queue that uses 80, planned for a max of 30; it waits for an approval. */
function waiting(): Run {
  const run = new Run(planned([10, 10, 10, 10, 10]), { approveAboveVictims: 1 });
  expect(run.ask()).toMatchObject({ kind: 'wait', for: 'approval' });
  return run;
}

const approve = (run: Run) =>
  run.append([
    { name: 'PlanApproved', data: { partition: 'default', queue: 'root.a', enforcement: 'e1', by: 'ann' } },
  ]);

/** Each accepted kill takes its victim away. */
function driveWithUsage(run: Run): string[] {
  const from = run.log.length;
  for (let steps = 0; steps < 100; steps++) {
    const step = run.step();
    if (step.kind === 'append') run.append(step.events);
    else if (step.kind === 'order') {
      run.append(step.events);
      run.answer(step.kills[0]!);
      run.used = { memory: (run.used.memory ?? 0) - 10 };
    } else break;
  }
  return summarize(run.log.slice(from));
}

describe('a run that has evicted nothing is judged by the quota in force', () => {
  it('evicts nothing where its queue is within it, and ends as not-needed', () => {
    const run = waiting();
    run.inForce({ max: { memory: 200 } });
    approve(run);
    expect(driveWithUsage(run)).toEqual([
      'EnforcementRejudged',
      ...[1, 2, 3, 4, 5].map((rank) => `VictimSpared ${rank} no-longer-needed`),
      'EnforcementEnded not-needed',
    ]);
    expect(run.state.ended).toMatchObject({ shortfall: {}, freed: {} });
    expect(run.state.ended?.message).toContain('is within the quota in force, 200 B memory');
  });

  it('evicts only as many as it needs', () => {
    const run = waiting();
    run.inForce({ max: { memory: 60 } });
    approve(run);
    expect(driveWithUsage(run)).toEqual([
      'EnforcementRejudged',
      ...['VictimOrdered 1', 'VictimEvicted 1', 'VictimOrdered 2', 'VictimEvicted 2'],
      ...[3, 4, 5].map((rank) => `VictimSpared ${rank} no-longer-needed`),
      'EnforcementEnded satisfied',
    ]);
  });

  it('evicts no more for a quota that was lowered since, which has a delay of its own', () => {
    const run = waiting();
    run.used = { memory: 50 };
    run.inForce({ max: { memory: 10 } });
    approve(run);
    expect(driveWithUsage(run).filter((line) => line.startsWith('VictimEvicted'))).toHaveLength(2);
    expect(run.state.rejudged).toBe(false);
  });

  it('takes of each type the larger limit', () => {
    const run = new Run(planned([10]), { max: { memory: 30, vcore: 4 }, approveAboveVictims: 0 });
    approve(run);
    run.inForce({ max: { memory: 10, vcore: 9, disk: 1 } });
    const step = run.ask();
    if (step.kind !== 'append') throw new Error(`the step is ${step.kind}`);
    expect(step.events).toMatchObject([{ data: { max: { memory: 30, vcore: 9 } } }]);
  });

  it('evicts nothing where the queue no longer has a limit', () => {
    const run = waiting();
    run.inForce({ max: null });
    approve(run);
    driveWithUsage(run);
    expect(run.outcome).toBe('not-needed');
  });

  it('waits while the amounts of the share in force are unknown', () => {
    const run = waiting();
    run.inForce({ max: null, maxShare: '1/2' });
    approve(run);
    expect(run.ask()).toMatchObject({ kind: 'wait', for: 'cluster' });
    run.control = { ...run.control, clusterSize: { memory: 120 } };
    expect(driveWithUsage(run).filter((line) => line.startsWith('VictimEvicted'))).toHaveLength(2);
  });

  it('takes over each further change, up to its first order', () => {
    const run = waiting();
    approve(run);
    for (const memory of [50, 70]) {
      run.inForce({ max: { memory } });
      const step = run.ask();
      if (step.kind !== 'append') throw new Error(`the step is ${step.kind}`);
      run.append(step.events);
    }
    expect(driveWithUsage(run).filter((line) => line.startsWith('VictimEvicted'))).toHaveLength(1);
  });
});

describe('a run that has begun', () => {
  it('continues with the quota that it began with', () => {
    const run = new Run(planned([10, 10, 10, 10, 10]));
    run.answer(run.order());
    run.used = { memory: 70 };
    run.inForce({ max: { memory: 200 } });
    expect(driveWithUsage(run)).not.toContain('EnforcementRejudged');
    expect(run.state.counts.evicted).toBe(5);
  });

  it('is known to have begun after a crash', () => {
    const run = new Run(planned([10, 10]));
    run.order();
    run.inForce({ max: { memory: 200 }, enabled: false });
    run.crash();
    expect(run.step().kind).toBe('send');
  });
});

describe('a run whose quota is a share of the cluster', () => {
  /** Planned for half of a cluster of 60, with a usage of 80: five victims of 10. */
  function ofHalf(): Run {
    const run = new Run(planned([10, 10, 10, 10, 10]), { max: { memory: 30 }, maxShare: '1/2' });
    run.inForce({ max: null, maxShare: '1/2' });
    grow(run, 60);
    return run;
  }
  const grow = (run: Run, memory: number) => {
    run.control = { ...run.control, clusterSize: { memory } };
  };
  const evicted = (lines: string[]) => lines.filter((line) => line.startsWith('VictimEvicted')).length;

  it('is judged by the amounts of the share when it orders: with new nodes there is nothing to evict', () => {
    const run = ofHalf();
    grow(run, 160);
    const events = driveWithUsage(run);
    expect(events[0]).toBe('EnforcementRejudged');
    expect(run.outcome).toBe('not-needed');
    const [, , rejudged] = run.log;
    expect(rejudged).toMatchObject({
      data: {
        previous: { memory: 30 },
        max: { memory: 80 },
        inForce: { maxShare: '1/2' },
        notices: [{ code: 'cluster-changed', message: expect.stringContaining('50 % of the cluster') }],
      },
    });
  });

  it('is judged so between two orders too, and stops when its queue has come down to what it may use by then', () => {
    const run = ofHalf();
    run.answer(run.order());
    run.used = { memory: 70 };
    grow(run, 120);
    expect(evicted(driveWithUsage(run))).toBe(1);
    expect(run.state.counts).toMatchObject({ evicted: 2, spared: 3 });
  });

  it('evicts no allocation for nodes that left since the plan', () => {
    const run = ofHalf();
    run.used = { memory: 35 };
    grow(run, 20);
    expect(evicted(driveWithUsage(run))).toBe(1);
    expect(run.state.rejudged).toBe(false);
  });

  it('goes back to what it was planned for when nodes that came have gone again', () => {
    const run = ofHalf();
    grow(run, 140);
    run.append((run.ask() as { events: DomainEvent[] }).events);
    expect(run.state.opened?.max).toEqual({ memory: 70 });
    grow(run, 40);
    run.append((run.ask() as { events: DomainEvent[] }).events);
    expect(run.state.opened?.max).toEqual({ memory: 30 });
    expect(evicted(driveWithUsage(run))).toBe(5);
  });

  it('orders nothing while no nodes are known, before its first order and after it', () => {
    const run = ofHalf();
    grow(run, 60);
    run.control = { ...run.control, clusterSize: {} };
    expect(run.ask()).toMatchObject({ kind: 'wait', for: 'cluster' });
    grow(run, 60);
    run.answer(run.order());
    run.control = { ...run.control, clusterSize: {} };
    expect(run.ask()).toMatchObject({ kind: 'wait', for: 'cluster' });
  });

  it('keeps after its first order to the larger share that was in force by then, whatever is saved later', () => {
    const run = ofHalf();
    run.inForce({ max: null, maxShare: '3/4' });
    run.append((run.ask() as { events: DomainEvent[] }).events);
    expect(run.state.opened?.max).toEqual({ memory: 45 });
    run.answer(run.order());
    run.used = { memory: 70 };
    run.inForce({ max: { memory: 1000 } });
    grow(run, 80);
    expect(evicted(driveWithUsage(run))).toBe(1);
    expect(run.state.opened?.max).toEqual({ memory: 60 });
  });

  it('is the same after a crash', () => {
    const run = ofHalf();
    grow(run, 100);
    run.append((run.ask() as { events: DomainEvent[] }).events);
    const before = run.state;
    run.crash();
    expect(run.state).toEqual(before);
  });
});

describe('a run whose policy is switched off', () => {
  it('ends where it has evicted nothing', () => {
    const run = waiting();
    run.inForce({ enabled: false });
    expect(summarize(run.drive())).toEqual([
      ...[1, 2, 3, 4, 5].map((rank) => `VictimSpared ${rank} switched-off`),
      'EnforcementEnded stopped',
    ]);
  });

  it('continues once it has begun', () => {
    const run = new Run(planned([25, 25]));
    run.answer(run.order());
    run.inForce({ enabled: false });
    expect(run.step().kind).toBe('order');
  });
});

it('a run reports the amount that a kill switch below its queue kept, and that another run may free', () => {
  const run = new Run(planned([25, 25]));
  run.answer(run.order());
  run.control = { ...run.control, stops: [{ queue: 'root.a.b', by: 'ann' }] };
  run.drive();
  expect(run.state.ended).toMatchObject({
    outcome: 'best-effort',
    shortfall: { memory: 25 },
    open: { memory: 25 },
  });
});

describe('a run without victims that counted on others', () => {
  const plan = () => planned([], { outcome: 'not-needed', target: {}, inFlight: { memory: 50 } });

  it('checks its queue, and ends as not-needed where that has come down', () => {
    const run = new Run(plan());
    run.used = { memory: 30 };
    expect(run.ask().kind).toBe('check-queue');
    run.drive();
    expect(run.state.ended).toMatchObject({ outcome: 'not-needed', shortfall: {} });
  });

  it('asks for another run where they have stayed', () => {
    const run = new Run(plan());
    run.drive();
    expect(run.state.ended).toMatchObject({ outcome: 'failed', open: { memory: 50 }, retry: true });
  });
});
