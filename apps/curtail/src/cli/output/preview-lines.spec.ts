import { describe, expect, it } from '@jest/globals';
import type { PendingPreview, Plan, Preview, QueuePreview } from '#api-client';
import { Invocation } from '../invocation/invocation.js';
import type { Terminal } from '../terminal/terminal.js';
import { nextForWaiting } from './foreseen-lines.js';
import { previewLines } from './preview-lines.js';

const wide = new Invocation({ stdout: { isTTY: true, columns: 140 }, env: {} } as unknown as Terminal, {
  output: 'table',
  color: false,
});
const at = '2026-11-21T10:00:00.000Z';
const inSeconds = (seconds: number) => new Date(Date.parse(at) + seconds * 1000).toISOString();

const none = { target: {}, inFlight: {}, claimed: {}, shortfall: {}, overshoot: {}, collateral: {} };
const planOf = (queue: string, victims: string[]) =>
  ({
    policy: 'quota-decrease',
    queue,
    outcome: victims.length > 0 ? 'satisfied' : 'not-needed',
    ...none,
    shares: [],
    notices: [],
    victims: victims.map((allocation, i) => ({
      allocation,
      rank: i + 1,
      queue,
      resources: {},
      reason: 'so',
    })),
  }) as unknown as Plan;

const changed = (queue: string, over: Partial<QueuePreview>): QueuePreview => ({
  queue,
  previous: { max: null, delayMs: 20_000 },
  current: { max: { memory: 1 }, delayMs: 20_000 },
  clock: { effect: 'starts or restarts', because: 'max goes down' },
  order: 1,
  dueAt: inSeconds(20),
  waitsFor: [],
  held: [],
  plan: planOf(queue, ['a-1']),
  ...over,
});
const pending = (queue: string, over: Partial<PendingPreview>): PendingPreview => ({
  ...changed(queue, {}),
  clock: { effect: 'none', because: 'it is pending already' },
  ...over,
});
const preview = (over: Partial<Preview>): Preview => ({
  partition: 'default',
  dryRun: true,
  at,
  quotaPreemptionEnabled: true,
  previousQuotaPreemptionEnabled: true,
  policyChanges: [],
  changed: [],
  pending: [],
  removed: [],
  guaranteedChanged: [],
  propertiesChanged: [],
  notPlanned: 0,
  rounds: [],
  running: [],
  victims: 1,
  warnings: [],
  ceiling: null,
  ...over,
});
const text = (over: Partial<Preview>) => previewLines(preview(over), wide).join('\n');

