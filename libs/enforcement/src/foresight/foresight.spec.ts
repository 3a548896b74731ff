import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { DomainEvent, EventData } from '#contracts';
import { checkData } from '#contracts/events';
import { callOff, decideForesight, type ForesightCheck, mostNotified } from './decide.js';
import { type Foreseen, type Foresight, nothingForeseen, type PlannedOwner } from './state.js';

const place = { partition: 'default', queue: 'root.a' };
const dueAt = '2026-11-25T11:00:00.000Z';
const at = (minute: number) => `2026-11-25T10:${String(minute).padStart(2, '0')}:00.000Z`;

function owner(application: string, ...allocations: string[]): PlannedOwner {
  return {
    ...{ application, user: 'ann', victims: allocations.length, allocations },
    ...{ digest: allocations.join(), resources: { memory: allocations.length } },
    ...{ rule: 'younger', facts: { number: 1, of: 2 }, reason: 'Number 1 of 2: younger' },
  };
}

function check(owners: PlannedOwner[], given: Partial<ForesightCheck> = {}): ForesightCheck {
  return {
    ...{ enforcement: 'e-1', dueAt, checkedAt: at(0), owners, needsApproval: false, isAbove: true },
    ...{ present: new Set(['etl', 'web']), stopped: new Set<string>() },
    ...given,
  };
}

const inShort = (events: DomainEvent[]) =>
  events.map((event) => {
    if (event.name === 'VictimForeseen') {
      return `${event.data.application} ${event.data.changes.join()}: ${event.data.allocations.join()}`;
    }
    return event.name === 'ForesightWithdrawn'
      ? `${event.data.application} withdrawn: ${event.data.code}`
      : event.name;
  });

/** Checks one after the other; the events of each. */
function played(...checks: ForesightCheck[]): string[][] {
  let known = nothingForeseen;
  return checks.map((each) => {
    const { events, after } = decideForesight(place, known, each);
    known = after;
    return inShort(events);
  });
}

describe('the foresight of a clock', () => {
  it('notifies each owner once, and again when its allocations, due time, rule or approval change', () => {
    const changes: Partial<ForesightCheck>[] = [
      {},
      { checkedAt: at(5) },
      { owners: [owner('etl', 'a-1', 'a-2')] },
      { owners: [owner('etl', 'a-1', 'a-2')], dueAt: at(59) },
      { owners: [{ ...owner('etl', 'a-1', 'a-2'), rule: 'priority' }], dueAt: at(59) },
      { owners: [{ ...owner('etl', 'a-1', 'a-2'), rule: 'priority' }], dueAt: at(59), needsApproval: true },
      { owners: [owner('etl', 'a-3')] },
    ];
    expect(played(...changes.map((given) => check([owner('etl', 'a-1')], given)))).toEqual([
      ['etl new: a-1'],
      [],
      ['etl allocations: a-1,a-2'],
      ['etl due: a-1,a-2'],
      ['etl reason: a-1,a-2'],
      ['etl approval: a-1,a-2'],
      ['etl allocations,due,reason,approval: a-3'],
    ]);
  });

  it.each<[string, string, Partial<ForesightCheck>]>([
    ['others are chosen instead', 'other-victims', { owners: [owner('web', 'w-1')] }],
    ['the queue is within its quota', 'usage-fell', { isAbove: false }],
    ['nobody may be evicted', 'no-victims', {}],
    ['it has ended by itself', 'work-ended', { present: new Set(['web']), owners: [owner('web', 'w-1')] }],
    ['a stop covers its queue', 'stopped', { stopped: new Set(['etl']), owners: [owner('web', 'w-1')] }],
  ])('is withdrawn when %s', (_, code, given) => {
    const [, events] = played(check([owner('etl', 'a-1')]), check([], given));
    expect(events![0]).toBe(`etl withdrawn: ${code}`);
  });

  it('states since when and in how many checks in a row an owner was found', () => {
    const checks = [0, 5, 10].map((minute) =>
      check([owner('etl', `a-${minute}`)], { checkedAt: at(minute) }),
    );
    let known = nothingForeseen;
    for (const each of checks) known = decideForesight(place, known, each).after;
    expect(known.owners.get('etl')).toMatchObject({ since: at(0), checks: 3 });
    const away = decideForesight(place, known, check([]));
    const again = decideForesight(place, away.after, check([owner('etl', 'a-1')], { checkedAt: at(20) }));
    expect(again.after.owners.get('etl')).toMatchObject({ since: at(20), checks: 1 });
  });

  it('says in a sentence what, when, and that an approval is needed', () => {
    const four = owner('etl', 'a-1', 'a-2', 'a-3', 'a-4');
    const { events } = decideForesight(place, nothingForeseen, check([four], { needsApproval: true }));
    expect(events[0]!.data.message).toBe(
      `If root.a were enforced now, 4 allocations of etl (user ann) would be evicted: a-1, a-2, a-3 and 1 more. Its run is due at ${dueAt}. It would wait for an approval first.`,
    );
  });

  it('notifies a bounded number of owners, keeps those it has notified, and counts the others', () => {
    const all = Array.from({ length: mostNotified + 50 }, (_, i) => owner(`app-${i}`, `a-${i}`));
    const first = decideForesight(place, nothingForeseen, check(all));
    expect(first.events).toHaveLength(mostNotified);
    expect(first.events[0]!.data).toMatchObject({ notified: mostNotified, more: 50 });
    const reversed = decideForesight(place, first.after, check(all.toReversed()));
    expect(reversed).toMatchObject({ events: [], more: 50 });
    // One of those that were notified is no victim any more: another one takes its place.
    const without = decideForesight(place, first.after, check(all.slice(1)));
    expect(inShort(without.events)).toEqual([
      'app-0 withdrawn: work-ended',
      `app-${mostNotified} new: a-${mostNotified}`,
    ]);
  });

  it('begins from nothing with another run', () => {
    const { after } = decideForesight(place, nothingForeseen, check([owner('etl', 'a-1')]));
    const { events } = decideForesight(
      place,
      after,
      check([owner('etl', 'a-1')], { enforcement: 'e-2', checkedAt: at(9) }),
    );
    expect(inShort(events)).toEqual(['etl new: a-1']);
    expect(events[0]!.data).toMatchObject({ enforcement: 'e-2', since: at(9), checks: 1 });
  });
});

