import { CurtailError } from '@curtail/contracts';
import { redactText } from '../logging/redact-text.js';

export interface SettingProblem {
  variable: string;
  /** What is wrong, as the rest of a sentence that begins with the variable. */
  wrong: string;
  /** What to do about it. */
  remedy: string;
}

/** The settings cannot be used; the message lists all that is wrong, one line a variable, and holds no secret. */
export class SettingsError extends CurtailError {
  readonly code = 'settings-unusable';

  constructor(readonly problems: readonly SettingProblem[]) {
    const count = problems.length === 1 ? 'One setting is' : `${problems.length} settings are`;
    const lines = problems.map(({ variable, wrong, remedy }) => `  ${variable} ${wrong}: ${remedy}`);
    super(redactText([`${count} missing or wrong:`, ...lines].join('\n')));
  }
}
