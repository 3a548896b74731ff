import { configurationLimits } from '@curtail/contracts';

/** Line and column count from 1; both are absent where the input had no text. */
export interface Place {
  line?: number;
  column?: number;
  /** Where a configuration stands in several files: which one, if it is not the first. */
  file?: string;
}

export interface ConfigurationError extends Place {
  /** The field, such as `partitions[0].queues[1].resorces`; empty for the document itself. */
  path: string;
  /** What is wrong and what would be right. */
  message: string;
}

export type WarningCode =
  | 'delay-bare-number'
  | 'delay-unusual'
  | 'unknown-resource-type'
  | 'unknown-key'
  | 'without-effect'
  | 'preemption-by-default'
  | 'cluster-size-unknown'
  | 'enforcement-ends'
  | 'ignored-attribute'
  | 'guarantee-above-limit'
  | 'aggressive-at-once';

export interface ConfigurationWarning extends ConfigurationError {
  code: WarningCode;
}

/** Collects everything that is wrong, so that one look at a configuration finds it all. */
export class Problems {
  readonly #errors: ConfigurationError[] = [];
  readonly #warnings: ConfigurationWarning[] = [];
  #unlisted = 0;

  get any(): boolean {
    return this.#errors.length > 0;
  }

  /** How many errors there are, also those that are not listed. */
  get count(): number {
    return this.#errors.length + this.#unlisted;
  }

  /** Whatever comes now is counted, not listed. */
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

  warning(code: WarningCode, path: string, message: string, place: Place): void {
    if (this.#warnings.length < configurationLimits.problems) {
      this.#warnings.push({ path, message, ...placeOf(place), code });
    }
  }

  /** In the order of the text. */
  errors(): ConfigurationError[] {
    const listed = this.#errors.toSorted(byPlace);
    if (this.#unlisted > 0) {
      listed.push({ path: '', message: `${this.#unlisted} more errors are not listed; mend these first` });
    }
    return listed;
  }

  warnings(): ConfigurationWarning[] {
    return this.#warnings.toSorted(byPlace);
  }
}

function placeOf({ line, column, file }: Place): Place {
  return { ...(line === undefined ? {} : { line, column }), ...(file === undefined ? {} : { file }) };
}

function byPlace(a: Place, b: Place): number {
  if (a.file !== b.file) return (a.file ?? '') < (b.file ?? '') ? -1 : 1;
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}
