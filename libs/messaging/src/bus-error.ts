import { CodedError } from '#contracts';

/** A failure of the bus; `code` names its kind. */
export class BusError extends CodedError {}
