import { CodedError } from '#contracts';

/** A manager of YARN gave no usable answer; `code` names what came. */
export class YarnError extends CodedError {
  /** @param status of HTTP, if there was an answer. */
  constructor(
    code: string,
    message: string,
    readonly status?: number,
    options?: ErrorOptions,
  ) {
    super(code, message, options);
  }
}
