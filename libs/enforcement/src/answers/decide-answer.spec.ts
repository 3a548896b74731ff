import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { DomainEvent } from '#contracts';
import { catalog } from '#contracts/events';
import { atMs } from '../../testing/run-scenario.js';
import { toMs } from '../instants.js';
import { type AnsweredRun, type AnswerFacts, decideAnswer, type GivenAnswer } from './decide-answer.js';

const minute = 60_000;
const opened = { openedAt: atMs(0), deadlineAt: atMs(60 * minute) };
const run: AnsweredRun = { enforcement: 'e1', opened, isOrdered: false };
const live = {
  id: 'v1',
  uid: 'uid-1',
  application: 'app',
  queue: 'root.a.b',
  resources: { memory: 1 },
  startedAt: atMs(-60 * minute),
};
const facts = (more: Partial<AnswerFacts> = {}): AnswerFacts => ({
  now: atMs(0),
  live,
  run,
  limits: { extensions: 1, extensionSeconds: 600 },
  earlier: [],
  ...more,
});
const given = (answer: GivenAnswer['answer'], more: Partial<GivenAnswer> = {}): GivenAnswer => ({
  partition: 'default',
  allocation: 'v1',
  answer,
  id: 'a1',
  by: 'ann',
  ...more,
});
const codeOf = (answer: GivenAnswer, of: AnswerFacts) => decideAnswer(answer, of).refusal?.code;

function accepted(answer: GivenAnswer, of: AnswerFacts): DomainEvent<'OwnerAnswered'>['data'] {
  const { event, refusal } = decideAnswer(answer, of);
  if (!event) throw new Error(refusal.message);
  return catalog.OwnerAnswered.schema.parse(event.data);
}