describe('a preview', () => {
  it.each([
    ['4/5', '1/2', 'lower'],
    ['1/2', '4/5', 'raise'],
  ])('tells a share of the cluster with what it comes to: %s to %s is a %s', (from, to, change) => {
    const values = (maxShare: string, memory: number) => ({ max: { memory }, delayMs: 20_000, maxShare });
    const share = changed('root.a', { previous: values(from, 50e9), current: values(to, 50e9) });
    const [row] = previewLines(preview({ changed: [share] }), wide).filter((line) =>
      line.startsWith('root.a  '),
    );
    const percent = { '4/5': '80 %', '1/2': '50 %' } as Record<string, string>;
    expect(row).toContain(
      `${percent[from]} of the cluster (50 GB)  ${percent[to]} of the cluster (50 GB)  ${change}`,
    );
  });

  it('shows with a guaranteed amount the run that its change allows', () => {
    const guaranteed = (vcore: number) => ({ guaranteed: { vcore } });
    const change = { queue: 'root.a', previous: guaranteed(3000), current: guaranteed(1000) };
    const follows = pending('root.a', {
      clock: { effect: 'starts or restarts', because: 'what blocked its last run has changed' },
      dueAt: at,
    });
    expect(text({ guaranteedChanged: [change], pending: [follows] })).toMatch(
      /root\.a +guaranteed .* starts or restarts: what blocked its last run\s+has changed; a run is due at once/,
    );
    expect(text({ guaranteedChanged: [change] })).toContain('no effect: only plans depend on it');
  });

  it('names runs in progress, and how to end those that are evicting', () => {
    const run = { queue: 'root.a', enforcement: 'e-1', evicting: true, evicted: 6 };
    expect(text({ running: [run] })).toContain(
      'A run is in progress in root.a (e-1, 6 evictions so far) and continues with the quota it began with; this change is judged when it ends. To cancel it: curtail cancel e-1',
    );
    const waiting = { ...run, evicting: false, evicted: 0 };
    expect(text({ running: [waiting], quotaPreemptionEnabled: false })).toContain(
      'A run is in progress in root.a (e-1) and has evicted nothing yet: it ends.',
    );
  });

  it('says that one approval would cover the whole change, with the numbers and the command', () => {
    const ceiling = {
      code: 'ceiling-hour',
      message:
        'Partition default would have 6 victims within an hour, 6 of them by this change; more than 5 need approval.',
      about: { kind: 'partition' as const, name: 'default' },
    };
    expect(text({ ceiling, changed: [changed('root.a', {})] })).toContain(
      `needs one approval for the whole change: ${ceiling.message}`,
    );
    expect(nextForWaiting([preview({ ceiling })])).toEqual([
      'next: once its runs wait, approve the whole change: curtail get configurations --partition default, curtail approve --configuration VERSION --partition default',
    ]);
    expect(text({})).not.toContain('approval');
  });

  it('of one run that waits for nothing has its plan, and no list of runs', () => {
    const lines = text({ changed: [changed('root.a', {})] });
    expect(lines).toMatch(/starts or restarts: max goes down; a run is due 20 s later/);
    expect(lines).toContain('root.a: satisfied, 1 victim');
    expect(lines).not.toContain('RUNS');
  });

  it('has a run that is due at once, since what blocked the last one has changed', () => {
    const clock = {
      effect: 'starts or restarts' as const,
      because: 'what blocked its last run has changed',
    };
    const plan = planOf('root.p', ['p-1']);
    const lines = text({ pending: [pending('root.p', { order: 1, clock, dueAt: inSeconds(0), plan })] });
    expect(lines).toMatch(/root\.p +new +now +1 +-/);
    expect(text({ changed: [changed('root.a', { dueAt: inSeconds(0) })] })).toContain('a run is due at once');
  });

  it('lists its runs in the order in which they start, with what each waits for, and plans in that order', () => {
    const approval = { for: 'approval' as const, because: '2 victims; more than 1 need approval.' };
    const stop = { for: 'stop' as const, queue: 'root.s', because: 'User ada stopped evictions in root.s.' };
    const some = {
      changed: [
        changed('root.s', { order: 3, dueAt: null, waitsFor: [stop] }),
        changed('root.a', {
          order: 2,
          waitsFor: [approval],
          plan: planOf('root.a', ['a', 'b']),
          held: ['b'],
        }),
      ],
      pending: [
        pending('root.p', { order: 1, dueAt: inSeconds(5), plan: planOf('root.p', ['p-1', 'p-2']) }),
        pending('root.idle', { order: 4, plan: planOf('root.idle', []) }),
      ],
    };
    const lines = text(some);
    expect(lines).toContain('1 allocation would be evicted; 2 by clocks that are pending already');
    expect(lines).toMatch(/root\.s .*starts or restarts: max goes down; a stop holds it/);
    expect(lines.slice(lines.indexOf('RUNS'), lines.indexOf('root.p: '))).toBe(
      [
        'RUNS',
        'QUEUE   CLOCK    DUE                  VICTIMS                WAITS FOR',
        'root.p  pending  in 5 s               2                      -',
        'root.a  new      in 20 s              2, 1 spared by a stop  2 victims; more than 1 need approval.',
        'root.s  new      20 s after the stop  1                      User ada stopped evictions in root.s.',
        '',
        '',
      ].join('\n'),
    );
    expect(lines.indexOf('root.p: satisfied')).toBeLessThan(lines.indexOf('root.a: satisfied'));
    expect(lines).not.toContain('root.idle');
    expect(nextForWaiting([preview(some)])).toEqual([
      'next: 1 run will wait for approval: curtail get enforcements --partition default, curtail approve ID',
      'next: resume what a stop holds: curtail resume --queue root.s --partition default',
    ]);
  });

  it('of a queue with a run reports that its change is skipped', () => {
    const clock = { effect: 'none' as const, because: 'run e-1 of this queue is in progress' };
    const { order: _, dueAt: __, plan: ___, ...running } = changed('root.a', { clock });
    expect(text({ changed: [running] })).toContain('no effect: run e-1 of this queue is in progress');
  });

  it('of a partition that is switched off plans nothing', () => {
    const off = { for: 'switch' as const, because: 'off' };
    const lines = text({
      quotaPreemptionEnabled: false,
      pending: [pending('root.p', { waitsFor: [off] })],
    });
    expect(lines).toContain('off: no clock would run');
    expect(lines).not.toContain('root.p');
  });
});
