/** Base of the errors that Curtail defines. `code` names the kind, such as `stream-conflict`: programs go by it, not by the message. */
export abstract class CurtailError extends Error {
  abstract readonly code: string;

  constructor(message?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
