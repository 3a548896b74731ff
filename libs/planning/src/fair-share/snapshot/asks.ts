import { arrayAt, isAbsent, objectAt } from '../../fields.js';
import { amountError, isAmount, readAmounts } from '../../snapshot/amounts.js';
import type { TypeNames } from '../../snapshot/type-names.js';
import { AmountsRead } from './amounts-read.js';
import type { AskColumns } from './columns.js';
import { type LabelSet, labelsAt } from './labels.js';

/** Pending entries as they are read; `size` has a row for each kind. */
export class AsksRead {
  readonly operation: number[] = [];
  readonly place: number[] = [];
  readonly waiting: number[] = [];
  readonly kind: number[] = [];
  readonly labels: (readonly LabelSet[])[] = [];
  readonly size: AmountsRead;
  private readonly kinds = new Map<string, number>();

  constructor(readonly types: TypeNames) {
    this.size = AmountsRead.of(types, true);
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
      size: this.size.table(this.labels.length, finalNumber, 0),
      labels: this.labels,
    };
  }
}

/** Reads `pending` of an application; an entry that asks for nothing is left out. */
export function readPending(
  input: unknown,
  path: string,
  operation: number,
  filter: LabelSet,
  asks: AsksRead,
): void {
  if (isAbsent(input)) return;
  arrayAt(input, path).forEach((value, place) => {
    const at = `${path}[${place}]`;
    const entry = objectAt(value, at);
    const count = isAbsent(entry.count) ? 1 : entry.count;
    if (!isAmount(count)) throw amountError(`${at}.count`, count);
    const amounts: [number, number][] = [];
    if (!isAbsent(entry.resources)) {
      readAmounts(entry.resources, `${at}.resources`, (type, amount) => {
        const number = asks.types.metInUse(type);
        if (amount > 0) amounts.push([number, amount]);
      });
    }
    const selector = labelsAt(entry.nodeSelector, `${at}.nodeSelector`);
    if (amounts.length === 0 || count === 0) return;
    amounts.sort(([a], [b]) => a - b);
    asks.operation.push(operation);
    asks.place.push(place);
    asks.waiting.push(count);
    asks.kind.push(asks.kindOf(amounts, [selector, filter]));
  });
}
