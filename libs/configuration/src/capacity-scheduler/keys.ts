import { quoted } from '../field.js';
import type { Problems } from '../problems.js';
import type { Properties } from './properties.js';
import type { Property } from './property.js';
import { userWeightKeys } from './user-weights.js';

/** The properties of a configuration; each reader takes those it understands, and the remaining ones are unknown. */
export class Keys {
  readonly #taken = new Set<string>();
  readonly #unreadable = new Set<string>();
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

  /** Keys with users' weights at a queue. */
  userWeights(writtenPath: string): readonly { key: string; user: string }[] {
    return this.#userWeights.get(writtenPath) ?? [];
  }

  isTaken(name: string): boolean {
    return this.#taken.has(name);
  }

  /**
   * Whether a key that was taken has no value that counts: it has two, a variable, or one of the wrong form. A problem says so, and what
   * its absence would mean must not become a second one.
   */
  isUnreadable(name: string): boolean {
    return this.#unreadable.has(name);
  }

  /** An error about the value of a key, which then counts as unreadable. */
  refuse(name: string, message: string): undefined {
    this.#unreadable.add(name);
    this.problems.error(name, message, this.properties.get(name) ?? {});
    return undefined;
  }

  get(name: string): Property | undefined {
    return this.properties.get(name);
  }

  /** An empty value counts as absent, as in Hadoop. Variables would be resolved by Hadoop from elsewhere: they are refused. */
  take(name: string): Property | undefined {
    const property = this.properties.get(name);
    if (property === undefined) return undefined;
    this.#taken.add(name);
    if (property.isAmbiguous) {
      this.#unreadable.add(name);
      return undefined;
    }
    if (/\$\{[^}]*\}/.test(property.value))
      return this.refuse(name, `${quoted(property.value)}: variables are not expanded; write the value`);
    return property.value === '' ? undefined : property;
  }

  truth(name: string): boolean | undefined {
    const property = this.take(name);
    if (property === undefined) return undefined;
    const word = property.value.toLowerCase();
    if (word === 'true' || word === 'false') return word === 'true';
    return this.refuse(name, `write true or false, not ${quoted(property.value)}`);
  }

  /** A plain decimal, possibly negative; the caller checks its range. */
  number(name: string): number | undefined {
    const property = this.take(name);
    if (property === undefined) return undefined;
    if (/^-?\d{1,15}(\.\d{1,12})?$/.test(property.value)) return Number(property.value);
    return this.refuse(name, `write a number such as 25 or 0.2, not ${quoted(property.value)}`);
  }

  /** @param isRight checks a present number, with the description of the expected range. */
  numberThat(name: string, isRight: (number: number) => boolean, wanted: string): number | undefined {
    const number = this.number(name);
    if (number === undefined || isRight(number)) return number;
    return this.refuse(name, `write ${wanted}, not ${quoted(this.properties.get(name)?.value ?? '')}`);
  }
}
