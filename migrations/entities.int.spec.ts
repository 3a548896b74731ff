import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { type DataSource, type EntityMetadata, getMetadataArgsStorage } from 'typeorm';
import { withMigratedDatabase } from '../test/support/migrated-database.js';

/** A column as both the schema and an entity have it. */
interface Column {
  name: string;
  type: string;
  nullable: boolean;
  /** Without quotes and casts; null: none. */
  default: string | null;
  /** null: that of the database. */
  collation: string | null;
  /** Its place in the primary key, from 1; null: it is no part of it. */
  key: number | null;
}

const search = ['grep', '-l', '--untracked', '@Entity(', '--', 'apps/*.ts', 'libs/*.ts'];
const files = execFileSync('git', search, { encoding: 'utf8' }).trim().split('\n');

let db: DataSource;
beforeAll(async () => {
  for (const file of files) await import(resolve(file));
});
withMigratedDatabase((opened) => {
  db = opened;
});

it('each entity has exactly the columns of its table', async () => {
  const entities = [...db.entityMetadatas].sort((a, b) => (a.tableName < b.tableName ? -1 : 1));
  expect(entities).toHaveLength(getMetadataArgsStorage().tables.length);
  const declared = Object.fromEntries(entities.map((entity) => [entity.tableName, columnsOf(entity)]));
  const migrated = Object.fromEntries(
    await Promise.all(
      entities.map(async ({ tableName }) => [tableName, await migratedColumns(tableName)] as const),
    ),
  );
  expect(declared).toEqual(migrated);
});

it('no two entities have the same table', () => {
  // The entities of a data source are also those that other suites of the same worker have loaded.
  const tables = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/@Entity\('(\w+)'/g)].map(([, table]) => table),
  );
  expect(new Set(tables)).toEqual(new Set(db.entityMetadatas.map(({ tableName }) => tableName)));
  expect(tables).toHaveLength(new Set(tables).size);
});

function columnsOf(entity: EntityMetadata): Column[] {
  return entity.columns
    .map((column) => ({
      name: column.databaseName,
      type: fullType(db.driver.normalizeType(column), column.precision),
      nullable: column.isNullable,
      default: writtenDefault(column.default),
      collation: column.collation ?? null,
      key: column.isPrimary ? entity.primaryColumns.indexOf(column) + 1 : null,
    }))
    .sort(byName);
}

const byName = (a: Column, b: Column) => (a.name < b.name ? -1 : 1);

const fullType = (type: string, precision: number | null | undefined) =>
  precision === null || precision === undefined ? type : type.replace('timestamp', `timestamp(${precision})`);

function writtenDefault(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'function') return value();
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

async function migratedColumns(table: string): Promise<Column[]> {
  const columns = await db.query<Column[]>(
    `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, NOT a.attnotnull AS nullable,
            regexp_replace(pg_get_expr(d.adbin, d.adrelid), $re$^'(.*)'::[^']+$$re$, '\\1') AS default,
            CASE WHEN a.attcollation <> t.typcollation THEN c.collname END AS collation,
            array_position(i.indkey::int2[], a.attnum) + 1 AS key
     FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
       LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
       LEFT JOIN pg_collation c ON c.oid = a.attcollation
       LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
     WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped`,
    [table],
  );
  return columns.sort(byName);
}
