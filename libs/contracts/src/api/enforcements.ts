import { z } from 'zod';
import { runStates } from '../run-states.js';
import { amounts, count, facts, pageOf, startsAt, subjectView, time, waitingView } from './shapes.js';

export const enforcementView = z
  .object({
    enforcement: z.string(),
    partition: z.string(),
    queue: z
      .string()
      .describe('The queue whose quota the run enforces; `root` for a round, which concerns all queues.'),
    policy: z.string(),
    round: count.nullable().describe('Number of the round; null for a policy that does not plan in rounds.'),
    state: z.enum(runStates),
    outcome: z.string().nullable(),
    dueAt: time.nullable().describe('When the delay of its clock is over.'),
    startsAt,
    startedAt: time.nullable(),
    endedAt: time.nullable(),
    lateMs: z.number().nullable(),
    mode: z.string().nullable(),
    planOutcome: z.string().nullable(),
    target: amounts.nullable(),
    claimed: amounts.nullable(),
    shortfall: amounts.nullable(),
    freed: amounts
      .nullable()
      .describe(
        'What its victims freed. Of an open run: so far, in the answer about this one run; null in lists. null: nothing yet.',
      ),
    victims: count,
    notified: count.describe(
      'Victims of a round whose owners were notified, by it or before, and which wait.',
    ),
    evicted: count,
    message: z.string().nullable(),
    updatedAt: time,
    waiting: waitingView
      .nullable()
      .describe(
        'Why it does not continue: as of a timer before it starts; then `approval`, `cluster-unknown`, `refused` (evictions are requested ' +
          'again), `extension` (owners extended their time) or `grace` (owners have time to finish). null: it continues, or has ended.',
      ),
  })
  .meta({ id: 'Enforcement' });
export type EnforcementView = z.infer<typeof enforcementView>;
export const enforcementPage = pageOf(enforcementView, 'EnforcementPage');

export const victimView = z
  .object({
    allocation: z.string(),
    queue: z.string(),
    application: z.string(),
    rank: z.number().int().min(1).describe('The order of eviction.'),
    uid: z.string().nullable(),
    resources: amounts,
    reason: z.string(),
    rule: z
      .string()
      .nullable()
      .optional()
      .describe(
        'The code of the rule that decided: the one that put it before the next victim, by which its application gives way, or its ' +
          '`cause`. null: its policy has none.',
      ),
    facts: facts
      .nullable()
      .optional()
      .describe('The facts of that rule, by name; each policy has its own. null: it has none.'),
    owner: z.string().nullable().optional().describe('The user of its application. null: not known.'),
    state: z.string(),
    code: z.string().nullable(),
    message: z.string().nullable(),
    about: subjectView.nullable().describe('The subject of code and message.'),
  })
  .meta({ id: 'Victim' });
export type VictimView = z.infer<typeof victimView>;

export const enforcementDetail = z
  .object({
    ...enforcementView.shape,
    approvedWith: count
      .nullable()
      .optional()
      .describe(
        'The run waits for a ceiling of the partition: an approval covers all runs of this version of the configuration. null: only itself.',
      ),
    leastSeconds: z
      .number()
      .int()
      .min(0)
      .nullable()
      .optional()
      .describe(
        'How long the evictions that remain take at least, at the rate of the queue and of the partition. null: it has ended, or no longer evicts.',
      ),
    plannedVictims: z.array(victimView),
    next: z
      .string()
      .optional()
      .describe('Pass it as `after` to read the next victims. Absent on the last page.'),
  })
  .meta({ id: 'EnforcementDetail' });

/** A step of a run: an event of the run or its clock, or events of victims that follow one another. */
export const runStep = z
  .object({
    position: z.string().describe('The position of its first event in the log.'),
    at: time,
    until: time.describe('When its last event was recorded; `at` for a single event.'),
    event: z.string().nullable().describe('The name of the event; null for events of victims.'),
    sentence: z.string().nullable().describe('The event in words; null for events of victims.'),
    victims: z
      .array(z.object({ event: z.string(), count }))
      .describe(
        'The number of events of victims by name, of `VictimForeseen` the number of victims that its last events foresee; empty for other events.',
      ),
  })
  .meta({ id: 'RunStep' });
export type RunStep = z.infer<typeof runStep>;
export const runTimeline = z
  .object({
    steps: z.array(runStep).describe('Oldest first.'),
    earlier: count.describe('Earlier steps that are left out.'),
  })
  .meta({ id: 'RunTimeline' });
export type RunTimeline = z.infer<typeof runTimeline>;
