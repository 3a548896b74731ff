/** Of so few types the number is found faster by comparing names than in a map. */
const FEW = 8;

/** Numbers resource types as they are met; the final numbers, in UTF-16 order, are known when all have been met. */
export class TypeNames {
  private readonly numbers = new Map<string, number>();
  private readonly firstNames: string[] = [];
  private readonly inUse: number[] = [];
  readonly atZero = new Set<string>();

  get count(): number {
    return this.numbers.size;
  }

  /** The preliminary number of a type. */
  met(name: string): number {
    const { firstNames } = this;
    for (let i = 0; i < firstNames.length; i++) if (firstNames[i] === name) return i;
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    const number = this.numbers.size;
    this.numbers.set(name, number);
    if (number < FEW) firstNames.push(name);
    return number;
  }

  /** The same for a type that an allocation, a pending request or a node has. */
  metInUse(name: string): number {
    const number = this.met(name);
    this.inUse[number] = 1;
    return number;
  }

  /** Of a type that an allocation has nothing of: it needs no number for that. */
  metAtZero(name: string): void {
    this.atZero.add(name);
  }

  /** Those that were met, by their preliminary numbers. */
  soFar(): string[] {
    return [...this.numbers.keys()];
  }

  finish(): { names: string[]; finalNumber: Int32Array; typeNumber: Map<string, number>; inUse: Uint8Array } {
    const names = [...this.numbers.keys()].sort((a, b) => (a < b ? -1 : 1));
    const finalNumber = new Int32Array(names.length);
    const inUse = new Uint8Array(names.length);
    const typeNumber = new Map<string, number>();
    names.forEach((name, number) => {
      const preliminary = this.numbers.get(name)!;
      finalNumber[preliminary] = number;
      inUse[number] = this.inUse[preliminary] ?? 0;
      typeNumber.set(name, number);
    });
    return { names, finalNumber, typeNumber, inUse };
  }
}
