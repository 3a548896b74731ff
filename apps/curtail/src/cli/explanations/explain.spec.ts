import { describe, expect, it } from '@jest/globals';
import type {
  AllocationExplanation,
  Enforcement,
  EnforcementExplanation,
  QueueExplanation,
  Victim,
} from '#api-client';
import type { Plan } from '#contracts';
import { Invocation } from '../invocation/invocation.js';
import { targetLines } from '../output/plan-lines.js';
import { victimLines } from '../output/victim-lines.js';
import { roundLines } from '../scenario/scenario-lines.js';
import type { Terminal } from '../terminal/terminal.js';
import { allocationLines } from './explain-allocation.js';
import { queueLines } from './explain-queue.js';
import { runLines } from './explain-run.js';

const narrow = new Invocation({ stdout: { isTTY: true, columns: 80 }, env: {} } as unknown as Terminal, {
  output: 'table',
  color: false,
});
const now = Date.parse('2026-11-21T10:00:07Z');

const victim = {
  rank: 1,
  allocation: 'many-020',
  uid: null,
  code: null,
  message: null,
  about: null,
  application: 'many',
  queue: 'root.work',
  resources: { vcore: 1000 },
  state: 'evicted',
  rule: 'aggressive-starvation',
  facts: {
    group: 'preemptible',
    operation: 'many',
    node: 'node-1',
    preemptedFor: 'wide',
    startedAt: '2026-11-21T09:00:00.000Z',
  },
  reason:
    'Operation wide is starving aggressively and starts on node-1 in its place; it is preemptible for many, started 2026-11-21T09:00:00.000Z; it gives 1 vcore.',
} as Victim;

const fairShare = {
  enforcement: {
    enforcement: 'r-1',
    partition: 'aggressive-scenario',
    policy: 'fair-share',
    round: 4,
    queue: 'root',
    state: 'ended',
    outcome: 'satisfied',
    startedAt: '2026-11-21T10:00:00Z',
    endedAt: '2026-11-21T10:00:02Z',
    lateMs: 0,
    victims: 1,
    message: 'root: its only victim was evicted; freed 1 vcore.',
  } as Enforcement,
  victims: [victim],
  plan: {
    policy: 'fair-share',
    outcome: 'satisfied',
    target: {},
    inFlight: {},
    claimed: { vcore: 1000 },
    shortfall: {},
    overshoot: {},
    collateral: {},
    shares: [],
    reasons: [
      {
        cause: 'starvation',
        kind: 'operation',
        name: 'wide',
        missing: { vcore: 1000 },
        answered: true,
      },
      {
        cause: 'starvation',
        kind: 'operation',
        name: 'other',
        missing: { vcore: 1000 },
        answered: false,
      },
    ],
    starts: [{ operation: 'wide', node: 'node-1', resources: { vcore: 1000 }, victims: ['many-020'] }],
    victims: [victim],
    notices: [],
  } as unknown as Plan,
  settings: {},
  snapshotDigest: null,
  replayable: false,
} as EnforcementExplanation;

describe('a round of fair-share, explained', () => {
  const lines = runLines(fairShare, narrow, now);

  it('shows what it had to act on, as it has no target', () => {
    expect(lines).toContain('1 of 2 reasons to act is answered; 1 victim holds 1 vcore: satisfied.');
    expect(lines.join('\n')).not.toContain('Nothing had to be freed');
    expect(lines).toContain('CAUSE       KIND       NAME   MISSING  ANSWERED');
    expect(lines).toContain('wide       node-1  1 vcore    many-020');
    expect(lines).toContain('TYPE   CLAIMED');
  });

  it('fits the terminal', () => {
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });
});

