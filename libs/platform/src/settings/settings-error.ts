import { CurtailError } from '#contracts';
import { redactText } from '../logging/create-logger.js';

export interface SettingProblem {
  variable: string;
  /** The error, as the rest of a sentence that begins with the variable. */
  wrong: string;
  /** The remedy. */
  remedy: string;
}

/** The settings cannot be used; the message lists all errors, one line per variable, and holds no secret. */
export class SettingsError extends CurtailError {
  readonly code = 'settings-unusable';

  /** The error of each, in the order of `problems`. */
  readonly list: readonly string[];
  readonly sentence: string;

  constructor(readonly problems: readonly SettingProblem[]) {
    const count = problems.length === 1 ? 'One setting is' : `${problems.length} settings are`;
    const sentence = `${count} missing or wrong`;
    const list = problems.map(({ variable, wrong, remedy }) => redactText(`${variable} ${wrong}: ${remedy}`));
    super([`${sentence}:`, ...list.map((line) => `  ${line}`)].join('\n'));
    this.sentence = sentence;
    this.list = list;
  }
}
