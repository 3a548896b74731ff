import { z } from 'zod';
import { runStates } from '../run-states.js';
import { amounts, count, nodeLabels, pageOf, startsAt, time, waitingView } from './shapes.js';

export const queueView = z
  .object({
    partition: z.string(),
    queue: z.string(),
    max: amounts.nullable().describe('null: no limit, or a share of a cluster of which no nodes are known.'),
    previousMax: amounts
      .nullable()
      .describe(
        'The max before the last change of the quota; null: it was no amount, or that changed the delay alone.',
      ),
    guaranteed: amounts.nullable(),
    clusterShare: z
      .object({ guaranteed: z.string().optional(), max: z.string().optional() })
      .optional()
      .describe(
        'The shares of the cluster that max and guaranteed are, such as `{"max": "1/4"}`; absent where they are amounts.',
      ),
    delaySeconds: z.number(),
    usage: amounts,
    inFlight: amounts.describe('The part of the usage that is leaving.'),
    dueAt: time.nullable().describe('When the delay of the pending enforcement is over.'),
    startsAt,
    waiting: waitingView
      .nullable()
      .optional()
      .describe('What the pending enforcement waits for, as of a timer; null: there is none.'),
    suspended: z
      .boolean()
      .describe(
        'The pending enforcement is suspended: a stop covers the queue, or the switch of the partition is off.',
      ),
    notMet: z
      .boolean()
      .describe(
        'Above its quota, with no pending clock and no valid reason (docs/how-to/monitor.md, "What the reconciler finds").',
      ),
    enforcement: z.string().nullable().describe('The run that holds the lock of the queue.'),
    runState: z
      .enum(runStates)
      .nullable()
      .optional()
      .describe('The state of that run; null: there is none, or it began a moment ago.'),
    stopped: z.boolean(),
    nodeLabels,
    configured: z
      .boolean()
      .optional()
      .describe(
        'false: the configuration in force does not have the queue: it was removed and still holds work, or a template or a placement rule has made it. Absent: it has it.',
      ),
    allocations: count
      .optional()
      .describe(
        'Of a queue that is not configured: how many allocations it holds with all below, those that are leaving included.',
      ),
  })
  .meta({ id: 'Queue' });
export type QueueView = z.infer<typeof queueView>;
export const queuePage = pageOf(queueView, 'QueuePage');

/** `waiting`: it is due, and its run cannot start yet. */
export const clockStates = ['pending', 'suspended', 'waiting'] as const;

export const clockForesight = z
  .object({
    victims: count.describe('Of the applications below, if the run were due now.'),
    applications: count.describe('Applications whose owners are notified.'),
    moreApplications: count.describe('Applications with victims beyond those that are notified.'),
    notifiedAt: time.nullable().describe('The last notice; null: no owner is concerned.'),
    checkedAt: time.describe('The view of the cluster that was planned.'),
    fault: z.string().nullable().describe('Why the last check could make no plan: the numbers are older.'),
  })
  .meta({
    id: 'ClockForesight',
    description: 'What the run of a clock would evict now, and who has been notified.',
  });
export type ClockForesight = z.infer<typeof clockForesight>;

export const timerView = z
  .object({
    partition: z.string(),
    queue: z.string(),
    kind: z.string(),
    enforcement: z.string().nullable(),
    generation: count,
    dueAt: time.describe('When the delay is over.'),
    startsAt,
    state: z.enum(clockStates),
    frozenUntil: time
      .nullable()
      .optional()
      .describe('The end of the freeze that holds its run, now or when it falls due.'),
    foresight: clockForesight
      .nullable()
      .describe('null: owners are not notified of its run, or it has not been planned yet.'),
    waiting: waitingView.describe(
      '`due`: the delay runs. `frozen`, `flapping`, `ancestor-first`: what makes it start later. `suspended`, `cluster-unknown`, ' +
        '`ancestor-running`, `size-unknown`, `overdue`: what keeps a due clock from starting.',
    ),
  })
  .meta({ id: 'Timer' });
export type TimerView = z.infer<typeof timerView>;
export const timerPage = pageOf(timerView, 'TimerPage');

/** docs/reference/snapshot.md, "ClusterSnapshot". */
export const allocationView = z
  .looseObject({
    id: z.string(),
    application: z.string(),
    queue: z.string(),
    node: z.string().optional(),
    uid: z.string().optional(),
    resources: amounts,
    priority: z.number().optional(),
    startedAt: time.optional(),
    role: z.enum(['task', 'originator', 'daemon', 'placeholder']).optional(),
    allowPreemption: z.boolean().optional(),
    state: z.enum(['running', 'releasing', 'preempting']).optional(),
  })
  .meta({ id: 'Allocation' });
export const allocationPage = pageOf(allocationView, 'AllocationPage');

export const applicationView = z
  .object({
    id: z.string(),
    queue: z.string().describe('Of several, the first by name.'),
    user: z.string().nullable(),
    allocations: count,
    usage: amounts,
    inFlight: amounts.describe('The part of the usage that is leaving.'),
    startedAt: time.describe('When its first allocation started.'),
  })
  .meta({ id: 'Application' });
export const applicationPage = pageOf(applicationView, 'ApplicationPage');
