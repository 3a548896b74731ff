import {
  compareFractions,
  InputError,
  type IntraQueueTrigger,
  type Notice,
  nodeLabelsSentence,
  type Outcome,
  ofPartition,
  type Plan,
  type ReadIntraQueueSettings,
  shown,
  type Victim,
} from '#contracts';
import type { DecidingRules } from '../deciding-rules.js';
import { type Fields, isAbsent, nameAt } from '../fields.js';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { nodeLabelsOfSnapshot } from '../snapshot/nodes.js';
import { VictimWriter } from '../snapshot/victim-writer.js';
import { AmountTexts, resourcesOf, sortNotices } from '../writing/texts.js';
import { isZero, plus, type TypeAmounts } from './amounts.js';
import { queueNotices } from './notices.js';
import { outcomeOfQueue, planQueue, type QueuePlan, shareOf } from './queue-plan.js';
import { Reasons } from './reasons.js';
import { InQueueRound } from './round.js';
import { ratioOf, type SkippedQueueCode, sparedOf, whyClosed } from './skipped-queue.js';

/**
 * Chooses what has to go so that inside each queue the more entitled get what the less entitled hold:
 * docs/reference/policies/intra-queue.md.
 *
 * @param rules get the deciding rules of the victims.
 * @throws InputError for a queue that is wrong, with `trigger.queue` as the path, and for what the snapshot lacks or has wrong for
 *   this policy, with the path of the field.
 */
export function planIntraQueue(
  snapshot: QueueSnapshot,
  { queue: path }: IntraQueueTrigger,
  settings: ReadIntraQueueSettings,
  rules?: DecidingRules,
): Plan {
  const leaves = leavesOf(snapshot, path);
  const round = new InQueueRound(snapshot, settings);
  const texts = new AmountTexts();
  const verdicts = new Uint8Array(snapshot.allocations.count);

  const plans: QueuePlan[] = [];
  const labels = nodeLabelsOfSnapshot(snapshot);
  const enabled = settings.enabled && labels.length === 0;
  const notices = wholeNotices(snapshot.partition, labels, settings);
  const skipped = new Map<number, SkippedQueueCode>();
  for (const queue of enabled ? inPlanningOrder(round, leaves) : []) {
    const found = planQueue(round, queue, verdicts, texts);
    if (found === null) continue;
    if ('code' in found) {
      skipped.set(queue, found.code);
      notices.push(found);
    } else {
      plans.push(found);
      notices.push(...queueNotices(round, found, texts));
    }
  }
  if (!enabled) for (const queue of leaves) skipped.set(queue, 'queue-disabled');

  const { zero, names } = round.arithmetic;
  const sum = (amountsOf: (plan: QueuePlan) => TypeAmounts): TypeAmounts =>
    plans.reduce((total, plan) => plus(total, amountsOf(plan)), zero);
  const written = (amounts: TypeAmounts) => resourcesOf(names, (place) => amounts[place]!);
  const target = sum((plan) => plan.target);
  const shortfall = sum((plan) => plan.shortfall);
  const inFlight = sum((plan) => plan.shares.leaf.inFlight);
  const isSkipped = !enabled || isClosed(round, leaves);
  const somethingGoes = plans.some(({ taken }) => taken.victims.length > 0) || !isZero(inFlight);
  const outcome: Outcome = isSkipped ? 'skipped' : outcomeOfQueue(target, shortfall, somethingGoes);
  return {
    apiVersion: 'curtail/v1',
    kind: 'Plan',
    policy: 'intra-queue',
    ...(path === undefined ? {} : { queue: path }),
    ...(settings.observeOnly ? { observeOnly: true as const } : {}),
    outcome,
    target: written(target),
    inFlight: written(inFlight),
    claimed: written(sum((plan) => plan.claimed)),
    shortfall: written(shortfall),
    overshoot: written(sum((plan) => plan.overshoot)),
    collateral: resourcesOf(snapshot.types, (type) =>
      plans.reduce((total, plan) => total + plan.collateral[type]!, 0),
    ),
    shares: plans.map((plan) => shareOf(round, plan)),
    victims: victimsOf(round, plans, texts, rules),
    ...(settings.explain ? { spared: sparedOf(round, leaves, skipped, verdicts) } : {}),
    notices: sortNotices(notices),
  };
}

