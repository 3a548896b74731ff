import { CodedError } from '#contracts';

/** The folder of the embedded PostgreSQL cannot be used; `code` names why. */
export class DataFolderError extends CodedError {}