/** Few applications with few allocations: the same ones come again with one difference. Sometimes more than are notified. */
const ownersOf = (applications: number, least: number) =>
  fc
    .uniqueArray(
      fc.record({
        application: fc.constantFrom(...Array.from({ length: applications }, (_, i) => `app-${i}`)),
        allocations: fc.constantFrom(['x'], ['x'], ['y'], ['x', 'y']),
        rule: fc.constantFrom('younger', 'younger', 'priority'),
      }),
      { selector: ({ application }) => application, minLength: least, maxLength: applications },
    )
    .map((owners) =>
      owners.map(({ application, allocations, rule }) => ({ ...owner(application, ...allocations), rule })),
    );
const planned = fc.oneof(
  { weight: 8, arbitrary: ownersOf(3, 0) },
  { weight: 1, arbitrary: ownersOf(mostNotified + 10, mostNotified - 5) },
);
type Step =
  | { kind: 'check'; owners: PlannedOwner[]; due: number; needsApproval: boolean }
  | { kind: 'call-off' | 'start' };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('check' as const),
      owners: planned,
      due: fc.integer({ min: 0, max: 1 }),
      needsApproval: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('call-off' as const, 'start' as const) }) },
);

/** What an owner is told: all but what changes with each check. */
const told = ({ enforcement, owners }: Foresight) => ({
  enforcement,
  owners: [...owners.values()]
    .map(({ application, digest, allocations, victims, dueAt, rule, since, needsApproval }) => {
      return { application, digest, allocations, victims, dueAt, rule, since, needsApproval };
    })
    .sort((a, b) => (a.application < b.application ? -1 : 1)),
});

it('folds, after any checks, withdrawals and runs, to what owners know, with at most one event for each owner and check', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let [known, folded, run] = [nothingForeseen, nothingForeseen, 1];
      for (const [minute, each] of steps.entries()) {
        let events: DomainEvent[];
        if (each.kind === 'check') {
          const { owners, due, needsApproval } = each;
          const decision = decideForesight(
            place,
            known,
            check(owners, {
              ...{ enforcement: `e-${run}`, dueAt: at(50 + due), needsApproval, checkedAt: at(minute) },
              present: new Set(owners.map(({ application }) => application)),
            }),
          );
          events = decision.events;
          known = decision.after;
          expect(
            new Set(events.map((event) => (event.data as { application: string }).application)).size,
          ).toBe(events.length);
          expect(known.owners.size + decision.more).toBe(owners.length);
          expect(known.owners.size).toBe(Math.min(owners.length, mostNotified));
        } else if (each.kind === 'call-off') {
          events = callOff(place, known, { code: 'quota-raised', message: 'its quota was raised.' });
          known = nothingForeseen;
          run++;
        } else {
          events = [{ name: 'EnforcementStarted', data: { enforcement: `e-${run}` } } as DomainEvent];
          known = nothingForeseen;
          run++;
        }
        folded = events.reduce(evolveForesight, folded);
        expect(told(folded)).toEqual(told(known));
        if (each.kind === 'start') continue;
        for (const { name, data } of events) expect(checkData(name, data).error).toBeUndefined();
      }
    }),
    { numRuns: 60 },
  );
});

/** What a reader of the log knows after an event; events of other kinds change nothing. */
function evolveForesight(state: Foresight, event: DomainEvent): Foresight {
  switch (event.name) {
    case 'VictimForeseen': {
      const { enforcement, application } = event.data;
      const known = enforcement === state.enforcement ? state.owners : nothingForeseen.owners;
      return { enforcement, owners: new Map(known).set(application, foreseenBy(event.data)) };
    }
    case 'ForesightWithdrawn': {
      if (event.data.enforcement !== state.enforcement) return state;
      const owners = new Map(state.owners);
      owners.delete(event.data.application);
      return owners.size === 0 ? nothingForeseen : { ...state, owners };
    }
    case 'EnforcementStarted':
      return event.data.enforcement === state.enforcement ? nothingForeseen : state;
    default:
      return state;
  }
}

function foreseenBy(data: EventData<'VictimForeseen'>): Foreseen {
  const { application, user, victims, allocations, digest, resources } = data;
  const { rule, facts, reason, dueAt, since, checks, needsApproval } = data;
  return {
    application,
    ...(user !== undefined && { user }),
    victims,
    allocations,
    digest,
    resources,
    rule,
    ...(facts && { facts }),
    reason,
    dueAt,
    since,
    checks,
    needsApproval,
  };
}
