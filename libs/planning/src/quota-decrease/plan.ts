import {
  InputError,
  ofQueue,
  type Plan,
  type QuotaDecreaseTrigger,
  type ReadDecreaseSettings,
  shown,
} from '#contracts';
import type { DecidingRules } from '../deciding-rules.js';
import { arrayAt, type Fields, isAbsent, nameAt } from '../fields.js';
import { readAmounts } from '../snapshot/amounts.js';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { AmountTexts, sortNotices } from '../writing/texts.js';
import { careOf } from './care/care.js';
import { planOfTaken } from './plan-of-taken.js';
import { emptyPlan, inFlightOf } from './result.js';
import { sparedOf, whySkipped } from './spared.js';
import { type Task, takeVictims, whyCareSpares } from './take-victims.js';
import { targetOf, unknownTypeNotices } from './target.js';

/**
 * Chooses the victims of a lowered quota: docs/reference/policies/quota-decrease.md.
 *
 * @param rules get the deciding rules of the victims.
 * @throws InputError for a queue that is wrong, with `trigger.queue` as the path.
 */
export function planQuotaDecrease(
  snapshot: QueueSnapshot,
  { queue: path, target: given, avoid: avoided = [] }: QuotaDecreaseTrigger,
  chosen: ReadDecreaseSettings,
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

/** `previousMax` is for people and not checked. Whether the queue exists only the snapshot can show. */
export function readTrigger(trigger: Fields): QuotaDecreaseTrigger {
  const queue = nameAt(trigger.queue, 'trigger.queue');
  const avoid = isAbsent(trigger.avoid)
    ? []
    : arrayAt(trigger.avoid, 'trigger.avoid').map((id, i) => nameAt(id, `trigger.avoid[${i}]`));
  const read = { policy: 'quota-decrease' as const, queue, ...(avoid.length > 0 && { avoid }) };
  if (isAbsent(trigger.target)) return read;
  const target: [string, number][] = [];
  readAmounts(trigger.target, 'trigger.target', (type, amount) => target.push([type, amount]));
  return { ...read, target: Object.fromEntries(target) };
}

/**
 * 1 for the trigger's queue and the queues below it that give something: docs/reference/policies/quota-decrease.md §7 step 1. A queue
 * that is left out takes all queues below it along.
 */
export function queuesTakingPart(snapshot: QueueSnapshot, queue: number): Uint8Array {
  const { queues } = snapshot;
  const takesPart = new Uint8Array(queues.count);
  takesPart[queue] = 1;
  for (let q = queue + 1; q < queues.end[queue]!; q++) {
    if (takesPart[queues.parent[q]!] === 1 && queues.enforcing[q] === 0 && uses(snapshot, q))
      takesPart[q] = 1;
  }
  return takesPart;
}

/** Whether the queue uses anything that is not in flight. */
function uses(snapshot: QueueSnapshot, queue: number): boolean {
  const { usage, inFlight } = snapshot.queues;
  const width = snapshot.types.length;
  for (let cell = queue * width; cell < (queue + 1) * width; cell++) {
    if (usage[cell]! > inFlight[cell]!) return true;
  }
  return false;
}
