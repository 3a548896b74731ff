import { describe, expect, it } from '@jest/globals';
import type { EnforcementOutcome, Notice } from '#contracts';
import { Scenario, values } from '../../testing/clock-scenario.js';
import { planned, Run } from '../../testing/run-scenario.js';
import type { AnswerToEviction } from '../run/answer.js';
import { needsPerson, whyAbove } from './why-above.js';

/*
 * What is said about a queue above its quota after each kind of run: what its plan found, what became of each victim, and how it ended.
 * Each run is carried out by the rules themselves, and its end goes through the clock.
 */

const about = { kind: 'queue' as const, name: 'root.a' };
const notice = (code: string, message: string): Notice => ({ code, message, about });
const refused: AnswerToEviction = {
  kind: 'refused',
  retryable: false,
  code: 'refused',
  message: 'It writes a checkpoint.',
} as AnswerToEviction;

/** Each thing that keeps candidates out of a plan. */
const keptOut: Notice[] = [
  notice('disruption-budget', 'Budget web has too little left: 4 candidates were passed over, first v1.'),
  notice(
    'owner-budget',
    'User ann (ownerBudgets[0]) has 2 of at most 2 victims in 3600 s: 1 candidate was passed over, first v1.',
  ),
  notice('too-young', '3 allocations of queue root.a are kept by the minimum run time.'),
  notice('gang', 'Application app keeps the 4 members of its gang that stay, and needs 4.'),
  notice('queue-limit', 'Queue root.a has the limit 10 B memory.'),
  notice('protected', 'The setting protect keeps 2 allocations of queue root.a out.'),
  notice('guaranteed-floor', 'Queue root.a would fall below its guaranteed 30 B memory.'),
  notice(
    'only-daemons',
    'All 3 running allocations of queue root.a that could free 50 B memory are daemons, and daemons stay.',
  ),
  notice('all-or-nothing', '1 victim with 10 B memory were found in queue root.a, less than the target.'),
  notice('no-candidates', 'No allocation of queue root.a may be taken to free 50 B memory.'),
  notice('too-few-victims', 'Queue root.a has a single candidate, v1, with 10 B memory.'),
];

interface Case {
  plan: 'satisfied' | 'best-effort' | 'impossible';
  /** Memory of the victims. */
  victims: number[];
  notices?: Notice[];
  happens?: (run: Run) => void;
  outcome: EnforcementOutcome;
  /** Usage at the end. */
  left: number;
  code: string;
  why: string;
}

/** Evicts what it can; the cluster refuses these for good. */
const refusing =
  (...refusals: string[]) =>
  (run: Run) => {
    for (let steps = 0; steps < 100 && run.outcome === undefined; steps++) {
      const step = run.step();
      if (step.kind === 'append') run.append(step.events);
      else if (step.kind === 'order') {
        run.append(step.events);
        for (const kill of step.kills) {
          run.answer(
            kill,
            refusals.includes(kill.allocation) ? refused : { kind: 'accepted', repeated: false },
          );
        }
      } else throw new Error(`the run waits: ${JSON.stringify(step)}`);
    }
  };

function endOf({ plan, victims, notices = [], happens = refusing() }: Case): Run {
  const claimed = victims.reduce((sum, memory) => sum + memory, 0);
  const run = new Run(
    planned(victims, {
      outcome: plan,
      claimed: { memory: claimed },
      shortfall: claimed < 50 ? { memory: 50 - claimed } : {},
      notices,
    }),
  );
  happens(run);
  return run;
}

function whyAfter(of: Case): { code: string; message: string; outcome: EnforcementOutcome | undefined } {
  const { ended } = endOf(of).state;
  const clock = new Scenario(values(100, 60));
  clock.change(0, values(30, 60));
  clock.check(60, 80);
  const { outcome, shortfall, blocked } = ended!;
  clock.endRun(70, of.left, { outcome, shortfall, blocked, retryUnblocked: false });
  const holds = { enabled: true, observed: false, stop: undefined };
  const why = whyAbove(clock.state, { memory: of.left - 30 }, holds, '2026-11-21T11:00:00.000Z');
  return { code: why.code, message: why.message, outcome };
}

