import {
  type FairShareObservation,
  type FairShareSpared,
  type FairShareTrigger,
  InputError,
  type Notice,
  type Outcome,
  ofPartition,
  type Plan,
  type ReadFairShareSettings,
  type Resources,
  readFairShareSettings,
  type Spared,
} from '#contracts';
import type { DecidingRules } from '../deciding-rules.js';
import { type Fields, isAbsent } from '../fields.js';
import type { Snapshot } from '../snapshot/columns.js';
import { resourcesOf, sortNotices } from '../writing/texts.js';
import { Draft } from './draft.js';
import { type Judged, judge } from './judge.js';
import { takeForLimits } from './limits-step.js';
import { NodeLabels } from './node-sets.js';
import { noticesOf } from './notices.js';
import { observationOf } from './observation.js';
import { takeForOvercommit } from './overcommit-step.js';
import { answers, compareTexts, findReasons } from './reasons.js';
import { startIntoFreeRoom } from './regular-stage.js';
import type { FairShareSnapshot } from './snapshot/columns.js';
import { fairShareSnapshotOf } from './snapshot/read.js';
import { keptAlways, sparedBecause } from './spared.js';
import { statusesOf } from './statuses.js';
import { stagesOf, startInPlaceOfOthers } from './victim-stage.js';
import { victimsOf } from './victims.js';

/**
 * Plans who gets room at whose price in the whole tree: docs/reference/policies/fair-share.md.
 *
 * @param rules get the causes of the victims, with their facts.
 */
export function planFairShare(
  snapshot: FairShareSnapshot,
  settings: ReadFairShareSettings,
  rules?: DecidingRules,
): Plan {
  const whyNot = whySkipped(snapshot, settings);
  return whyNot === null
    ? planJudged(judge(snapshot, settings), rules)
    : skippedPlan(snapshot, settings, whyNot);
}

/**
 * The plan, and what is reported to the clock of starvation, null where nothing is judged,
 * so that no timer changes.
 *
 * @param rules as of `planFairShare`.
 * @throws InputError as `plan`.
 */
export function planAndObserveFairShare(
  columns: Snapshot,
  settings?: unknown,
  rules?: DecidingRules,
): { plan: Plan; observation: FairShareObservation | null } {
  const snapshot = fairShareSnapshotOf(columns);
  const read = readFairShareSettings(settings);
  const whyNot = whySkipped(snapshot, read);
  if (whyNot !== null) {
    return { plan: skippedPlan(snapshot, read, whyNot), observation: null };
  }
  const judged = judge(snapshot, read);
  return { plan: planJudged(judged, rules), observation: observationOf(judged) };
}

/** Why nothing is judged at all; null where it is. */
function whySkipped(snapshot: FairShareSnapshot, settings: ReadFairShareSettings): Notice | null {
  const about = ofPartition(snapshot.partition);
  if (settings.reasons.length === 0) {
    return { code: 'policy-off', message: 'The setting reasons is empty: nothing is checked.', about };
  }
  if (snapshot.pools.enforcing[0] === 1) {
    return {
      code: 'run-in-progress',
      message: 'A run for the root is in progress and evicts what is needed.',
      about: { kind: 'pool', name: snapshot.pools.paths[0]! },
    };
  }
  if (snapshot.nodes.count === 0) {
    const message = 'The snapshot has no nodes: shares cannot be computed.';
    return { code: 'no-nodes', message, about };
  }
  return null;
}

function planJudged(judged: Judged, rules: DecidingRules | undefined): Plan {
  const { snapshot, settings } = judged;
  const draft = new Draft(judged);
  const kept = keptAlways(judged);
  const statuses = settings.explain ? statusesOf(draft) : null;
  const sparedBefore = settings.explain ? reasonsToSpare(draft, kept) : null;
  const reasons = findReasons(draft);

  if (settings.reasons.includes('resource-limits')) takeForLimits(draft, kept);
  if (settings.reasons.includes('overcommit')) takeForOvercommit(draft, kept);
  const setAside = new Map<number, string>();
  if (settings.reasons.includes('starvation')) {
    const labels = new NodeLabels(snapshot);
    startIntoFreeRoom(draft, labels);
    for (const stage of stagesOf(settings.aggressiveStageFirst)) {
      startInPlaceOfOthers(draft, kept, labels, stage, setAside);
    }
  }

  const isAnswered = answers(draft);
  const answered = reasons.map(isAnswered);
  const outcome: Outcome =
    reasons.length === 0
      ? 'not-needed'
      : answered.every((is) => is)
        ? 'satisfied'
        : draft.victims.length > 0
          ? 'best-effort'
          : 'impossible';
  const notices = sortNotices(noticesOf({ draft, kept, reasons, isAnswered, setAside }));
  return written(snapshot, outcome, {
    claimed: claimedOf(draft),
    victims: victimsOf(draft, rules),
    starts: startsOf(draft),
    reasons: reasons.map(({ cause, kind, name, missing }, i) => {
      return { cause, kind, name, answered: answered[i]!, missing };
    }),
    ...(sparedBefore === null ? {} : { spared: sparedOf(draft, sparedBefore) }),
    ...(statuses === null ? {} : { statuses }),
    notices,
  });
}

