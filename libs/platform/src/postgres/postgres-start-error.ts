/** Why a server could not be started: what happened, what would help, and the end of the server's log. */
export class PostgresStartError extends Error {
  constructor(
    readonly reason: string,
    readonly remedy: string,
    readonly logTail = '',
  ) {
    super(
      [`${reason}\n${remedy}`, logTail && `The server's last lines:\n${logTail}`]
        .filter(Boolean)
        .join('\n\n'),
    );
    this.name = 'PostgresStartError';
  }
}
