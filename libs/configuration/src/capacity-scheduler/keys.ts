import { quoted } from '../field.js';
import type { Problems } from '../problems.js';
import type { Properties } from './properties.js';
import type { Property } from './property.js';
import { userWeightKeys } from './user-weights.js';

/** The properties of a configuration, each taken by whoever understands it; what nobody took is unknown. */
export class Keys {
  readonly #taken = new Set<string>();
  readonly #userWeights: ReturnType<typeof userWeightKeys>;

  constructor(
    private readonly properties: Properties,
    readonly problems: Problems,
  ) {
    this.#userWeights = userWeightKeys(properties.keys());
  }

  /** Names, in the order of the text. */
  names(): IterableIterator<string> {
    return this.properties.keys();
  }

  /** The keys with weights of users at a queue. */
  userWeights(writtenPath: string): readonly { key: string; user: string }[] {
    return this.#userWeights.get(writtenPath) ?? [];
  }

  isTaken(name: string): boolean {
    return this.#taken.has(name);
  }

  get(name: string): Property | undefined {
    return this.properties.get(name);
  }

  /** An empty value is none, as for Hadoop. Variables stand for what Hadoop would find elsewhere: they are refused. */
  take(name: string): Property | undefined {
    const property = this.properties.get(name);
    if (property === undefined) return undefined;
    this.#taken.add(name);
    if (/\$\{[^}]*\}/.test(property.value)) {
      this.problems.error(
        name,
        `${quoted(property.value)}: variables are not expanded; write the value`,
        property,
      );
      return undefined;
    }
    return property.value === '' ? undefined : property;
  }

  truth(name: string): boolean | undefined {
    const property = this.take(name);
    if (property === undefined) return undefined;
    const word = property.value.toLowerCase();
    if (word === 'true' || word === 'false') return word === 'true';
    this.problems.error(name, `write true or false, not ${quoted(property.value)}`, property);
    return undefined;
  }

  /** A plain decimal, which may be negative; whoever takes it says what range is right. */
  number(name: string): number | undefined {
    const property = this.take(name);
    if (property === undefined) return undefined;
    if (/^-?\d{1,15}(\.\d{1,12})?$/.test(property.value)) return Number(property.value);
    this.problems.error(name, `write a number such as 25 or 0.2, not ${quoted(property.value)}`, property);
    return undefined;
  }

  /** @param isRight and how to say it, for a number that is there. */
  numberThat(name: string, isRight: (number: number) => boolean, wanted: string): number | undefined {
    const number = this.number(name);
    if (number === undefined || isRight(number)) return number;
    const property = this.properties.get(name);
    this.problems.error(name, `write ${wanted}, not ${quoted(property?.value ?? '')}`, property ?? {});
    return undefined;
  }
}
