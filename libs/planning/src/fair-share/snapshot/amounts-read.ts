import { isAbsent } from '../../fields.js';
import { readAmounts } from '../../snapshot/amounts.js';
import type { TypeNames } from '../../snapshot/type-names.js';

/** Amounts by thing and type, in preliminary numbers of the types, until all types have been met. */
export class AmountsRead {
  private readonly things: number[] = [];
  private readonly types: number[] = [];
  private readonly amounts: number[] = [];

  constructor(private readonly met: (type: string) => number) {}

  static of(types: TypeNames, inUse: boolean): AmountsRead {
    return new AmountsRead((type) => (inUse ? types.metInUse(type) : types.met(type)));
  }

  /** Reads an amounts object, which may be absent; true where it names any type. */
  read(value: unknown, path: string, thing: number): boolean {
    if (isAbsent(value)) return false;
    const before = this.things.length;
    readAmounts(value, path, (type, amount) => this.add(thing, this.met(type), amount));
    return this.things.length > before;
  }

  add(thing: number, type: number, amount: number): void {
    this.things.push(thing);
    this.types.push(type);
    this.amounts.push(amount);
  }

  /** As a table with a row for each of `count` things, in the final numbers of the types. */
  table(count: number, finalNumber: Int32Array, absent: number): Float64Array {
    const width = finalNumber.length;
    const table = new Float64Array(count * width);
    if (absent !== 0) table.fill(absent);
    for (let i = 0; i < this.things.length; i++) {
      table[this.things[i]! * width + finalNumber[this.types[i]!]!] = this.amounts[i]!;
    }
    return table;
  }
}
