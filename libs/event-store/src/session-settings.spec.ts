import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { withSession } from './session-settings.js';

const optionsOf = (url: string): string =>
  (new pg.Client({ connectionString: url }) as unknown as { connectionParameters: { options: string } })
    .connectionParameters.options;

describe('the address of a database with the settings of a session', () => {
  it.each([
    'postgres://me:secret@host:5432/db',
    'postgres://me:s%20%2B%3F@host/db?sslmode=disable',
    'postgres://me@%2Fvar%2Frun/db',
  ])('leads to the same database: %s', (url) => {
    const [before, after] = [url, withSession(url)].map(
      (connectionString) => new pg.Client({ connectionString }),
    );
    const { user, password, host, port, database, ssl } = after!;
    expect({ user, password, host, port, database, ssl }).toEqual({
      ...{ user: before!.user, password: before!.password, host: before!.host },
      ...{ port: before!.port, database: before!.database, ssl: before!.ssl },
    });
    expect(optionsOf(withSession(url))).toContain('-c DateStyle=ISO,\\ MDY -c IntervalStyle=postgres');
  });

  it('goes before what the address sets, but for a schema, which only a connection with one of its own replaces', () => {
    const url = 'postgres://host/db?options=-c%20search_path%3Dcurtail%20-c%20DateStyle%3DGerman';
    const options = optionsOf(withSession(url));
    expect(options).toMatch(/^-c search_path=curtail -c DateStyle=German .*-c DateStyle=ISO/);
    expect(options.match(/search_path/g)).toHaveLength(1);
    expect(optionsOf(withSession(url, { search_path: 'bullmq,public' }))).toMatch(
      /search_path=curtail .*search_path=bullmq,public/,
    );
    expect(optionsOf(withSession('postgres://host/db'))).toContain('-c search_path=public');
  });
});
