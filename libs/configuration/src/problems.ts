import { configurationLimits, isOnByDefault, type Subject } from '#contracts';
import type { ConfigurationError, ConfigurationWarning, Place, WarningCode } from '#contracts/api';

/** Collects all problems, so that one check of a configuration finds them all. */
export class Problems {
  readonly #errors: ConfigurationError[] = [];
  readonly #warnings: Omit<ConfigurationWarning, 'about'>[] = [];
  #unlisted = 0;
  /** Unknown keys among the errors, without those that are nearly a known key. */
  unknownKeys = 0;

  /** Some key has two values: what depends on several values is not to be checked. */
  hasAmbiguousKeys = false;

  constructor(private readonly options: { allowUnknown?: boolean | undefined } = {}) {}

  get any(): boolean {
    return this.#errors.length > 0;
  }

  /** Number of errors, including unlisted ones. */
  get count(): number {
    return this.#errors.length + this.#unlisted;
  }

  /** Further problems are counted, not listed. */
  get full(): boolean {
    return this.#errors.length >= configurationLimits.problems;
  }

  error(path: string, message: string, place: Place): void {
    if (!this.full) {
      this.#errors.push({ path, message, ...placeOf(place) });
    } else {
      this.#unlisted++;
    }
  }

  /** A key that the scheduler may know and Curtail does not: an error, unless unknown keys are allowed. */
  unknownKey(path: string, message: string, place: Place): void {
    if (this.options.allowUnknown) {
      this.warning('unknown-key', path, 'unknown key, which has no effect here', place);
      return;
    }
    this.unknownKeys++;
    this.error(path, message, place);
  }

  warning(code: WarningCode, path: string, message: string, place: Place): void {
    if (this.#warnings.length < configurationLimits.problems) {
      this.#warnings.push({ path, message, ...placeOf(place), code });
    }
  }

  /** The warnings, in the order in which they were found. */
  found(): readonly Omit<ConfigurationWarning, 'about'>[] {
    return this.#warnings;
  }

  /** In the order of the text. */
  errors(): ConfigurationError[] {
    const listed = this.#errors.toSorted(byPlace);
    if (this.#unlisted > 0) {
      listed.push({ path: '', message: `${this.#unlisted} more errors are not listed; correct these first` });
    }
    return listed;
  }

  /** What is on by a default of Curtail's comes first; of a configuration with errors, nothing is. @param subjectOf the subject of a field. */
  warnings(subjectOf: (path: string) => Subject): ConfigurationWarning[] {
    return this.#warnings
      .filter((warning) => !this.any || !isOnByDefault(warning))
      .toSorted((a, b) => Number(isOnByDefault(b)) - Number(isOnByDefault(a)) || byPlace(a, b))
      .map((warning) => ({ ...warning, about: subjectOf(warning.path) }));
  }
}

function placeOf({ line, column, file }: Place): Place {
  return { ...(line === undefined ? {} : { line, column }), ...(file === undefined ? {} : { file }) };
}

function byPlace(a: Place, b: Place): number {
  if (a.file !== b.file) return (a.file ?? '') < (b.file ?? '') ? -1 : 1;
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}
