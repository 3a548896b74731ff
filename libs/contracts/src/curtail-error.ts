/** Base of the errors that Curtail defines. `code` names the kind, such as `stream-conflict`: programs go by it, not by the message. */
export abstract class CurtailError extends Error {
  abstract readonly code: string;

  constructor(message?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Base of errors of one subject that have several codes. */
export abstract class CodedError extends CurtailError {
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A rule that the program itself has to keep is broken: a defect of Curtail, and nothing that a user could mend. */
export class BrokenInvariant extends CurtailError {
  readonly code = 'broken-invariant';
}
