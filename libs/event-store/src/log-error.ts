import { CodedError } from '#contracts';

/** The log cannot be worked on as asked; `code` names why. */
export class LogError extends CodedError {}
