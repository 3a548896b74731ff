import { randomBytes } from 'node:crypto';
import { query } from './query.js';

/** A database that one suite has to itself. */
export interface TestDatabase {
  url: string;
  /** Cuts whoever is still connected. */
  drop(): Promise<void>;
}

/** Makes a database with all tables, and nothing in them: some 30 ms. For the lane int only. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createFrom(templateOf(serverUrl()));
}

/** Makes a database without any tables, for tests of what makes them. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createFrom('template1');
}

async function createFrom(template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await query(serverUrl('postgres'), `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return { url: serverUrl(name), drop: () => drop(name) };
}

async function drop(name: string): Promise<void> {
  await query(serverUrl('postgres'), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

/** The database that the global setup made the tables in. Nobody may stay connected to it: it is copied. */
function templateOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

function serverUrl(database?: string): string {
  const given = process.env.CURTAIL_TEST_DATABASE_URL;
  if (!given)
    throw new Error('No test server: name the file *.int.spec.ts and run it with CURTAIL_TEST_LANE=int.');
  const url = new URL(given);
  if (database) url.pathname = `/${database}`;
  return url.href;
}
