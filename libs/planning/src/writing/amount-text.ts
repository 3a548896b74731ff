import { amountText } from '#contracts';

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
