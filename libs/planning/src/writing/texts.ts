import { amountText, type Notice, type Resources } from '#contracts';

/** Amounts as people read them: `30 GB memory`, `1.5 vcore`, `2 nvidia.com/gpu`. The same amounts come often. */
export class AmountTexts {
  private readonly known = new Map<string, Map<number, string>>();

  of(type: string, amount: number): string {
    let texts = this.known.get(type);
    if (texts === undefined) {
      texts = new Map();
      this.known.set(type, texts);
    }
    let text = texts.get(amount);
    if (text === undefined) {
      text = amountText(type, amount);
      texts.set(amount, text);
    }
    return text;
  }

  /** Several types in one phrase, zeros left out; `nothing` if nothing is left. */
  list(types: readonly string[], amounts: ArrayLike<number>): string {
    let listed = '';
    let last = '';
    for (let i = 0; i < types.length; i++) {
      if (!(amounts[i]! > 0)) continue;
      if (last !== '') listed += listed === '' ? last : `, ${last}`;
      last = this.of(types[i]!, amounts[i]!);
    }
    if (last === '') return 'nothing';
    return listed === '' ? last : `${listed} and ${last}`;
  }
}

const firstInstant = Date.parse('0000-01-01T00:00:00.000Z');
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * A time in milliseconds since 1970 as plans and notices write it. It is kept inside the years that such a text can name: a
 * setting may be so long that no calendar has its end.
 */
export function instantText(instant: number): string {
  return new Date(Math.min(Math.max(instant, firstInstant), lastInstant)).toISOString();
}

/** Amounts as an object, zeros left out. `names` are in UTF-16 order, and so are its keys. */
export function resourcesOf(names: readonly string[], amountOf: (place: number) => number): Resources {
  const resources: { [type: string]: number } = {};
  for (let place = 0; place < names.length; place++) {
    const amount = amountOf(place);
    if (amount > 0) setAmount(resources, names[place]!, amount);
  }
  return resources;
}

/** A type may have any name, also `__proto__`, which an assignment would not store. */
export function setAmount(resources: { [type: string]: number }, name: string, amount: number): void {
  if (name !== '__proto__') resources[name] = amount;
  else
    Object.defineProperty(resources, name, {
      value: amount,
      enumerable: true,
      writable: true,
      configurable: true,
    });
}

/** Kept for later plans: 100,000 texts take about 4 MB. */
const MOST_KEPT = 100_000;

const kept: string[] = [];

/** How the reason of a victim of this number in the order of its leaf begins. Every plan has the same ones. */
export function numberText(number: number): string {
  if (number >= MOST_KEPT) return `Number ${number}`;
  for (let next = kept.length; next <= number; next++) kept.push(`Number ${next}`);
  return kept[number]!;
}

/** By code, then message; with their keys in one order, for plans are compared byte for byte. */
export function sortNotices(notices: readonly Notice[]): Notice[] {
  return notices
    .map(({ code, message, about }) => ({ code, message, about }))
    .sort((a, b) => {
      if (a.code !== b.code) return a.code < b.code ? -1 : 1;
      return a.message < b.message ? -1 : a.message > b.message ? 1 : 0;
    });
}
