import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';
import { COVERS, covers } from './queue-path.js';

let db: DataSource;
withMigratedDatabase((opened) => {
  db = opened;
});

/** Names that are alike: prefixes of each other, and with characters that patterns of SQL would read. */
const name = fc.constantFrom('a', 'ab', 'a_', 'a%', 'b', 'a-b', '\\', 'é');
const path = fc.array(name, { maxLength: 4 }).map((names) => ['root', ...names].join('.'));

it('says the same in TypeScript and in SQL', async () => {
  const place = fc.option(path, { freq: 10 });
  const near = fc
    .tuple(path, path)
    .map(([queue, below]) => [queue, queue + below.slice('root'.length)] as const);
  const pairs = fc.sample(fc.oneof(fc.tuple(place, path), near), { numRuns: 5000, seed: 37 });
  const rows = await db.query<{ covered: boolean }[]>(
    `SELECT ${COVERS('place', 'queue')} AS covered
     FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS pair (place, queue, nr) ORDER BY nr`,
    [pairs.map(([place]) => place ?? ''), pairs.map(([, queue]) => queue)],
  );
  const said = pairs.map(([place, queue]) => covers(place, queue));
  expect(rows.map(({ covered }) => covered)).toEqual(said);
  expect(new Set(said)).toEqual(new Set([true, false]));
});
