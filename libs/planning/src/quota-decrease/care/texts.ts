import { counted } from '#contracts';
import type { QueueSnapshot } from '../../snapshot/by-queue.js';
import type { AmountTexts } from '../../writing/texts.js';
import type { Care } from './care.js';
import type { OwnerRefusal } from './owner-counts.js';
import type { BudgetRefusal, GangRefusal, LimitRefusal } from './passed-over.js';
import type { Tests } from './tests.js';

/** The sentences of victim care and their parts, with the numbers: docs/reference/policies/victim-care.md §10. */
export class CareTexts {
  constructor(
    private readonly snapshot: QueueSnapshot,
    private readonly care: Care,
    private readonly tests: Tests | null,
    private readonly amounts: AmountTexts,
  ) {}

  /** `30 s old, where the minimum run time of root.q is 60 s` */
  age(allocation: number): string {
    const { allocations, queues, takenAt } = this.snapshot;
    const leaf = allocations.queue[allocation]!;
    const age = secondsText(takenAt - allocations.startedAt[allocation]!);
    return `${age} old, where the minimum run time of ${queues.paths[leaf]} is ${secondsText(this.care.minRun![leaf]!)}`;
  }

  /** `0.8 vcore were taken, and it uses 0.4 vcore` */
  limit({ queue, type, amount, taken }: LimitRefusal, subject: string): string {
    const name = this.snapshot.types[type]!;
    const most = this.amounts.of(name, this.tests!.limits!.mostOf(queue, type));
    return `has the limit ${most}: ${subject} ${this.amounts.of(name, amount)} when ${this.amounts.of(name, taken)} were taken`;
  }

  budgetName(budget: number): string {
    return `Budget ${this.tests!.budgets!.columns.ids[budget]}`;
  }

  /** `0 of the allowed 2 were left` */
  allowance({ budget, allowance }: Pick<BudgetRefusal, 'budget' | 'allowance'>): string {
    return `${Math.max(0, allowance)} of the allowed ${this.tests!.budgets!.columns.allowed[budget]} were left`;
  }

  /** `User ann (ownerBudgets[0])` */
  ownerName({ entry, budget, name }: OwnerRefusal): string {
    const kind = { user: 'User', application: 'Application', queue: 'Queue' }[budget.per];
    return `${kind} ${name === '' ? 'without a name' : name} (ownerBudgets[${entry}])`;
  }

  /** `has 2 of at most 2 victims in 3600 s` */
  ownerCount({ has, budget }: OwnerRefusal): string {
    return `has ${has} of at most ${counted(budget.victims, 'victim')} in ${budget.seconds} s`;
  }

  /** `keeps its 3 members that stay, of which it needs 3: …` */
  gang({ application, staying, by }: GangRefusal): string {
    const needs = this.tests!.gangs!.minMembersOf(application);
    return `keeps the ${counted(staying, 'member')} of its gang that stay, and needs ${needs}: ${this.gangBy(by)}`;
  }

  private gangBy(by: GangRefusal['by']): string {
    const { allocations, queues, types } = this.snapshot;
    switch (by.test) {
      case 'spare':
        return 'by the setting gangs it is not taken below that';
      case 'stays':
        return `${allocations.ids[by.stays.member]} ${by.stays.why}, and all of them go or none`;
      case 'floor': {
        const queue = Math.floor(by.cell / types.length);
        const type = types[by.cell % types.length]!;
        const floor = this.amounts.of(type, queues.guaranteed[by.cell]!);
        if (queues.usage[by.cell]! - queues.inFlight[by.cell]! < queues.guaranteed[by.cell]!)
          return `queue ${queues.paths[queue]} is already below its guaranteed ${floor}`;
        return `with all of them queue ${queues.paths[queue]} would fall below its guaranteed ${floor}`;
      }
      case 'limit':
        return `queue ${queues.paths[by.limit.queue]} ${this.limit(by.limit, 'they use')}`;
      case 'budget':
        return by.budgets
          .map((refusal) => {
            const members = `${refusal.members} of them are in it`;
            return `${lowerFirst(this.budgetName(refusal.budget))} has too little left: ${members}, and ${this.allowance(refusal)}`;
          })
          .join('; ');
      case 'owner':
        return by.owners
          .map((refusal) => `${lowerFirst(this.ownerName(refusal))} ${this.ownerCount(refusal)}`)
          .join('; ');
      case 'past-target':
        return 'all of them would give more than is to be freed';
    }
  }
}

/** Milliseconds as seconds. */
function secondsText(ms: number): string {
  return `${ms / 1000} s`;
}

const lowerFirst = (text: string): string => `${text[0]!.toLowerCase()}${text.slice(1)}`;
