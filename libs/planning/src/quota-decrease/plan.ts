import type { QuotaDecreaseTrigger } from '#contracts';
import { InputError, ofQueue, type Plan, type ReadSettings, shown } from '#contracts';
import type { DecidingRules } from '../deciding-rules.js';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { AmountTexts } from '../writing/amount-text.js';
import { sortNotices } from '../writing/sort-notices.js';
import { careOf } from './care/care.js';
import { planOfTaken } from './plan-of-taken.js';
import { emptyPlan, inFlightOf } from './result.js';
import { whySkipped } from './skipped.js';
import { sparedOf } from './spared.js';
import { takeVictims } from './take-victims.js';
import { queuesTakingPart } from './taking-part.js';
import { targetOf } from './target.js';
import { type Task, whyCareSpares } from './task.js';
import { unknownTypeNotices } from './unknown-types.js';

/**
 * Chooses the victims of a lowered quota: docs/reference/policies/quota-decrease.md.
 *
 * @param rules get the deciding rules of the victims.
 * @throws InputError for a queue that is wrong, with `trigger.queue` as the path.
 */
export function planQuotaDecrease(
  snapshot: QueueSnapshot,
  { queue: path, target: given, avoid: avoided = [] }: QuotaDecreaseTrigger,
  chosen: ReadSettings,
  rules?: DecidingRules,
): Plan {
  const queue = snapshot.queues.number.get(path);
  if (queue === undefined) {
    throw new InputError('trigger.queue', `the queue ${shown(path)} is not among the queues of the snapshot`);
  }
  const care = careOf(snapshot, chosen);
  const inFlight = inFlightOf(snapshot, queue, given);
  const whyNot = whySkipped(snapshot, queue, chosen);
  const target = targetOf(snapshot, queue, whyNot === null ? given : {}, chosen.miss);
  const takesPart = queuesTakingPart(snapshot, queue);
  const texts = new AmountTexts();
  const avoid = avoided.length > 0 ? new Set(avoided) : null;
  const task: Task = { snapshot, queue, path, chosen, care, inFlight, target, takesPart, avoid, texts };
  if (target.count === 0) return planOfNothing(task, whyNot);
  return planOfTaken(task, takeVictims(task), rules);
}

/** @param whyNot null: the queue is within its quota. */
function planOfNothing(task: Task, whyNot: string | null): Plan {
  const { snapshot, queue, path, chosen, inFlight, target } = task;
  const notices =
    whyNot === null
      ? unknownTypeNotices(snapshot, queue)
      : [{ code: 'enforcement-skipped', message: whyNot, about: ofQueue(path) }];
  const spared = chosen.explain
    ? sparedOf(snapshot, queue, target, chosen.protect, null, whyCareSpares(task, null), task.texts)
    : null;
  return emptyPlan(path, whyNot === null ? 'not-needed' : 'skipped', inFlight, spared, sortNotices(notices));
}
