import { AmountList, tableOf } from '../../snapshot/amounts.js';
import type { PendingColumns } from '../../snapshot/columns.js';
import type { TypeNames } from '../../snapshot/type-names.js';
import type { AskColumns } from './columns.js';
import { type LabelSet, labelsAt } from './labels.js';

/** Pending entries as they are read; `size` has a row for each kind. */
export class AsksRead {
  readonly operation: number[] = [];
  readonly place: number[] = [];
  readonly waiting: number[] = [];
  readonly kind: number[] = [];
  readonly labels: (readonly LabelSet[])[] = [];
  readonly size: AmountList;
  private readonly kinds = new Map<string, number>();

  constructor(types: TypeNames) {
    this.size = AmountList.of(types, true);
  }

  /** The number of the kind with these amounts, by preliminary number of their type, on nodes with these labels. */
  kindOf(amounts: readonly (readonly [type: number, amount: number])[], labels: readonly LabelSet[]): number {
    const key = JSON.stringify([amounts, labels]);
    const known = this.kinds.get(key);
    if (known !== undefined) return known;
    const kind = this.labels.push(labels) - 1;
    this.kinds.set(key, kind);
    for (const [type, amount] of amounts) this.size.add(kind, type, amount);
    return kind;
  }

  columns(finalNumber: Int32Array): AskColumns {
    return {
      count: this.kind.length,
      operation: Int32Array.from(this.operation),
      place: Int32Array.from(this.place),
      waiting: Float64Array.from(this.waiting),
      kind: Int32Array.from(this.kind),
      kindCount: this.labels.length,
      size: tableOf(this.size.columns(finalNumber), this.labels.length, finalNumber.length, 0),
      labels: this.labels,
    };
  }
}

/** Reads what the application at this place of the input waits for; an entry that asks for nothing is left out. */
export function readPending(
  { first, count, firstEntry, entryType, entryAmount, nodeSelector }: PendingColumns,
  application: number,
  operation: number,
  filter: LabelSet,
  asks: AsksRead,
): void {
  for (let r = first[application]!; r < first[application + 1]!; r++) {
    const place = r - first[application]!;
    const amounts: [number, number][] = [];
    for (let e = firstEntry[r]!; e < firstEntry[r + 1]!; e++) {
      if (entryAmount[e]! > 0) amounts.push([entryType[e]!, entryAmount[e]!]);
    }
    const selector = labelsAt(nodeSelector[r], `applications[${application}].pending[${place}].nodeSelector`);
    if (amounts.length === 0 || count[r] === 0) continue;
    amounts.sort(([a], [b]) => a - b);
    asks.operation.push(operation);
    asks.place.push(place);
    asks.waiting.push(count[r]!);
    asks.kind.push(asks.kindOf(amounts, [selector, filter]));
  }
}