describe('a run that was only observed, explained', () => {
  const observed = (plan: Partial<Plan>, victims = 2) =>
    runLines(
      {
        enforcement: {
          enforcement: 'e-1',
          partition: 'default',
          policy: 'quota-decrease',
          round: null,
          queue: 'root.a',
          state: 'ended',
          outcome: 'observed',
          mode: 'observe',
          startedAt: '2026-11-21T10:00:00Z',
          endedAt: '2026-11-21T10:00:00Z',
          lateMs: 0,
          victims,
          message: `root.a: all ${victims} victims were spared. The partition is only observed; nothing is evicted.`,
        } as Enforcement,
        limit: null,
        victims: [],
        plan: {
          ...fairShare.plan,
          policy: 'quota-decrease',
          target: { memory: 30e9, vcore: 4000 },
          claimed: { memory: 30e9, vcore: 4000 },
          collateral: { 'nvidia.com/gpu': 1 },
          reasons: [],
          starts: [],
          ...plan,
        } as unknown as Plan,
        settings: {},
        snapshotDigest: null,
        replayable: false,
      } as unknown as EnforcementExplanation,
      new Invocation({ stdout: { isTTY: true, columns: 200 }, env: {} } as unknown as Terminal, {
        output: 'table',
        color: false,
      }),
      now,
    ).slice(2, 4);

  it('shows who would have gone and what that would have freed, and not that anything is satisfied', () => {
    expect(observed({})).toEqual([
      '30 GB, 4 vcore had to be freed.',
      'The partition was only observed: nothing was evicted. 2 victims would have been evicted, which would have freed 30 GB, 4 vcore, 1 nvidia.com/gpu.',
    ]);
  });

  it('shows what would still have been missing', () => {
    const some = {
      outcome: 'best-effort',
      claimed: { memory: 20e9 },
      shortfall: { memory: 10e9, vcore: 4000 },
    };
    expect(observed({ ...some, collateral: {} } as Partial<Plan>, 1)).toEqual([
      '30 GB, 4 vcore had to be freed.',
      'The partition was only observed: nothing was evicted. 1 victim would have been evicted, which would have freed 20 GB; 10 GB, 4 vcore would have been missing.',
    ]);
    const none = {
      outcome: 'impossible',
      claimed: {},
      shortfall: { memory: 30e9, vcore: 4000 },
      collateral: {},
    };
    expect(observed(none as Partial<Plan>, 0)[1]).toBe(
      'The partition was only observed: nothing was evicted. There would have been no victim; 30 GB, 4 vcore would have been missing.',
    );
  });

  it('says the same of a round of fair-share', () => {
    const round = { policy: 'fair-share', target: {}, collateral: {}, reasons: fairShare.plan?.reasons };
    expect(observed(round as Partial<Plan>)).toEqual([
      '2 reasons to act were found, and 1 would have been answered.',
      'The partition was only observed: nothing was evicted. 2 victims would have been evicted, which would have freed 30 GB, 4 vcore.',
    ]);
  });

  it('does not say with each victim what it has said of the run', () => {
    const message = 'The partition is only observed; nothing is evicted.';
    const spared = { ...victim, state: 'spared', code: 'observe', message } as Victim;
    const [, , row] = victimLines([spared], narrow);
    expect(row).toBe('   1  many-020    many         1 vcore    spared');
    expect(victimLines([{ ...spared, code: 'gone' }], narrow).join(' ')).toContain('only');
  });

  it('cuts no amount and no type where there is little room', () => {
    const plan = {
      target: { memory: 40e9, vcore: 10e3 },
      shortfall: { vcore: 1000 },
      collateral: { 'nvidia.com/gpu': 1 },
    };
    const text = targetLines({ ...fairShare.plan, policy: 'quota-decrease', ...plan } as Plan, narrow).join(
      '\n',
    );
    expect(text).toContain('\nnvidia.com/gpu  ');
    expect(text).not.toContain('…');
  });

  it('names the policy where only that observes', () => {
    expect(observed({ observeOnly: true })[1]).toMatch(
      /^The policy only observes \(observeOnly\): nothing was evicted. 2 victims would/,
    );
  });
});

describe('a round in a scenario', () => {
  it('has its reason on as many lines as the terminal needs, and a command that works', () => {
    expect(roundLines(fairShare, narrow)).toEqual([
      'ROUND 4',
      'Evicted: 1 allocation',
      '  many-020',
      '    Operation wide is starving aggressively and starts on node-1 in its place;',
      '      it is preemptible for many',
      'curtail explain enforcement r-1',
    ]);
  });

  it('puts victims together whose reasons differ in the time of their start alone', () => {
    const facts = { number: 2, of: 7, kind: 'task', priority: 0, startedAt: '2026-11-21T09:00:00Z' };
    const reason =
      'Number 2 of 7 in root.work, task of priority 0, started 2026-11-21T09:00:00Z: younger goes first (rule 4); it gives 1 vcore.';
    const first: Victim = { ...victim, rule: 'younger', facts, reason };
    const second = {
      ...first,
      allocation: 'many-021',
      facts: { ...facts, startedAt: '2026-11-21T08:00:00Z' },
    };
    expect(roundLines({ ...fairShare, victims: [first, second] }, narrow).slice(1, 4)).toEqual([
      'Evicted: 2 allocations',
      '  many-020, many-021',
      '    Number 2 of 7, task of priority 0: younger goes first (rule 4)',
    ]);
  });

  it('has the whole sentence of victims of which only that was recorded', () => {
    const { rule: _, facts: __, ...older } = victim;
    expect(
      roundLines({ ...fairShare, victims: [older] }, narrow)
        .slice(3, -1)
        .join(' '),
    ).toContain('; it gives 1 vcore.');
  });
});