/** Whether nothing may be planned, whatever is in the queues. */
function isClosed(round: InQueueRound, leaves: readonly number[]): boolean {
  return leaves.length > 0 && leaves.every((queue) => whyClosed(round, queue) !== null);
}

/** Notices that are of no queue. */
function wholeNotices(
  partition: string,
  labels: readonly string[],
  { enabled, observeOnly }: Pick<ReadIntraQueueSettings, 'enabled' | 'observeOnly'>,
): Notice[] {
  const notices = [
    ...(labels.length === 0 ? [] : [{ code: 'node-labels', message: nodeLabelsSentence(labels) }]),
    ...(enabled
      ? []
      : [{ code: 'feature-disabled', message: 'In-queue preemption is switched off; nothing is planned.' }]),
    ...(observeOnly
      ? [
          {
            code: 'observe-only',
            message: 'In-queue preemption only observes: no owner is notified, and nothing is evicted.',
          },
        ]
      : []),
  ];
  return notices.map((notice) => ({ ...notice, about: ofPartition(partition) }));
}

/** In the order in which the queues were planned, and in each as they were chosen. */
function victimsOf(
  round: InQueueRound,
  plans: readonly QueuePlan[],
  texts: AmountTexts,
  rules: DecidingRules | undefined,
): Victim[] {
  const writer = new VictimWriter(round.snapshot);
  const victims = new Array<Victim>(plans.reduce((sum, { taken }) => sum + taken.victims.length, 0));
  let count = 0;
  for (const { shares, taken } of plans) {
    const reasons = new Reasons(round, shares, texts);
    for (const victim of taken.victims) {
      victims[count] = writer.victim(victim, count + 1, reasons.of(victim));
      rules?.add(reasons.ruleOf(victim));
      count++;
    }
  }
  return victims;
}

export function readTrigger({ queue }: Fields): IntraQueueTrigger {
  return { policy: 'intra-queue', ...(isAbsent(queue) ? {} : { queue: nameAt(queue, 'trigger.queue') }) };
}

/**
 * The queues of the trigger, numbers by path: the one that it names, or all without children.
 *
 * @throws InputError for a queue that is unknown or has children.
 */
function leavesOf({ queues }: QueueSnapshot, path: string | undefined): number[] {
  if (path !== undefined) {
    const queue = queues.number.get(path);
    if (queue === undefined) {
      throw new InputError(
        'trigger.queue',
        `the queue ${shown(path)} is not among the queues of the snapshot`,
      );
    }
    if (queues.end[queue] !== queue + 1) {
      throw new InputError(
        'trigger.queue',
        `the queue ${shown(path)} has children; name a queue without, or leave it out for all of them`,
      );
    }
    return [queue];
  }
  const leaves: number[] = [];
  for (let q = 0; q < queues.count; q++) if (queues.end[q] === q + 1) leaves.push(q);
  return leaves.sort((a, b) => (queues.paths[a]! < queues.paths[b]! ? -1 : 1));
}

/** The least served first, those without a guaranteed amount last, then by path: docs/reference/policies/intra-queue.md §7. */
function inPlanningOrder(round: InQueueRound, leaves: readonly number[]): number[] {
  const { usage, guaranteed } = round.snapshot.queues;
  const ratios = new Map(
    leaves.map((q) => [q, ratioOf(round.arithmetic, round.limits(usage, q), round.limits(guaranteed, q))]),
  );
  return leaves.toSorted((a, b) => {
    const left = ratios.get(a);
    const right = ratios.get(b);
    if (!left || !right) return Number(!left) - Number(!right);
    return compareFractions(left, right);
  });
}
