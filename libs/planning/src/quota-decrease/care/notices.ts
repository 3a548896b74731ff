import { counted, type Notice, ofQueue, type Subject } from '#contracts';
import type { QueueSnapshot } from '../../snapshot/by-queue.js';
import type { AmountTexts } from '../../writing/texts.js';
import type { Target } from '../target.js';
import type { CarefulTaking } from './careful-taking.js';
import type { CareTexts } from './texts.js';

interface Findings {
  readonly snapshot: QueueSnapshot;
  /** The trigger's queue. */
  readonly queue: number;
  readonly target: Target;
  readonly victims: Int32Array;
  readonly taking: CarefulTaking;
  readonly texts: CareTexts;
  readonly amounts: AmountTexts;
}

/** The notice of allocations that the minimum run time keeps out: docs/reference/policies/victim-care.md §10. */
export function youngNotice(
  { allocations, queues }: QueueSnapshot,
  queue: number,
  young: readonly number[],
  texts: CareTexts,
): Pick<Notice, 'code' | 'message'> {
  let first = young[0]!;
  for (let i = 1; i < young.length; i++) {
    if (allocations.ids[young[i]!]! < allocations.ids[first]!) first = young[i]!;
  }
  const kept = counted(young.length, 'allocation');
  return {
    code: 'too-young',
    message: `Queue ${queues.paths[queue]} keeps ${kept} below the minimum run time, first ${allocations.ids[first]}: it is ${texts.age(first)}.`,
  };
}

/** The other notices of victim care: docs/reference/policies/victim-care.md §10. */
export function careNotices(findings: Findings): Notice[] {
  return [
    ...gangNotices(findings),
    ...limitNotices(findings),
    ...budgetNotices(findings),
    ...ownerNotices(findings),
    ...shareNotices(findings),
  ];
}

function gangNotices({ snapshot, queue, taking, texts }: Findings): Notice[] {
  return [...taking.passedOver.gangs].map(([application, { why }]) => {
    const name = snapshot.applications.ids[application]!;
    return {
      code: 'gang',
      message: `Application ${name} ${texts.gang(why)}.`,
      about: ofApplication(name, snapshot.queues.paths[queue]!),
    };
  });
}

function limitNotices({ snapshot, taking, texts }: Findings): Notice[] {
  return [...taking.passedOver.limits].map(([queue, { why, first, count }]) => {
    const path = snapshot.queues.paths[queue]!;
    const subject = `${passedOver(count)}, first ${snapshot.allocations.ids[first]} with`;
    return {
      code: 'queue-limit',
      message: `Queue ${path} ${texts.limit(why, subject)}.`,
      about: ofQueue(path),
    };
  });
}

function budgetNotices({ snapshot, queue, victims, taking, texts }: Findings): Notice[] {
  const { budgets } = taking.tests;
  const by = taking.passedOver.budgets;
  if (budgets === null || by === null) return [];
  const about = ofQueue(snapshot.queues.paths[queue]!);
  // Many budgets have the same numbers, so the texts of numbers are kept. By id, as budgets are numbered, their messages are roughly in
  // the order in which notices are sorted.
  const tooLittle: string[] = [];
  const left = new Map<number, string>();
  const refused: Notice[] = [];
  for (let budget = 0; budget < by.count.length; budget++) {
    const count = by.count[budget]!;
    if (count === 0) continue;
    tooLittle[count] ??= ` has too little left: ${passedOver(count)}, first `;
    const allowed = budgets.columns.allowed[budget]!;
    if (!left.has(allowed)) left.set(allowed, ` when ${texts.allowance({ budget, allowance: 0 })}.`);
    const first = snapshot.allocations.ids[by.first[budget]!]!;
    refused.push({
      code: 'disruption-budget',
      message: texts.budgetName(budget) + tooLittle[count] + first + left.get(allowed)!,
      about,
    });
  }
  if (victims.length === 0) return refused;
  const passed = budgets.passed().map((budget) => {
    const over = -budgets.allowance(budget);
    const allowed = budgets.columns.allowed[budget]!;
    return {
      code: 'disruption-budget-passed',
      message: `${texts.budgetName(budget)} allows ${allowed} to go, and the plan takes ${allowed + over}: ${over} more.`,
      about,
    };
  });
  return [...refused, ...passed];
}

function ownerNotices({ snapshot, queue, taking, texts }: Findings): Notice[] {
  const path = snapshot.queues.paths[queue]!;
  const notices: Notice[] = [];
  taking.passedOver.owners.forEach(({ first, count, has }, entry) => {
    for (let owner = 0; owner < count.length; owner++) {
      if (count[owner] === 0) continue;
      const why = taking.tests.owners!.refusalOf(entry, owner, has[owner]);
      notices.push({
        code: 'owner-budget',
        message: `${texts.ownerName(why)} ${texts.ownerCount(why)}: ${passedOver(count[owner]!)}, first ${snapshot.allocations.ids[first[owner]!]}.`,
        about:
          why.budget.per === 'application'
            ? ofApplication(why.name, path)
            : ofQueue(why.budget.per === 'queue' ? why.name : path),
      });
    }
  });
  return notices;
}

function shareNotices({ snapshot, target, taking, amounts }: Findings): Notice[] {
  return [...taking.passedShares.values()].map(({ queue, percent, part, place }) => {
    const path = snapshot.queues.paths[queue]!;
    const gets = amounts.of(target.names[place]!, part);
    return {
      code: 'share-passed',
      message: `Queue ${path} gets ${gets} to give, more than its share of ${percent} %: the queues without a share have no room for the rest.`,
      about: ofQueue(path),
    };
  });
}

const passedOver = (count: number): string =>
  `${counted(count, 'candidate was', 'candidates were')} passed over`;

const ofApplication = (name: string, queue: string): Subject => ({ kind: 'application', name, queue });