describe('the last round of a queue', () => {
  const explained = (share: QueueExplanation['rounds'][number]['shares'][number]) =>
    queueLines(
      {
        queue: { queue: 'root.a', usage: {}, inFlight: {}, max: null, delaySeconds: 0 },
        timer: null,
        pool: null,
        rounds: [
          {
            policy: 'intra-queue',
            round: 7,
            at: '2026-11-21T10:00:00Z',
            shares: [share],
            reasons: [],
            notices: [],
          },
        ],
        runs: [],
        history: [],
        notices: [],
      } as unknown as QueueExplanation,
      narrow,
      now,
    ).at(-1);
  const GB = (memory: number) => ({ memory: memory * 1e9 });

  it.each([
    [GB(50), {}, {}, 'It could give 50 GB; nothing was demanded of it.'],
    [{}, {}, {}, 'It could give nothing; nothing was demanded of it.'],
    [GB(50), GB(40), GB(30), 'It could give 50 GB; 40 GB were demanded of it, and 30 GB chosen.'],
    [GB(50), GB(40), {}, 'It could give 50 GB; 40 GB were demanded of it, and nothing chosen.'],
    [GB(50), {}, GB(10), 'It could give 50 GB; 10 GB were chosen.'],
  ])(
    'is put into words, also what there was none of (%j, %j, %j)',
    (releasable, target, claimed, expected) => {
      expect(explained({ queue: 'root.a', releasable, target, claimed })).toBe(expected);
    },
  );
});

describe('a run that has not started, explained', () => {
  const explained = (state: string, dueAt: string) =>
    runLines(
      {
        enforcement: {
          enforcement: 'e-1',
          partition: 'default',
          policy: 'quota-decrease',
          round: null,
          queue: 'root.a',
          state,
          outcome: null,
          dueAt,
          startedAt: null,
          victims: 0,
          waiting:
            state === 'suspended'
              ? { code: 'suspended', message: 'Run e-1 is suspended. User ann stopped evictions in root.a.' }
              : null,
        } as Enforcement,
        limit: null,
        victims: [],
        plan: null,
      } as unknown as EnforcementExplanation,
      new Invocation({ stdout: { isTTY: true, columns: 200 }, env: {} } as unknown as Terminal, {
        output: 'table',
        color: false,
      }),
      now,
    )[1];

  it.each([
    ['scheduled', '2026-11-21T10:00:19Z', 'It is due in 12 s.'],
    ['scheduled', '2026-11-21T10:00:05Z', 'It was due 2 s ago.'],
    ['suspended', '2026-11-21T10:00:05Z', 'Run e-1 is suspended. User ann stopped evictions in root.a.'],
  ])('%s, due at %s', (state, dueAt, sentence) => {
    expect(explained(state, dueAt)).toBe(sentence);
  });
});

describe('a clock that an operator cancelled, explained', () => {
  it('is cancelled', () => {
    const enforcement = {
      ...{ ...fairShare.enforcement, enforcement: 'e-1', round: null, queue: 'root.a', startedAt: null },
      ...{ state: 'cancelled', outcome: 'operator', dueAt: '2026-11-21T10:00:05Z', victims: 0 },
    } as Enforcement;
    const [head] = runLines({ ...fairShare, enforcement, victims: [], plan: null }, narrow, now);
    expect(head).toMatch(/^enforcement e-1 of root\.a, .*: cancelled$/);
  });
});

describe('a pool, explained', () => {
  it('has how it stands, what its round had to act on, and the runs that took victims in it', () => {
    const why = {
      queue: { queue: 'root.web', usage: {}, inFlight: {}, max: null, delaySeconds: 0 },
      timer: null,
      pool: {
        fairShare: 0.5,
        usageShare: 0.125,
        demandShare: 1,
        starvation: 'starving',
        starvingSince: '2026-11-21T10:00:00Z',
      },
      rounds: [
        {
          policy: 'fair-share',
          round: 4,
          at: '2026-11-21T10:00:00Z',
          shares: [],
          reasons: [
            {
              cause: 'starvation',
              kind: 'pool',
              name: 'root.web',
              queue: 'root.web',
              answered: true,
              missing: { vcore: 3000 },
            },
          ],
          notices: [],
        },
      ],
      runs: [
        {
          enforcement: 'r-1',
          policy: 'fair-share',
          queue: 'root',
          at: '2026-11-21T10:00:00Z',
          state: 'ended',
          outcome: 'satisfied',
          victims: 2,
        },
      ],
      history: [],
      notices: [],
    } as unknown as QueueExplanation;
    const text = queueLines(why, narrow, now).join('\n');
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      'Its fair share is 50 % of the cluster; it uses 12.5 % and wants 100 %: it is starving, since 7 s ago.',
    );
    expect(text).toMatch(
      /ROUND 4 OF FAIR-SHARE, 7 s ago\nCAUSE .*\nstarvation +pool +root\.web +3 vcore +yes/,
    );
    expect(text).toMatch(/7 s ago +r-1 +fair-share +root +satisfied +2/);
  });
});

