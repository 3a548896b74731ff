/** Why a server cannot be had or started: what happened, what would help, and the end of a log. */
export class InfraError extends Error {
  constructor(
    readonly reason: string,
    readonly remedy: string,
    readonly logTail = '',
  ) {
    super([`${reason}\n${remedy}`, logTail && `The last lines:\n${logTail}`].filter(Boolean).join('\n\n'));
    this.name = 'InfraError';
  }
}
