import { CodedError } from '#contracts';

/** A failure of an agent; `code` names its kind. */
export class AgentError extends CodedError {}
