import { z } from 'zod';
import { ownerAnswers } from '../events/answers.js';
import { amounts, count, facts, pageOf, time } from './shapes.js';

/** An answer of an owner that counts. docs/how-to/checkpoint-handshake.md */
export const ownerAnswerView = z
  .object({
    partition: z.string(),
    allocation: z.string(),
    uid: z.string().nullable().describe('The incarnation; null: the cluster has none.'),
    queue: z.string(),
    application: z.string(),
    answer: z
      .enum(ownerAnswers)
      .describe('ready: evict it now. checkpointed: its work is saved. extend: evict it later.'),
    id: z.string().describe('The id of the answer: however often it is sent, it counts once.'),
    by: z.string(),
    answeredAt: time,
    enforcement: z.string().nullable().describe('For ready and extend: the run.'),
    seconds: z.number().int().nullable().describe('For extend: its length in seconds.'),
    until: time
      .nullable()
      .describe(
        'For extend: the eviction is not requested before this time; null: the run is not open yet, and the seconds count from its opening.',
      ),
    checkpointedAt: time.nullable().describe('For checkpointed: work done before this time is not lost.'),
    repeated: z.boolean().describe('The answer was recorded before, and nothing changed.'),
    message: z.string().describe('The answer in a sentence.'),
  })
  .meta({ id: 'OwnerAnswer' });
export type OwnerAnswerView = z.infer<typeof ownerAnswerView>;

/** What the next run of a clock would take from one application. docs/how-to/advance-notice.md */
export const foreseenView = z
  .object({
    partition: z.string(),
    queue: z.string().describe('The queue of the clock.'),
    enforcement: z.string().describe('Id of the run that would evict.'),
    application: z.string(),
    user: z.string().nullable().describe('User of the application; null: unknown.'),
    dueAt: time.describe('When the run is due; the end of a freeze, if the clock falls due in one.'),
    victims: count.describe('Number of allocations that would be evicted.'),
    allocations: z.array(z.string()).describe('The first of them by rank, at most 20.'),
    resources: amounts.describe('Resources of all of them.'),
    rule: z.string().describe('The rule that decided for the first of them.'),
    facts: facts.nullable().describe('The facts of the rule.'),
    reason: z.string().describe('The rule and its facts in one sentence.'),
    since: time.describe('When a check first found the application.'),
    checks: count.describe('How many checks in a row have found it: the more, the more certain.'),
    needsApproval: z.boolean().describe("The run would wait for an operator's approval."),
    notifiedAt: time.describe('When its owner was notified last.'),
    checkedAt: time.nullable().describe('The time of the cluster state that was planned last.'),
    fault: z
      .string()
      .nullable()
      .describe(
        'Why the last check could not make a plan, as a sentence. The notice is then that of an earlier check.',
      ),
    more: count.describe('Applications that this run would evict from too, and that are not notified.'),
  })
  .meta({ id: 'Foreseen', description: 'Advance notice to the owner of one application.' });
export type ForeseenView = z.infer<typeof foreseenView>;
export const foreseenPage = pageOf(foreseenView, 'ForeseenPage');