const impossible = (memory: number, why = '') =>
  `Run e1 could free nothing of the ${memory} B memory that it left above the quota.${why && ` ${why}`}`;
const bestEffort = (memory: number, why = '') =>
  `Run e1 could not free the ${memory} B memory that it left above the quota.${why && ` ${why}`}`;

describe('the reason after a run whose plan found', () => {
  it.each(keptOut)('nothing: $code', (kept) => {
    const of: Case = {
      plan: 'impossible',
      victims: [],
      notices: [kept, notice('impossible', 'x')],
      outcome: 'impossible',
      left: 80,
      code: 'impossible',
      why: '',
    };
    expect(whyAfter(of)).toEqual({
      outcome: 'impossible',
      code: 'impossible',
      message: impossible(50, kept.message),
    });
    expect(endOf(of).state.ended?.message).toContain(kept.message);
  });

  it.each(keptOut)('too little, and all of it went: $code', (kept) => {
    const of: Case = {
      plan: 'best-effort',
      victims: [10],
      notices: [kept, notice('best-effort', 'x')],
      outcome: 'best-effort',
      left: 70,
      code: 'best-effort',
      why: '',
    };
    expect(whyAfter(of)).toEqual({
      outcome: 'best-effort',
      code: 'best-effort',
      message: bestEffort(40, kept.message),
    });
  });

  it('too little for several reasons: it names two, and counts the others', () => {
    const of: Case = {
      plan: 'impossible',
      victims: [],
      notices: keptOut,
      outcome: 'impossible',
      left: 80,
      code: 'impossible',
      why: '',
    };
    const { message } = whyAfter(of);
    expect(message).toContain('are daemons, and daemons stay.');
    expect(message).toContain('9 more reasons are on record.');
  });
});

