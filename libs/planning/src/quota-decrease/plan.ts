import type { QuotaDecreaseTrigger } from '@curtail/contracts';
import { InputError, type Outcome, ofQueue, type Plan, type ReadSettings, shown } from '@curtail/contracts';
import type { DecidingRules } from '../deciding-rules.js';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { AmountTexts } from '../writing/amount-text.js';
import { sortNotices } from '../writing/sort-notices.js';
import { findCandidates } from './candidates.js';
import { careOf } from './care/care.js';
import { CarefulTaking } from './care/careful-taking.js';
import { careNotices } from './care/notices.js';
import { CareSpared } from './care/spared.js';
import { CareTexts } from './care/texts.js';
import { withCare } from './care/victims.js';
import { Draft } from './draft.js';
import { LeafOrders } from './leaf-orders.js';
import { noticesOf } from './notices.js';
import { takeInFurtherPasses, takeInPasses } from './passes.js';
import { Reasons } from './reasons.js';
import { amountsOf, emptyPlan, inFlightOf, sharesOf } from './result.js';
import { whySkipped } from './skipped.js';
import { sparedOf } from './spared.js';
import { takeFromOneLeaf } from './take-from-one-leaf.js';
import { plainTaking } from './taking.js';
import { queuesTakingPart } from './taking-part.js';
import { targetOf } from './target.js';
import { unknownTypeNotices } from './unknown-types.js';
import { victimsOf } from './victims.js';

/**
 * Chooses the victims of a lowered quota: docs/reference/policies/quota-decrease.md.
 *
 * @param rules get the deciding rules of the victims.
 * @throws InputError for a queue that is wrong, with `trigger.queue` as the path.
 */
export function planQuotaDecrease(
  snapshot: QueueSnapshot,
  { queue: path, target: given }: QuotaDecreaseTrigger,
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
  const sparedBy = (careful: CarefulTaking | null) =>
    care === null ? null : new CareSpared(snapshot, care, careful, texts);
  if (target.count === 0) {
    const spared = chosen.explain
      ? sparedOf(snapshot, queue, target, chosen.protect, null, sparedBy(null))
      : null;
    const notices =
      whyNot === null
        ? unknownTypeNotices(snapshot, queue)
        : [{ code: 'enforcement-skipped', message: whyNot, about: ofQueue(path) }];
    return emptyPlan(
      path,
      whyNot === null ? 'not-needed' : 'skipped',
      inFlight,
      spared,
      sortNotices(notices),
    );
  }

  const candidates = findCandidates(
    snapshot,
    queue,
    takesPart,
    target,
    chosen.protect,
    care?.youngAfter ?? null,
  );
  const orders = new LeafOrders(snapshot, target, candidates, chosen, care?.lastSaved ?? null);
  const draft = new Draft(snapshot, target);
  const isLeaf = snapshot.queues.end[queue] === queue + 1;
  const careful = care?.hasTests
    ? new CarefulTaking(snapshot, draft, care, queue, takesPart, candidates, orders, chosen.protect)
    : null;
  const taking = careful ?? plainTaking(draft, queue, takesPart, candidates, orders, chosen.fit);
  const sharing = isLeaf ? null : takeInPasses(draft, queue, takesPart, taking, chosen.fit);
  if (isLeaf) takeFromOneLeaf(draft, queue, taking, chosen.fit);
  if (!draft.reached) taking.testWhatIsLeft();
  if (careful !== null && !draft.reached && chosen.disruptionBudgets === 'last') {
    careful.beginSecondPart();
    if (sharing === null) takeFromOneLeaf(draft, queue, taking, chosen.fit);
    else takeInFurtherPasses(draft, queue, takesPart, taking, chosen.fit, sharing, true);
    if (!draft.reached) taking.testWhatIsLeft();
  }

  const found = draft.victims;
  const drops = !draft.reached && chosen.feasibility === 'all-or-nothing' && found.length > 0;
  const dropped = drops ? { victims: found.length, claimed: draft.claimed.slice() } : null;
  if (drops) draft.giveAllBack();
  const victims = drops ? new Int32Array(0) : found;
  const outcome: Outcome = draft.reached ? 'satisfied' : victims.length > 0 ? 'best-effort' : 'impossible';

  const shareOf =
    sharing === null
      ? null
      : (leaf: number) => sharing.target.subarray(leaf * target.count, (leaf + 1) * target.count);
  const reasons = new Reasons(snapshot, target, candidates, orders, texts, shareOf, careful, rules);
  const careTexts = care === null ? null : new CareTexts(snapshot, care, careful?.tests ?? null, texts);
  const notices = noticesOf({
    snapshot,
    queue,
    outcome,
    draft,
    candidates,
    sharing,
    dropped,
    texts,
    careTexts,
  });
  if (careful !== null && careTexts !== null) {
    notices.push(
      ...careNotices({ snapshot, queue, target, victims, taking: careful, texts: careTexts, amounts: texts }),
    );
  }
  const listed = victimsOf(snapshot, victims, reasons);
  const amounts = amountsOf(draft, victims);
  return {
    apiVersion: 'curtail/v1',
    kind: 'Plan',
    policy: 'quota-decrease',
    queue: path,
    outcome,
    target: amounts.target,
    inFlight,
    claimed: amounts.claimed,
    shortfall: amounts.shortfall,
    overshoot: amounts.overshoot,
    collateral: amounts.collateral,
    shares: sharing === null ? [] : sharesOf(snapshot, queue, target, takesPart, sharing, victims),
    victims: careful === null ? listed : withCare(listed, victims, careful),
    ...(chosen.explain
      ? { spared: sparedOf(snapshot, queue, target, chosen.protect, draft, sparedBy(careful)) }
      : {}),
    notices: sortNotices([...notices, ...unknownTypeNotices(snapshot, queue)]),
  };
}
