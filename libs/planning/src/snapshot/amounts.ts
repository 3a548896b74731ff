import { InputError, shown } from '#contracts';
import { type Fields, isAbsent, objectAt } from '../fields.js';
import type { AmountColumns } from './columns.js';
import type { TypeNames } from './type-names.js';

/** The format of an amount: docs/reference/snapshot.md, "Resources". */
export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && Number.isSafeInteger(value);
}

export function amountError(path: string, value: unknown): InputError {
  return new InputError(
    path,
    `must be a whole number in base units from 0 to ${Number.MAX_SAFE_INTEGER} (2^53 - 1), found ${shown(value)}`,
  );
}

/** The path of one type of an amounts object; a name that is no plain word stands in brackets. */
export function typePath(path: string, type: string): string {
  return /^[\w/-]+$/.test(type) ? `${path}.${type}` : `${path}[${JSON.stringify(type)}]`;
}

/** Calls `each` for every type of an amounts object, zeros too, after checking its amount. */
export function readAmounts(
  value: unknown,
  path: string,
  each: (type: string, amount: number) => void,
): Fields {
  const amounts = objectAt(value, path);
  for (const type of Object.keys(amounts)) {
    const amount = amounts[type];
    if (!isAmount(amount)) throw amountError(typePath(path, type), amount);
    each(type, amount);
  }
  return amounts;
}

/** Amounts by thing and type, in preliminary numbers of the types, until all types have been met. */
export class AmountList {
  readonly things: number[] = [];
  private readonly types: number[] = [];
  private readonly amounts: number[] = [];

  private constructor(private readonly met: (type: string) => number) {}

  static of(types: TypeNames, inUse: boolean): AmountList {
    return new AmountList((type) => (inUse ? types.metInUse(type) : types.met(type)));
  }

  /** Reads an amounts object, which may be absent. */
  read(value: unknown, path: string, thing: number): void {
    if (isAbsent(value)) return;
    readAmounts(value, path, (type, amount) => this.add(thing, this.met(type), amount));
  }

  add(thing: number, type: number, amount: number): void {
    this.things.push(thing);
    this.types.push(type);
    this.amounts.push(amount);
  }

  /** Adds what other things name; `numberOf` gives their numbers here. */
  addAll({ thing, type, amount }: AmountColumns, numberOf: (thing: number) => number): void {
    for (let i = 0; i < thing.length; i++) this.add(numberOf(thing[i]!), type[i]!, amount[i]!);
  }

  columns(finalNumber: Int32Array): AmountColumns {
    return {
      thing: Int32Array.from(this.things),
      type: Int32Array.from(this.types, (type) => finalNumber[type]!),
      amount: Float64Array.from(this.amounts),
    };
  }
}

/** A table with a row for each of `count` things and a column for each of `width` types. */
export function tableOf(
  { thing, type, amount }: AmountColumns,
  count: number,
  width: number,
  absent: number,
): Float64Array {
  const table = new Float64Array(count * width);
  if (absent !== 0) table.fill(absent);
  for (let i = 0; i < thing.length; i++) table[thing[i]! * width + type[i]!] = amount[i]!;
  return table;
}
