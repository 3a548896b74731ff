import { counted } from '#contracts';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import type { AmountTexts } from '../writing/texts.js';
import type { Draft, RefusedCandidate } from './draft.js';

interface Sources {
  readonly snapshot: QueueSnapshot;
  readonly draft: Draft;
  readonly texts: AmountTexts;
}

/** What helps where a guaranteed amount of a type that is not to be freed keeps everything. */
const ofLoweredTypes = ' The setting guaranteedTypes: lowered checks only the types that have to be freed.';

/** How many candidates a queue refused for its guaranteed amount of one type: docs/reference/policies/quota-decrease.md §10. */
export function floorSentence(sources: Sources, { count, ...refusal }: RefusedCandidate): string {
  const { snapshot, draft } = sources;
  const { path, type, amount, guaranteed, slack, used } = numbersOf(sources, refusal);
  const passedOver = `${counted(count, 'candidate was', 'candidates were')} passed over, first ${snapshot.allocations.ids[refusal.allocation]} with ${amount}`;
  if (used === null) {
    return `Queue ${path} would fall below its guaranteed ${guaranteed}: ${passedOver} when the queue could still give ${slack}.`;
  }
  const help = draft.target.placeOfType[refusal.cell % snapshot.types.length]! < 0 ? ofLoweredTypes : '';
  return `Queue ${path} uses ${used}, already below its guaranteed ${guaranteed}, so nothing that holds ${type} may go: ${passedOver}.${help}`;
}

/** Why a floor kept one allocation: the queue, the type and the numbers of the moment when it was reached. */
export function keptByFloor(sources: Sources, allocation: number): string {
  const refusal = sources.draft.refusalOf(allocation);
  const { path, amount, guaranteed, slack, used } = numbersOf(sources, { allocation, ...refusal });
  return used === null
    ? `It holds ${amount}, and queue ${path} could still give ${slack} of what it uses above its guaranteed ${guaranteed}.`
    : `It holds ${amount}, and queue ${path} uses ${used}, already below its guaranteed ${guaranteed}.`;
}

function numbersOf(
  { snapshot, texts }: Sources,
  { allocation, cell, slack }: Omit<RefusedCandidate, 'count'>,
) {
  const number = cell % snapshot.types.length;
  const type = snapshot.types[number]!;
  const { size, firstEntry, entryType, entryAmount } = snapshot.allocations;
  let amount = 0;
  for (let e = firstEntry[size[allocation]!]!, end = firstEntry[size[allocation]! + 1]!; e < end; e++) {
    if (entryType[e] === number) amount = entryAmount[e]!;
  }
  const floor = snapshot.queues.guaranteed[cell]!;
  return {
    path: snapshot.queues.paths[Math.floor(cell / snapshot.types.length)]!,
    type,
    amount: texts.of(type, amount),
    guaranteed: texts.of(type, floor),
    slack: texts.of(type, Math.max(0, slack)),
    // Null: the queue is not below its guaranteed amount.
    used: slack < 0 ? texts.of(type, floor + slack) : null,
  };
}