describe('an answer of an owner', () => {
  it('extends by the length of the queue, for the incarnation that runs', () => {
    expect(accepted(given('extend'), facts({ now: atMs(minute) }))).toEqual({
      partition: 'default',
      queue: 'root.a.b',
      allocation: 'v1',
      uid: 'uid-1',
      application: 'app',
      answer: 'extend',
      id: 'a1',
      by: 'ann',
      answeredAt: atMs(minute),
      enforcement: 'e1',
      seconds: 600,
      until: atMs(11 * minute),
    });
  });

  it('is refused with the reason and what would be right', () => {
    const { refusal } = decideAnswer(
      given('extend'),
      facts({ limits: { extensions: 0, extensionSeconds: 600 } }),
    );
    expect(refusal).toEqual({
      code: 'no-extensions',
      message: 'Queue root.a.b allows no extensions: the setting extensions is 0.',
      remedy:
        'An operator can allow extensions: curtail settings root.a.b --set extensions=1 --partition default',
      about: { kind: 'allocation', name: 'v1' },
    });
    expect(codeOf(given('ready'), facts({ live: undefined }))).toBe('allocation-gone');
    expect(codeOf(given('ready', { uid: 'uid-0' }), facts())).toBe('other-incarnation');
    expect(codeOf(given('ready'), facts({ live: { ...live, state: 'releasing' } }))).toBe('leaving');
    expect(codeOf(given('ready'), facts({ run: undefined }))).toBe('no-run');
    expect(codeOf(given('extend'), facts({ run: { ...run, isOrdered: true } }))).toBe('ordered');
    expect(codeOf(given('ready'), facts({ run: { ...run, isOrdered: true } }))).toBe('ordered');
  });

  it('extends once, unless the queue allows it more often; then from the end of the extension before', () => {
    const first = accepted(given('extend'), facts());
    const again = facts({ now: atMs(minute), earlier: [first] });
    expect(decideAnswer(given('extend', { id: 'a2' }), again).refusal).toMatchObject({
      code: 'extensions-used',
      message: `The owner of v1 has used 1 of 1 extension in run e1. It is not evicted before ${atMs(10 * minute)}.`,
    });
    const twice = { ...again, limits: { extensions: 2, extensionSeconds: 600 } };
    expect(accepted(given('extend', { id: 'a2' }), twice).until).toBe(atMs(20 * minute));
  });

  it('before the run is open it counts from the opening', () => {
    const early = accepted(
      given('extend'),
      facts({ run: undefined, clock: { enforcement: 'e1', dueAt: atMs(9) } }),
    );
    expect(early).toMatchObject({ enforcement: 'e1', seconds: 600 });
    expect(early.until).toBeUndefined();
    const twice = { limits: { extensions: 2, extensionSeconds: 600 }, earlier: [early] };
    expect(accepted(given('extend'), facts(twice)).until).toBe(atMs(20 * minute));
  });

  it('extends a time to finish from its end', () => {
    const asked = { ...run, killAt: atMs(5 * minute) };
    expect(accepted(given('extend'), facts({ run: asked })).until).toBe(atMs(15 * minute));
  });

  it('gives way to the deadline of the run', () => {
    const late = { ...run, opened: { ...opened, deadlineAt: atMs(10 * minute) } };
    expect(codeOf(given('extend'), facts({ run: late }))).toBe('deadline');
  });

  it('counts once under its id', () => {
    const sameId = accepted(given('extend'), facts());
    expect(decideAnswer(given('extend'), facts({ sameId, earlier: [sameId] }))).toEqual({
      event: { name: 'OwnerAnswered', data: sameId },
      repeated: true,
    });
    expect(codeOf(given('ready'), facts({ sameId, earlier: [sameId] }))).toBe('id-used');
  });

  it('that it is ready ends extensions', () => {
    const ready = accepted(given('ready'), facts());
    expect(ready).toMatchObject({ answer: 'ready', enforcement: 'e1' });
    expect(codeOf(given('extend', { id: 'a2' }), facts({ earlier: [ready] }))).toBe('ready');
  });

  it('that it is checkpointed counts without a run, up to now at most', () => {
    const withoutRun = facts({ run: undefined });
    expect(accepted(given('checkpointed', { at: atMs(-minute) }), withoutRun)).toMatchObject({
      checkpointedAt: atMs(-minute),
    });
    expect(accepted(given('checkpointed', { at: atMs(minute) }), withoutRun).checkpointedAt).toBe(atMs(0));
    expect(accepted(given('checkpointed'), withoutRun)).not.toHaveProperty('enforcement');
    const before = given('checkpointed', { at: atMs(-61 * minute) });
    expect(codeOf(before, withoutRun)).toBe('checkpoint-before-start');
  });

  it('never extends beyond the limit, whenever and however often it is sent', () => {
    const sent = fc.array(fc.integer({ min: 0, max: 30 * minute }), { maxLength: 10 });
    fc.assert(
      fc.property(sent, fc.nat({ max: 3 }), fc.boolean(), (pauses, extensions, beforeOpening) => {
        const limits = { extensions, extensionSeconds: 600 };
        const earlier: DomainEvent<'OwnerAnswered'>['data'][] = [];
        let [ms, held] = [0, 0];
        let end = 0;
        for (const [i, pause] of pauses.entries()) {
          const isOpen = !beforeOpening || i > 0;
          if (isOpen) ms += pause;
          const at = isOpen
            ? facts({ now: atMs(ms), limits, earlier })
            : facts({ limits, earlier, run: undefined, clock: { enforcement: 'e1', dueAt: atMs(0) } });
          const { event } = decideAnswer(given('extend', { id: `a${i}` }), at);
          if (!event) continue;
          earlier.push(event.data);
          const until = toMs(event.data.until ?? atMs(600_000)) - toMs(atMs(0));
          held += until - Math.max(ms, end);
          end = until;
          expect(until).toBeLessThan(toMs(opened.deadlineAt) - toMs(atMs(0)));
        }
        expect(earlier.length).toBeLessThanOrEqual(extensions);
        expect(held).toBeLessThanOrEqual(extensions * 600_000);
      }),
    );
  });
});
