import { counted, type Notice, type Outcome, ofQueue } from '#contracts';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { DAEMON, RUNNING } from '../snapshot/columns.js';
import type { AmountTexts } from '../writing/texts.js';
import { type Candidates, usesTarget } from './candidates.js';
import { youngNotice } from './care/notices.js';
import type { CareTexts } from './care/texts.js';
import type { Draft } from './draft.js';
import { floorSentence } from './floor-texts.js';
import type { Sharing } from './passes.js';

/** Everything that notices speak of. */
export interface Findings {
  readonly snapshot: QueueSnapshot;
  readonly queue: number;
  readonly outcome: Outcome;
  readonly draft: Draft;
  readonly candidates: Candidates;
  readonly sharing: Sharing | null;
  /** How many victims `feasibility: "all-or-nothing"` dropped, and what they would have given. */
  readonly dropped: { readonly victims: number; readonly claimed: Float64Array } | null;
  readonly texts: AmountTexts;
  readonly careTexts: CareTexts | null;
}

/** A notice about the planned queue itself. */
type CodeAndMessage = Pick<Notice, 'code' | 'message'>;

/** The notices of a plan with a target: docs/reference/policies/quota-decrease.md §10. */
export function noticesOf(findings: Findings): Notice[] {
  const reached = findings.outcome === 'satisfied';
  const about = ofQueue(findings.snapshot.queues.paths[findings.queue]!);
  const ofItself = reached ? reachedNotices(findings) : shortNotices(findings);
  return [
    ...floorNotices(findings),
    ...ofItself.map((notice) => ({ ...notice, about })),
    ...siblingNotices(findings),
  ];
}

/** One for each queue, with a sentence for each type that refused: a candidate counts for the type that kept it, which it holds. */
function floorNotices(findings: Findings): Notice[] {
  const { paths } = findings.snapshot.queues;
  return [...findings.draft.refusals].map(([queue, refusals]) => ({
    code: 'guaranteed-floor',
    message: refusals.map((refusal) => floorSentence(findings, refusal)).join(' '),
    about: ofQueue(paths[queue]!),
  }));
}

function reachedNotices({ snapshot, queue, draft, texts }: Findings): CodeAndMessage[] {
  const path = snapshot.queues.paths[queue]!;
  const { names, amounts } = draft.target;
  const notices: CodeAndMessage[] = [];
  const shortfall = amounts.map((amount, place) => Math.max(0, amount - draft.claimed[place]!));
  if (shortfall.some((amount) => amount > 0)) {
    notices.push({
      code: 'within-miss',
      message: `Queue ${path} counts as satisfied only thanks to the setting miss: ${texts.list(names, shortfall)} of the ${texts.list(names, amounts)} could not be freed.`,
    });
  }
  return [...notices, ...overshootNotices(path, draft, texts)];
}

function overshootNotices(path: string, draft: Draft, texts: AmountTexts): CodeAndMessage[] {
  const { names, amounts } = draft.target;
  const over = amounts.map((amount, place) => Math.max(0, draft.claimed[place]! - amount));
  if (over.every((amount) => amount === 0)) return [];
  return [
    {
      code: 'overshoot',
      message: `The victims of queue ${path} give ${texts.list(names, over)} more than the target of ${texts.list(names, amounts)}.`,
    },
  ];
}

