export {
  type DatabaseRefusal,
  databaseAway,
  databaseRefusal,
  databaseUnusable,
  ranOutOfTime,
  refusalInLog,
} from './database-errors.js';
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './embedded-postgres.js';
export { PostgresStartError } from './postgres-start-error.js';
export type { ServerEnd } from './server-process.js';
