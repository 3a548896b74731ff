export { databaseAway, ranOutOfTime, sqlStateOf } from './database-errors.js';
export { type DatabaseRefusal, databaseRefusal, refusalInLog } from './database-refusal.js';
export {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './embedded-postgres.js';
export { PostgresStartError } from './postgres-start-error.js';
export type { ServerEnd } from './server-process.js';
