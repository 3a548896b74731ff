import type { Notice, Outcome, Plan, Victim } from '#contracts';
import type { DecidingRules } from '../deciding-rules.js';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { VictimWriter } from '../snapshot/victim-writer.js';
import { sortNotices } from '../writing/texts.js';
import { careNotices } from './care/notices.js';
import { CareTexts } from './care/texts.js';
import { withCare } from './care/victims.js';
import { noticesOf } from './notices.js';
import { Reasons } from './reasons.js';
import { amountsOf, sharesOf } from './result.js';
import { sparedOf } from './spared.js';
import { type Taken, type Task, whyCareSpares } from './take-victims.js';
import { unknownTypeNotices } from './target.js';

/** The victims that stay in the plan: all of them, or none where only all together would do. */
interface Kept {
  victims: Int32Array;
  outcome: Outcome;
  /** What was given back; null: nothing. */
  dropped: { victims: number; claimed: Float64Array } | null;
}

/** The plan of the victims that were taken: its amounts, and the reason for everything. docs/reference/policies/quota-decrease.md §8, §10 */
export function planOfTaken(task: Task, taken: Taken, rules: DecidingRules | undefined): Plan {
  const { snapshot, queue, path, chosen, inFlight, target, takesPart, texts } = task;
  const { draft, candidates, orders, careful, sharing } = taken;
  const kept = keptOf(task, taken);
  const { victims, outcome } = kept;
  const shareOf =
    sharing === null
      ? null
      : (leaf: number) => sharing.target.subarray(leaf * target.count, (leaf + 1) * target.count);
  const gangs = careful !== null && careful.units.size > 0 ? careful : null;
  const reasons = new Reasons(snapshot, target, candidates, orders, texts, shareOf, gangs, rules);
  const notices = allNotices(task, taken, kept);
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
    shares: sharing === null ? [] : sharesOf(snapshot, queue, target, takesPart, sharing, draft.claimedFrom),
    victims: careful === null ? listed : withCare(listed, victims, careful),
    ...(chosen.explain
      ? {
          spared: sparedOf(
            snapshot,
            queue,
            target,
            chosen.protect,
            draft,
            whyCareSpares(task, careful),
            texts,
            task.avoid,
          ),
        }
      : {}),
    notices: sortNotices([...notices, ...unknownTypeNotices(snapshot, queue)]),
  };
}

function keptOf({ chosen }: Task, { draft }: Taken): Kept {
  const found = draft.victims;
  const drops = !draft.reached && chosen.feasibility === 'all-or-nothing' && found.length > 0;
  const dropped = drops ? { victims: found.length, claimed: draft.claimed.slice() } : null;
  if (drops) draft.giveAllBack();
  const victims = drops ? new Int32Array(0) : found;
  const outcome: Outcome = draft.reached ? 'satisfied' : victims.length > 0 ? 'best-effort' : 'impossible';
  return { victims, outcome, dropped };
}

function allNotices(
  { snapshot, queue, target, care, texts }: Task,
  { draft, candidates, sharing, careful }: Taken,
  { victims, outcome, dropped }: Kept,
): Notice[] {
  const careTexts = care === null ? null : new CareTexts(snapshot, care, careful?.tests ?? null, texts);
  const findings = { snapshot, queue, outcome, draft, candidates, sharing, dropped, texts, careTexts };
  const notices = noticesOf(findings);
  if (careful === null || careTexts === null) return notices;
  const ofCare = { snapshot, queue, target, victims, taking: careful, texts: careTexts, amounts: texts };
  return [...notices, ...careNotices(ofCare)];
}

/** How many victims are read ahead: they fit into the processor's first cache. */
const AHEAD = 64;

/** The victims as the plan lists them, in the order of their rank. */
function victimsOf(snapshot: QueueSnapshot, victims: Int32Array, reasons: Reasons): Victim[] {
  const writer = new VictimWriter(snapshot);
  const written = new Array<Victim>(victims.length);
  for (let i = 0; i < victims.length; i++) {
    if (i % AHEAD === 0) reasons.readAhead(victims, i, Math.min(i + AHEAD, victims.length));
    written[i] = writer.victim(victims[i]!, i + 1, reasons.of(victims[i]!));
  }
  return written;
}
