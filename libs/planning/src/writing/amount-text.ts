import { amountText } from '@curtail/contracts';

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
    const parts = types
      .map((type, i) => (amounts[i]! > 0 ? this.of(type, amounts[i]!) : ''))
      .filter((part) => part);
    if (parts.length === 0) return 'nothing';
    if (parts.length === 1) return parts[0]!;
    return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
  }
}
