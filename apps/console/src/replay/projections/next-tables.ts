import type { DataSource } from 'typeorm';
import type { Tx } from '#event-store';
import { liveTables, type ReadModelTables } from '../../read-model/statements.js';

/** A separate schema, so that tables, indexes and sequences keep their names when moved. */
const schema = 'curtail_replay';

export const nextTables: ReadModelTables = {
  enforcements: `${schema}.${liveTables.enforcements}`,
  victims: `${schema}.${liveTables.victims}`,
  notices: `${schema}.${liveTables.notices}`,
};

/** In the order in which the consumer writes to them: locking them in another order deadlocks. */
const names = [liveTables.notices, liveTables.enforcements, liveTables.victims];

/** Empty tables with the current columns, keys, identities and storage parameters of the live ones. Indexes follow when they are full. */
export async function createNextTables(tx: Tx): Promise<void> {
  await tx.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await tx.query(`CREATE SCHEMA ${schema}`);
  for (const name of names) {
    await tx.query(`CREATE TABLE ${schema}.${name} (LIKE ${name} INCLUDING ALL EXCLUDING INDEXES)`);
    const keys = await tx.query<{ statement: string }[]>(
      `SELECT format('ALTER TABLE ${schema}.${name} ADD CONSTRAINT %I %s', conname, pg_get_constraintdef(oid)) AS statement
       FROM pg_constraint WHERE conrelid = $1::regclass AND contype IN ('p', 'u')`,
      [name],
    );
    const storage = await tx.query<{ statement: string }[]>(
      `SELECT format('ALTER TABLE ${schema}.${name} SET (%s)', array_to_string(reloptions, ', ')) AS statement
       FROM pg_class WHERE oid = $1::regclass AND reloptions IS NOT NULL`,
      [name],
    );
    await runAll(tx, [...keys, ...storage]);
  }
}

/** Whether unfinished tables can be continued. Those of another version of the live tables cannot: they start over. */
export async function nextTablesFit(db: Tx | DataSource): Promise<boolean> {
  const rows = await db.query<{ live: string; next: string | null }[]>(
    `SELECT (SELECT string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ',' ORDER BY a.attnum)
             FROM pg_attribute a WHERE a.attrelid = name::regclass AND a.attnum > 0 AND NOT a.attisdropped) AS live,
            (SELECT string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ',' ORDER BY a.attnum)
             FROM pg_attribute a WHERE a.attrelid = to_regclass('${schema}.' || name) AND a.attnum > 0
               AND NOT a.attisdropped) AS next
     FROM unnest($1::text[]) AS name`,
    [names],
  );
  return rows.every(({ live, next }) => live === next);
}

/** Adds the indexes of the live tables to the full ones, and updates the database's statistics. */
export async function indexNextTables(tx: Tx): Promise<void> {
  for (const name of names) {
    const indexes = await tx.query<{ definition: string }[]>(
      `SELECT pg_get_indexdef(indexrelid) AS definition FROM pg_index
       WHERE indrelid = $1::regclass AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`,
      [name],
    );
    for (const { definition } of indexes) {
      await tx.query(
        definition
          .replace(/^CREATE (UNIQUE )?INDEX /, 'CREATE $1INDEX IF NOT EXISTS ')
          .replace(` ON ${await liveSchema(tx)}.`, ` ON ${schema}.`),
      );
    }
    await tx.query(`ANALYZE ${schema}.${name}`);
  }
}

/** Number of built rows by table. */
export async function countNextRows(
  db: Tx | DataSource,
): Promise<Record<'runs' | 'victims' | 'notices', number>> {
  const rows = await db.query<Record<'runs' | 'victims' | 'notices', number>[]>(
    `SELECT (SELECT count(*)::int FROM ${nextTables.enforcements}) AS runs,
            (SELECT count(*)::int FROM ${nextTables.victims}) AS victims,
            (SELECT count(*)::int FROM ${nextTables.notices}) AS notices`,
  );
  return rows[0]!;
}

/**
 * Locks the live tables against reads and writes until the end of the transaction. Gives up rather than delay others: in total sooner
 * than PostgreSQL checks for deadlocks (after a second), since that check might abort a reader.
 */
export async function lockLiveTables(tx: Tx): Promise<void> {
  await tx.query(`SET LOCAL lock_timeout = '200ms'`);
  await tx.query(`LOCK TABLE ${names.join(', ')} IN ACCESS EXCLUSIVE MODE`);
}

/** Replaces the live tables with the built ones, under `lockLiveTables`. Grants are copied. */
export async function swapTables(tx: Tx): Promise<void> {
  const live = await liveSchema(tx);
  for (const name of names) {
    const grants = await tx.query<{ statement: string }[]>(
      `SELECT format('GRANT %s ON ${schema}.${name} TO %s', privilege_type,
                     CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END) AS statement
       FROM pg_class, aclexplode(relacl) WHERE pg_class.oid = $1::regclass AND grantee <> relowner`,
      [name],
    );
    await runAll(tx, grants);
    await tx.query(`DROP TABLE ${live}.${name}`);
    await tx.query(`ALTER TABLE ${schema}.${name} SET SCHEMA ${live}`);
  }
  await tx.query(`DROP SCHEMA ${schema}`);
}

async function liveSchema(tx: Tx): Promise<string> {
  const rows = await tx.query<{ name: string }[]>(
    `SELECT quote_ident(relnamespace::regnamespace::text) AS name FROM pg_class WHERE oid = $1::regclass`,
    [names[0]],
  );
  return rows[0]!.name;
}

async function runAll(tx: Tx, statements: { statement: string }[]): Promise<void> {
  for (const { statement } of statements) await tx.query(statement);
}

/** Whether a consumer has read up to a place; no row: it has never run. */
export const isConsumerAt = (
  db: Tx | DataSource,
  consumer: string,
  transactionId: string,
  position: string,
) =>
  db.query<{ there: boolean }[]>(
    `SELECT (transaction_id, position) >= ($2::xid8, $3::bigint) AS there FROM subscriptions WHERE name = $1`,
    [consumer, transactionId, position],
  );

/** The commit of the transaction does not wait for the disk: a crash may lose all of it. */
export const commitUnsynced = (db: Tx | DataSource) =>
  db.query<unknown>('SET LOCAL synchronous_commit = off');