const cases: Record<string, Case> = {
  'enough, of which one failed': {
    plan: 'satisfied',
    victims: [25, 25],
    happens: refusing('v1'),
    outcome: 'best-effort',
    left: 55,
    code: 'best-effort',
    why: bestEffort(25, '1 victim could not be evicted, first v1: It writes a checkpoint.'),
  },
  'enough, of which all failed': {
    plan: 'satisfied',
    victims: [25, 25],
    happens: refusing('v1', 'v2'),
    outcome: 'failed',
    left: 80,
    code: 'quota-not-met',
    why: 'Nothing is due: the last run, e1, ended as failed. 2 victims could not be evicted, first v1: It writes a checkpoint.',
  },
  'too little, of which one failed: the plan and the victim are named': {
    plan: 'best-effort',
    victims: [10, 10],
    notices: keptOut.slice(0, 1),
    happens: refusing('v2'),
    outcome: 'best-effort',
    left: 70,
    code: 'best-effort',
    why: bestEffort(
      40,
      `1 victim could not be evicted, first v2: It writes a checkpoint. ${keptOut[0]!.message}`,
    ),
  },
  'enough, of which one would break a guaranteed amount by now': {
    plan: 'satisfied',
    victims: [50],
    happens: (run) => {
      run.guaranteed = { 'root.a': { memory: 40 } };
      run.drive();
    },
    outcome: 'impossible',
    left: 80,
    code: 'impossible',
    why: impossible(
      50,
      '1 victim was spared, first v1: root.a would fall to memory 30, below its guaranteed 40.',
    ),
  },
  'enough, of which one was protected since': {
    plan: 'satisfied',
    victims: [50],
    happens: (run) => {
      run.set('v1', { protected: true });
      run.drive();
    },
    outcome: 'impossible',
    left: 80,
    code: 'impossible',
    why: impossible(50, '1 victim was spared, first v1: '),
  },
  'enough, of which one has a budget without room by now': {
    plan: 'satisfied',
    victims: [50],
    happens: (run) => {
      run.set('v1', { budgets: ['web'] });
      run.care = ({ rank }) => ({ budgets: { left: new Map([['web', 0]]), of: new Map([[rank, ['web']]]) } });
      run.drive();
    },
    outcome: 'impossible',
    left: 80,
    code: 'impossible',
    why: impossible(50, '1 victim was spared, first v1: Disruption budget web allows no more evictions.'),
  },
  'enough, of which one is in a queue that is frozen': {
    plan: 'satisfied',
    victims: [50],
    happens: (run) => {
      const frozen = { queue: 'root.a.b', by: 'ann', frozenUntil: '2026-11-21T12:00:00.000Z' };
      run.control = { ...run.control, stops: [frozen] };
      run.drive();
    },
    outcome: 'impossible',
    left: 80,
    code: 'impossible',
    why: impossible(
      50,
      '1 victim was spared, first v1: User ann froze root.a.b until 2026-11-21T12:00:00.000Z.',
    ),
  },
  'enough, of which one was moved': {
    plan: 'satisfied',
    victims: [50],
    happens: (run) => {
      run.set('v1', { queue: 'root.z' });
      run.drive();
    },
    outcome: 'impossible',
    left: 80,
    code: 'impossible',
    why: impossible(50, '1 victim was spared, first v1: '),
  },
  'enough, and all of it went, though it lacks what a miss allows': {
    plan: 'satisfied',
    victims: [45],
    outcome: 'satisfied',
    left: 35,
    code: 'satisfied',
    why: 'Run e1 left no more above the quota than the setting miss allows.',
  },
  'enough, of which one was gone by itself: nothing is left, and what is above is news': {
    plan: 'satisfied',
    victims: [50],
    happens: (run) => {
      run.set('v1', null);
      run.drive();
    },
    outcome: 'satisfied',
    left: 35,
    code: 'quota-not-met',
    why: 'Nothing is due: the last run, e1, ended as satisfied.',
  },
  'enough, of which one was refused until the deadline': {
    plan: 'satisfied',
    victims: [50],
    happens: (run) => {
      run.answer(run.order(), { ...refused, retryable: true } as AnswerToEviction);
      run.now = 600_000;
      run.drive();
    },
    outcome: 'deadline',
    left: 80,
    code: 'quota-not-met',
    why: 'Nothing is due: the last run, e1, ended as deadline. 1 victim could not be evicted, first v1: The deadline of the run',
  },
  'enough, and an operator cancelled the run': {
    plan: 'satisfied',
    victims: [50],
    happens: (run) => {
      run.append([
        {
          name: 'CancelRequested',
          data: { partition: 'default', queue: 'root.a', enforcement: 'e1', by: 'ann' },
        },
      ]);
      run.drive();
    },
    outcome: 'cancelled',
    left: 80,
    code: 'cancelled',
    why: 'Run e1 was cancelled by an operator.',
  },
};

describe('the reason after a run whose plan had victims', () => {
  it.each(Object.entries(cases))('%s', (_, of) => {
    const why = whyAfter(of);
    expect(why).toMatchObject({ outcome: of.outcome, code: of.code });
    expect(why.message.startsWith(of.why) || why.message === of.why).toBe(true);
    expect(why.message).not.toMatch(/everything that may|nothing that may|undefined|null/);
    if (!of.why.endsWith(' ') && of.outcome !== 'deadline') expect(why.message).toBe(of.why);
  });
});

it('the reason why a queue is above its quota is no more than is known where none is on record', () => {
  const clock = new Scenario(values(100, 60));
  clock.change(0, values(30, 60));
  clock.check(60, 80);
  clock.endRun(70, 70, { outcome: 'best-effort', shortfall: { memory: 40 } });
  const holds = { enabled: true, observed: false, stop: undefined };
  expect(whyAbove(clock.state, { memory: 40 }, holds, '2026-11-21T11:00:00.000Z').message).toBe(
    bestEffort(40),
  );
});

it('a queue above its quota needs attention where no run follows by itself, and no operator has decided that', () => {
  const codes = [
    'quota-not-met',
    'best-effort',
    'impossible',
    'satisfied',
    'cancelled',
    'rejected',
    'due',
    'no-delay',
    'observed',
  ];
  expect(codes.filter((code) => needsPerson({ code }))).toEqual([
    'quota-not-met',
    'best-effort',
    'impossible',
  ]);
});