describe('the victims of a small run, explained', () => {
  const rule = 'youngest first among equals (rule 4)';
  const some = (victims: number) =>
    runLines(
      {
        ...fairShare,
        enforcement: { ...fairShare.enforcement, round: null, queue: 'root.work', victims } as Enforcement,
        plan: null,
        victims: Array.from({ length: victims }, () => ({
          ...victim,
          rule: 'younger',
          facts: null,
          reason: `It is last: ${rule}.`,
        })),
        summary: {
          rules: { count: 1, first: [{ name: rule, victims }] },
          states: { count: 1, first: [{ name: 'evicted', victims }] },
          queues: { count: 1, first: [{ name: 'root.work', victims }] },
          owners: { count: 4, first: ['ann', 'bob', 'cy', 'dan'].map((name) => ({ name, victims: 1 })) },
          applications: { count: 1, first: [{ name: 'many', victims }] },
        },
      },
      narrow,
      now,
    );

  it('are summarized by rule and owner, with a legend of the rules and the zone of the times', () => {
    const lines = some(4);
    const summary = lines.slice(lines.indexOf('SUMMARY'), lines.indexOf('VICTIMS'));
    expect(summary).toEqual([
      ...['SUMMARY', 'BY     VICTIMS  WHICH', `RULE         4  ${rule}`],
      ...['OWNER        1  ann', '             1  bob', '             1  cy'],
      ...['                and 1 more owner', ''],
    ]);
    expect(lines.join(' ').replaceAll(/ +/g, ' ')).toContain('then youngest (4), then by id (5)');
    expect(lines.at(-1)).toMatch(/^Times are local time, UTC/);
  });

  it('have no summary that would repeat their table, but the legend', () => {
    const lines = some(2);
    expect(lines).not.toContain('SUMMARY');
    expect(lines.join(' ').replaceAll(/ +/g, ' ')).toContain('then youngest (4), then by id (5)');
  });
});

describe('an allocation, explained', () => {
  it('says what a run that is to start would do to it, and when', () => {
    const now = Date.parse('2026-11-21T09:00:00.000Z');
    const startsAt = '2026-11-21T09:59:00.000Z';
    const foreseen: NonNullable<AllocationExplanation['foreseen']>[number] = {
      ...{ enforcement: 'e-1', queue: 'root.a', dueAt: '2026-11-21T09:07:00.000Z', startsAt },
      waiting: {
        code: 'frozen',
        message: `Run e-1 waits until ${startsAt}: User ada froze root.a.`,
        about: { kind: 'queue', name: 'root.a' },
      },
      ...{ verdict: 'evicted', victims: 2, reason: 'younger goes first (rule 4)', needsApproval: true },
      ...{ checkedAt: '2026-11-21T08:59:00.000Z', fault: null },
    };
    const why = { allocation: 'a-1', partition: 'default', queue: 'root.a', chosen: [], spared: [] };
    const text = (of: Partial<typeof foreseen>) =>
      allocationLines({ ...why, foreseen: [{ ...foreseen, ...of }] }, narrow, now)
        .join(' ')
        .replaceAll(/ +/g, ' ');
    expect(text({})).toMatch(/Run e-1 of root\.a starts in 59 min, at .*It will be evicted then/);
    expect(text({})).toMatch(/younger goes first.*User ada froze root\.a.*has to approve the run/);
    expect(text({})).not.toContain('no run of root.a or above has planned it yet');
    expect(text({ verdict: 'stays' })).toContain('As things are, it spares this allocation.');
    expect(text({ verdict: 'unknown' })).toContain('It is not known whether it evicts this allocation.');
    expect(text({ startsAt: null })).toContain('starts once nothing holds it any more');
  });

  it('has a legend of the rules that chose it, and the zone of the times', () => {
    const why: AllocationExplanation = {
      ...{ allocation: 'a-1', partition: 'default', queue: 'root.a' },
      chosen: [
        {
          ...{ enforcement: 'e-1', queue: 'root.a', state: 'evicted', rank: 1, code: null, message: null },
          rule: 'younger',
          reason: 'It started at 2026-11-21T09:00:00.000Z: younger goes first (rule 4).',
        } as AllocationExplanation['chosen'][number],
      ],
      spared: [],
    };
    const text = allocationLines(why, narrow, Date.now()).join(' ').replaceAll(/ +/g, ' ');
    expect(text).toContain('lowest priority first (2)');
    expect(text).toContain('Times are local time, UTC');
  });
});
