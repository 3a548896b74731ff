import { z } from 'zod';
import { configurationError, configurationWarning } from './configuration.js';
import { modeName } from './operator.js';
import { amounts, count, nodeLabels, time, waitingView } from './shapes.js';

/** Victims of one group, and what they hold and lose. */
export const victimGroup = z
  .object({
    name: z.string().describe('The queue, user or application; empty where an application has no user.'),
    victims: count,
    resources: amounts,
    lost: z
      .record(z.string(), z.number().min(0))
      .describe(
        'Work lost, in base units times hours: amounts times the time since the start or the last checkpoint.',
      ),
  })
  .meta({ id: 'VictimGroup' });
export type VictimGroup = z.infer<typeof victimGroup>;

const groups = z.object({
  items: z.array(victimGroup).describe('The largest first, twenty at most.'),
  more: count.describe('Groups that are not listed.'),
});

/** What one alternative would do to the current allocations. */
export const alternativeOutcome = z
  .object({
    name: z.string(),
    errors: z
      .array(configurationError)
      .optional()
      .describe('Why the alternative would be refused. The other fields are then absent.'),
    quotaPreemptionEnabled: z.boolean().optional(),
    nodeLabels,
    switched: z
      .enum(['on', 'off'])
      .nullable()
      .optional()
      .describe('What the switch of the partition would be turned to; null: it stays as it is.'),
    changedQuotas: count
      .optional()
      .describe('Queues whose max or delay would change, with those that would be removed.'),
    changedGuaranteed: count.optional().describe('Queues whose guaranteed amounts would change.'),
    removed: z
      .array(z.object({ queue: z.string(), usage: amounts }))
      .optional()
      .describe('Queues that would be removed, with what runs in them, which continues. A hundred at most.'),
    moreRemoved: count.optional().describe('Further queues that would be removed.'),
    clocksStart: count.optional().describe('Clocks that would start, or restart.'),
    clocksEnd: count.optional().describe('Clocks that would end without a run.'),
    victims: count
      .optional()
      .describe('Allocations that the change would evict, not those of clocks that it does not affect.'),
    held: count.optional().describe('Victims that a stop spares for now; they are not counted above.'),
    waitsForApproval: count.optional().describe('Runs that would wait for an operator.'),
    ceiling: waitingView
      .nullable()
      .optional()
      .describe(
        'The ceiling that its runs would exceed together: one approval covers the whole change. null: none.',
      ),
    firstDueAt: time.nullable().optional().describe('When the first run is due; null: no run would start.'),
    firstEvictionAt: time
      .nullable()
      .optional()
      .describe(
        'When the first run with victims starts that waits for no person, if the alternative comes into force now. null: each waits for an ' +
          'approval or the end of a stop, or nothing is evicted.',
      ),
    resources: amounts.optional(),
    lost: victimGroup.shape.lost.optional(),
    byQueue: groups.optional(),
    byOwner: groups.optional(),
    byApplication: groups.optional(),
    stays: z
      .array(z.object({ queue: z.string(), above: amounts, because: z.string() }))
      .optional()
      .describe('Queues that would stay above their quota, and why.'),
    lowest: z
      .array(z.object({ queue: z.string(), max: amounts, text: z.record(z.string(), z.string()) }))
      .optional()
      .describe(
        'For each lowered queue with victims, the lowest quota that needs no victim: what its running allocations use. `text` is the notation of configurations. A hundred at most.',
      ),
    notPlanned: count.optional().describe('Clocks without a plan, because there are so many.'),
    warnings: z.array(configurationWarning).optional().describe('As of a dry run of the alternative.'),
  })
  .meta({ id: 'AlternativeOutcome' });
export type AlternativeOutcome = z.infer<typeof alternativeOutcome>;

/** Several proposed configurations against the current allocations. Nothing is stored. */
export const whatIf = z
  .object({
    partition: z.string(),
    at: time.describe('The moment of the comparison, by the clock of the database.'),
    mode: modeName.describe('`observe`: runs are planned, and nothing is evicted.'),
    alternatives: z.array(alternativeOutcome),
  })
  .meta({ id: 'WhatIf' });
export type WhatIf = z.infer<typeof whatIf>;
