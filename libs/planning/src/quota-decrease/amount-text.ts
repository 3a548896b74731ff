const DECIMAL: [string, number][] = [
  ['PB', 1e15],
  ['TB', 1e12],
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
];
const BINARY: [string, number][] = [
  ['PiB', 2 ** 50],
  ['TiB', 2 ** 40],
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
];

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

function amountText(type: string, amount: number): string {
  if (type === 'memory') return `${bytesText(amount)} memory`;
  if (type === 'vcore') return `${amount / 1000} vcore`;
  return `${amount} ${type}`;
}

/** The unit in which the amount has at most three decimals, decimal units first; if there is none, rounded to three. */
function bytesText(bytes: number): string {
  const inUnits = (units: [string, number][]): { text: string; exact: boolean } | undefined => {
    const fitting = units.find(([, size]) => bytes >= size);
    if (fitting === undefined) return undefined;
    const [unit, size] = fitting;
    const rounded = Math.round((bytes / size) * 1000) / 1000;
    return { text: `${rounded} ${unit}`, exact: rounded * size === bytes };
  };
  const decimal = inUnits(DECIMAL);
  if (decimal === undefined) return `${bytes} B`;
  const binary = inUnits(BINARY);
  return !decimal.exact && binary?.exact ? binary.text : decimal.text;
}
