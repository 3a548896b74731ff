import { randomBytes } from 'node:crypto';
import { query } from './query.js';

/** A database that one suite has to itself. */
export interface TestDatabase {
  url: string;
  /** Cuts all connections. */
  drop(): Promise<void>;
}

/** Makes an empty database in the server of this worker: some 25 ms. For the lane int only. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return copyDatabase('template1');
}

/** Makes a database with all migrations applied, as quickly: a copy of the one that global-setup.mjs migrated. */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  return copyDatabase('curtail_migrated');
}

async function copyDatabase(template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await query(serverUrl(), `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = new URL(serverUrl());
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => drop(name) };
}

async function drop(name: string): Promise<void> {
  await query(serverUrl(), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

/** The PostgreSQL of this worker. */
export function serverUrl(): string {
  const urls = process.env.CURTAIL_TEST_DATABASE_URLS?.split(',') ?? [];
  const url = urls[Number(process.env.JEST_WORKER_ID ?? 1) - 1];
  if (url) return url;
  throw new Error('No test server: name the file *.int.spec.ts and run it with `npm run test:one`.');
}