function shortNotices(findings: Findings): CodeAndMessage[] {
  const { snapshot, queue, outcome, draft, candidates, dropped, texts, careTexts } = findings;
  const path = snapshot.queues.paths[queue]!;
  const { names, amounts, need } = draft.target;
  const shortfall = amounts.map((amount, place) => Math.max(0, amount - draft.claimed[place]!));
  const whole = texts.list(names, amounts);
  const notices: CodeAndMessage[] = [
    outcome === 'best-effort'
      ? {
          code: 'best-effort',
          message: `Queue ${path} stays above its quota: ${texts.list(names, shortfall)} of the ${whole} could not be freed.`,
        }
      : {
          code: 'impossible',
          message: `Queue ${path} stays above its quota: none of the ${whole} could be freed.`,
        },
    ...overshootNotices(path, draft, texts),
  ];
  if (dropped !== null) {
    notices.push({
      code: 'all-or-nothing',
      message: `${counted(dropped.victims, 'victim')} with ${texts.list(names, dropped.claimed)} were found in queue ${path}, less than the target of ${texts.list(names, amounts)}; by the setting feasibility none is taken.`,
    });
  }
  if (candidates.keptOut > 0) notices.push({ code: 'protected', message: keptOutMessage(path, candidates) });
  if (candidates.avoided.length > 0) {
    const [first] = candidates.avoided;
    notices.push({
      code: 'eviction-failed',
      message: `${counted(candidates.avoided.length, 'allocation')} of queue ${path}, first ${snapshot.allocations.ids[first!]}, ${candidates.avoided.length === 1 ? 'is' : 'are'} left out in this run: their evictions failed before.`,
    });
  }
  if (careTexts !== null && candidates.young.length > 0) {
    notices.push(youngNotice(snapshot, queue, candidates.young, careTexts));
  }
  const [only] = candidates.list;
  if (only === undefined) notices.push(...noCandidateNotices(findings));
  else if (candidates.count === 1) {
    notices.push({
      code: 'too-few-victims',
      message: `Queue ${path} has a single candidate, ${snapshot.allocations.ids[only]}, with ${texts.list(names, candidates.give)}.`,
    });
  } else if (need.some((amount, place) => candidates.give[place]! < amount)) {
    notices.push({
      code: 'too-few-victims',
      message: `All ${candidates.count} candidates of queue ${path} together have ${texts.list(names, candidates.give)}, less than the ${texts.list(names, need)} that are needed.`,
    });
  }
  return notices;
}

function noCandidateNotices({ snapshot, queue, draft, candidates, texts }: Findings): CodeAndMessage[] {
  const { queues, allocations } = snapshot;
  const path = queues.paths[queue]!;
  const types = texts.list(draft.target.names, draft.target.amounts);
  let daemons = 0;
  let others = 0;
  for (let a = queues.firstAllocation[queue]!; a < queues.firstAllocation[queues.end[queue]!]!; a++) {
    if (allocations.state[a] !== RUNNING || !usesTarget(snapshot, draft.target, a)) continue;
    if (allocations.role[a] === DAEMON) daemons++;
    else others++;
  }
  if (daemons > 0 && others === 0) {
    const subject = daemons === 1 ? 'The only running allocation' : `All ${daemons} running allocations`;
    const verb = daemons === 1 ? 'is a daemon' : 'are daemons';
    return [
      {
        code: 'only-daemons',
        message: `${subject} of queue ${path} that could free ${types} ${verb}, and daemons stay.`,
      },
    ];
  }
  if (candidates.keptOut + candidates.young.length + candidates.avoided.length > 0) return [];
  return [
    { code: 'no-candidates', message: `No allocation of queue ${path} may be taken to free ${types}.` },
  ];
}

function siblingNotices({ snapshot, queue, sharing, draft, texts }: Findings): Notice[] {
  if (sharing === null) return [];
  const { names } = draft.target;
  const notices = [...sharing.cuts].map(([child, { place, quota, room }]) => ({
    code: 'shifted-to-siblings',
    message: `Queue ${snapshot.queues.paths[child]} can give ${texts.of(names[place]!, room)} where ${texts.of(names[place]!, quota)} would fall to it; the rest falls to its siblings where possible.`,
    about: ofQueue(snapshot.queues.paths[child]!),
  }));
  if (sharing.takenLater > 0) {
    notices.push({
      code: 'shifted-to-siblings',
      message: `After the first sharing out among the queues below ${snapshot.queues.paths[queue]} the target was not reached; ${counted(sharing.takenLater, 'more allocation was', 'more allocations were')} taken in further rounds.`,
      about: ofQueue(snapshot.queues.paths[queue]!),
    });
  }
  return notices;
}

function keptOutMessage(path: string, { keptOut, marked }: Candidates): string {
  const allocations = counted(keptOut, 'allocation');
  if (marked === 0) return `The setting protect keeps ${allocations} of queue ${path} out.`;
  const verb = keptOut === 1 ? 'is' : 'are';
  return `${allocations} of queue ${path} ${verb} protected and stay out, ${marked} by a mark of the platform.`;
}