type Decided = Pick<Plan, 'claimed' | 'victims' | 'starts' | 'reasons' | 'spared' | 'statuses' | 'notices'>;

function skippedPlan(snapshot: FairShareSnapshot, settings: ReadFairShareSettings, why: Notice): Plan {
  return written(snapshot, 'skipped', {
    claimed: {},
    victims: [],
    starts: [],
    reasons: [],
    ...(settings.explain ? { spared: [], statuses: [] } : {}),
    notices: [why],
  });
}

/** Every key in the order of docs/reference/snapshot.md, "Plan". A sum over nodes has no meaning, so there is no target. */
function written(snapshot: FairShareSnapshot, outcome: Outcome, decided: Decided): Plan {
  return {
    apiVersion: 'curtail/v1',
    kind: 'Plan',
    policy: 'fair-share',
    outcome,
    target: {},
    inFlight: resourcesOf(snapshot.types, (type) => snapshot.inFlight[type]!),
    claimed: decided.claimed,
    shortfall: {},
    overshoot: {},
    collateral: {},
    shares: [],
    victims: decided.victims,
    starts: decided.starts!,
    reasons: decided.reasons!,
    ...(decided.spared === undefined ? {} : { spared: decided.spared }),
    ...(decided.statuses === undefined ? {} : { statuses: decided.statuses }),
    notices: decided.notices,
  };
}

function claimedOf(draft: Draft): Resources {
  const { allocations, types } = draft.judged.snapshot;
  return resourcesOf(types, (type) =>
    draft.victims.reduce(
      (sum, { allocation }) => sum + allocations.size[allocation * types.length + type]!,
      0,
    ),
  );
}

function startsOf(draft: Draft): NonNullable<Plan['starts']> {
  const { asks, allocations, nodes, operations, types } = draft.judged.snapshot;
  return draft.starts.map(({ ask, node, victims }) => ({
    operation: operations.ids[asks.operation[ask]!]!,
    pending: asks.place[ask]!,
    node: nodes.ids[node]!,
    resources: resourcesOf(types, (type) => asks.size[asks.kind[ask]! * types.length + type]!),
    victims: victims.map((victim) => allocations.ids[victim]!),
  }));
}

/** The reason that spares each allocation before anything is decided, by number. */
function reasonsToSpare(draft: Draft, kept: Uint8Array): FairShareSpared[] {
  const { ids } = draft.judged.snapshot.allocations;
  return ids.map((_, allocation) => sparedBecause(draft, kept, allocation, -1, false));
}

/** Everyone who is no victim, by pool, then id. */
function sparedOf(draft: Draft, because: readonly FairShareSpared[]): Spared[] {
  const { allocations, elements, pools } = draft.judged.snapshot;
  const ofPool: number[][] = pools.paths.map(() => []);
  for (let a = 0; a < allocations.count; a++) {
    if (draft.gone[a] === 0) ofPool[elements.parent[pools.count + allocations.operation[a]!]!]!.push(a);
  }
  const byPath = pools.paths.map((_, pool) => pool);
  byPath.sort((a, b) => compareTexts(pools.paths[a]!, pools.paths[b]!));
  const byId = (a: number, b: number): number => compareTexts(allocations.ids[a]!, allocations.ids[b]!);
  return byPath.flatMap((pool) =>
    ofPool[pool]!.sort(byId).map((a) => ({ allocation: allocations.ids[a]!, reason: because[a]! })),
  );
}

export function readTrigger(trigger: Fields): FairShareTrigger {
  for (const name of ['queue', 'target']) {
    if (isAbsent(trigger[name])) continue;
    throw new InputError(`trigger.${name}`, 'must be left out: the policy fair-share plans the whole tree');
  }
  return { policy: 'fair-share' };
}
