import { CodedError } from '#contracts';

/** Redis cannot be used as it is; `code` names why. */
export class RedisError extends CodedError {}
