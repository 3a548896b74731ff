import { InputError, shown } from '#contracts';
import { arrayAt, isAbsent, nameAt, objectAt } from '../../fields.js';
import { amountError, isAmount } from '../../snapshot/amounts.js';
import type { QueueSnapshot } from '../../snapshot/by-queue.js';
import { inInputOrder } from '../../snapshot/renumbered.js';

/** Disruption budgets, numbered by id, and the budgets of each allocation. */
export interface BudgetColumns {
  readonly ids: readonly string[];
  readonly allowed: Float64Array;
  /** The budgets of allocation a are `list[i]` for i from `first[a]` below `first[a + 1]`, by id. */
  readonly first: Int32Array;
  readonly list: Int32Array;
}

export function readBudgets({ budgets, allocations }: QueueSnapshot): BudgetColumns | null {
  const allowed = readAllowed(budgets);
  const { count, budgets: given, inputPlace } = allocations;
  if (given.length === 0) return null;
  const ids = [...allowed.keys()].sort((a, b) => (a < b ? -1 : 1));
  const number = new Map(ids.map((id, i) => [id, i]));
  const named: number[][] = new Array(count);
  for (const a of inInputOrder(inputPlace)) {
    if (isAbsent(given[a])) continue;
    named[a] = numbersOf(given[a], `allocations[${inputPlace[a]}].budgets`, number);
  }
  const first = new Int32Array(count + 1);
  const list: number[] = [];
  for (let a = 0; a < count; a++) {
    if (named[a] !== undefined) list.push(...named[a]!);
    first[a + 1] = list.length;
  }
  if (list.length === 0) return null;
  return {
    ids,
    allowed: Float64Array.from(ids, (id) => allowed.get(id)!),
    first,
    list: Int32Array.from(list),
  };
}

function readAllowed(given: unknown): Map<string, number> {
  const allowed = new Map<string, number>();
  if (isAbsent(given)) return allowed;
  arrayAt(given, 'budgets').forEach((value, i) => {
    const budget = objectAt(value, `budgets[${i}]`);
    const id = nameAt(budget.id, `budgets[${i}].id`);
    if (allowed.has(id)) {
      throw new InputError(`budgets[${i}].id`, `the id ${shown(id)} is there twice; list each budget once`);
    }
    if (!isAmount(budget.allowed)) throw amountError(`budgets[${i}].allowed`, budget.allowed);
    allowed.set(id, budget.allowed);
  });
  return allowed;
}

/** In ascending order. */
function numbersOf(given: unknown, path: string, number: ReadonlyMap<string, number>): number[] {
  const found: number[] = [];
  arrayAt(given, path).forEach((id, j) => {
    const budget = number.get(nameAt(id, `${path}[${j}]`));
    if (budget === undefined) {
      throw new InputError(
        `${path}[${j}]`,
        `the budget ${shown(id)} is not among the budgets of the snapshot`,
      );
    }
    if (found.includes(budget)) {
      throw new InputError(`${path}[${j}]`, `the budget ${shown(id)} is named twice; name each once`);
    }
    found.push(budget);
  });
  return found.sort((a, b) => a - b);
}
