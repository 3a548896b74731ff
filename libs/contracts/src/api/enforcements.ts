import { z } from 'zod';
import { amounts, count, pageOf, subjectView, time, waitingView } from './shapes.js';

/** The states of a run, in the order in which it may have them. */
export const runStates = [
  ...['scheduled', 'suspended', 'cancelled', 'planning', 'plan failed', 'planned'],
  ...['waiting for approval', 'approved', 'rejected', 'executing', 'ended'],
] as const;

export const enforcementView = z
  .object({
    enforcement: z.string(),
    partition: z.string(),
    queue: z
      .string()
      .describe('The queue that is enforced; of a round `root`, since it concerns all queues.'),
    policy: z.string(),
    round: count.nullable().describe('Of policies that plan in rounds: the number of the round.'),
    state: z.enum(runStates),
    outcome: z.string().nullable(),
    dueAt: time.nullable(),
    startedAt: time.nullable(),
    endedAt: time.nullable(),
    lateMs: z.number().nullable(),
    mode: z.string().nullable(),
    planOutcome: z.string().nullable(),
    target: amounts.nullable(),
    claimed: amounts.nullable(),
    shortfall: amounts.nullable(),
    freed: amounts.nullable(),
    victims: count,
    notified: count.describe(
      'Of a round: victims whose owners were notified by it or before, and which wait.',
    ),
    evicted: count,
    message: z.string().nullable(),
    updatedAt: time,
    waiting: waitingView
      .nullable()
      .describe(
        'Why it does not continue: as of a timer before it starts; then `approval`, `cluster-unknown`, `refused` (evictions are requested ' +
          'again) or `grace` (owners have time to finish). null: it continues, or has ended.',
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
    plannedVictims: z.array(victimView),
    next: z
      .string()
      .optional()
      .describe('Pass it as `after` to read the next victims. Absent on the last page.'),
  })
  .meta({ id: 'EnforcementDetail' });
