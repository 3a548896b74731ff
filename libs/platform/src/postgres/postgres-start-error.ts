import { CodedError, CurtailError } from '#contracts';

/** Why a server could not be started: the failure, a remedy, and the end of the server's log. */
export class PostgresStartError extends CurtailError {
  readonly code = 'postgres-not-started';
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

/** The folder of the embedded PostgreSQL cannot be used; `code` names why. */
export class DataFolderError extends CodedError {}
