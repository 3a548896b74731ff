import type { Spared } from '#contracts';
import type { QueueSnapshot } from '../../snapshot/by-queue.js';
import type { AmountTexts } from '../../writing/texts.js';
import { isTooYoung } from '../candidates.js';
import type { Draft } from '../draft.js';
import type { Care } from './care.js';
import type { CarefulTaking } from './careful-taking.js';
import { BUDGET, GANG, LIMIT, OWNER } from './tests.js';
import { CareTexts } from './texts.js';

type Why = Omit<Spared, 'allocation'>;

/** Why victim care spared an allocation, with the numbers: docs/reference/policies/victim-care.md §10. */
export class CareSpared {
  private readonly texts: CareTexts;

  constructor(
    private readonly snapshot: QueueSnapshot,
    private readonly care: Care,
    private readonly taking: CarefulTaking | null,
    amounts: AmountTexts,
  ) {
    this.texts = new CareTexts(snapshot, care, taking?.tests ?? null, amounts);
  }

  /** Null for an allocation that is old enough. */
  tooYoung(allocation: number): Why | null {
    const { youngAfter } = this.care;
    if (youngAfter === null || !isTooYoung(this.snapshot, youngAfter, allocation)) return null;
    return { reason: 'too-young', message: `It is ${this.texts.age(allocation)}.` };
  }

  /** The first of the tests 1 to 5 that refused a candidate; null if none did. */
  refused(candidate: number, draft: Draft): Why | null {
    const { passedOver } = this.taking ?? {};
    const one = passedOver?.ofOne?.get(candidate);
    if (passedOver?.hasFor(GANG, candidate)) {
      return { reason: 'gang', message: `Its application ${this.texts.gang(one!.gang!)}.` };
    }
    if (draft.wasRefused(candidate)) return { reason: 'guaranteed-floor' };
    if (passedOver?.hasFor(LIMIT, candidate)) {
      const path = this.snapshot.queues.paths[one!.limit!.queue]!;
      return { reason: 'queue-limit', message: `Queue ${path} ${this.texts.limit(one!.limit!, 'it uses')}.` };
    }
    if (passedOver?.hasFor(BUDGET, candidate)) {
      const all = one!.budgets!.map(
        (refusal) => `${this.texts.budgetName(refusal.budget)}: ${this.texts.allowance(refusal)}.`,
      );
      return { reason: 'disruption-budget', message: all.join(' ') };
    }
    if (passedOver?.hasFor(OWNER, candidate)) {
      const all = one!.owners!.map(
        (refusal) => `${this.texts.ownerName(refusal)} ${this.texts.ownerCount(refusal)}.`,
      );
      return { reason: 'owner-budget', message: all.join(' ') };
    }
    return null;
  }
}
