import { CodedError } from '@curtail/contracts';

/** A failure of an agent; `code` names its kind. */
export class AgentError extends CodedError {}
