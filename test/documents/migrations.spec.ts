import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

/**
 * In the comment of a migration that may do what the rules forbid, with the reason: it takes away what the release before does not use
 * any more, or what it does leaves that release what it needs.
 */
const excused = /(Contract step|Beside the release before): \S+/;

const folder = new URL('../../migrations/', import.meta.url);
const files = readdirSync(folder).filter((name) => /^\d+-.*\.ts$/.test(name));

interface Rule {
  what: string;
  /** Group 1: the table, if there is one. */
  pattern: RegExp;
}
const table = String.raw`(?:IF EXISTS\s+)?(?:ONLY\s+)?([\w.]+)`;
const rules: Rule[] = [
  {
    what: 'CREATE INDEX blocks all who write: createIndexConcurrently, and transaction = false',
    pattern: /CREATE\s+(?:UNIQUE\s+)?INDEX\s+(?!CONCURRENTLY)(?:[\w.]+\s+)?ON\s+(?:ONLY\s+)?([\w.]+)/gi,
  },
  {
    what: 'SET NOT NULL reads the whole table under a lock: a CHECK that is NOT VALID, validated by a later migration',
    pattern: new RegExp(
      String.raw`ALTER\s+TABLE\s+${table}[^;]*?ALTER\s+COLUMN\s+\w+\s+SET\s+NOT\s+NULL`,
      'gi',
    ),
  },
  {
    what: 'a constraint reads the whole table under a lock: add it NOT VALID, and validate it in a later migration',
    pattern: new RegExp(
      String.raw`ALTER\s+TABLE\s+${table}(?:(?!NOT\s+VALID)[^;])*?\bADD\s+(?:CONSTRAINT|PRIMARY|UNIQUE|FOREIGN|CHECK|EXCLUDE)\b(?![^;]*NOT\s+VALID)`,
      'gi',
    ),
  },
  {
    what: 'a column without a default that may not be null fails under what the release before writes',
    pattern: new RegExp(
      String.raw`ALTER\s+TABLE\s+${table}[^;]*?ADD\s+COLUMN\s+(?:(?!DEFAULT)[^;,])*NOT\s+NULL(?![^;,]*DEFAULT)`,
      'gi',
    ),
  },
  {
    what: 'the release before still uses the column: take it away a release later, in a contract step',
    pattern: new RegExp(String.raw`ALTER\s+TABLE\s+${table}[^;]*?DROP\s+(?:COLUMN|CONSTRAINT)`, 'gi'),
  },
  {
    what: 'the release before still uses the old name: add the new one, and take the old one away in a contract step',
    pattern: new RegExp(String.raw`ALTER\s+TABLE\s+${table}[^;]*?RENAME`, 'gi'),
  },
  {
    what: 'another type rewrites the whole table under a lock: add a column, and fill it in steps',
    pattern: new RegExp(
      String.raw`ALTER\s+TABLE\s+${table}[^;]*?ALTER\s+COLUMN\s+\w+\s+(?:SET\s+DATA\s+)?TYPE`,
      'gi',
    ),
  },
  {
    what: 'the release before still uses the table',
    pattern: /DROP\s+TABLE\s+(?:IF\s+EXISTS\s+)?([\w.]+)/gi,
  },
];

/** Steps of a migration on its way up that must not be done beside services of the release before. */
function offences(source: string): string[] {
  if (excused.test(source)) return [];
  const from = source.indexOf('async up(');
  const to = source.indexOf('async down(');
  const up = to > from ? source.slice(from, to) : source.slice(from);
  const statements = up.split(/\.query\(/).flatMap((text) => text.split(';'));
  const created = new Set(
    [...up.matchAll(/CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?([\w.]+)/gi)].map((found) => found[1]),
  );
  return rules.flatMap(({ what, pattern }) =>
    statements.flatMap((statement) =>
      [...statement.matchAll(pattern)]
        .filter((found) => !created.has(found[1]))
        .map((found) => `${found[1]}: ${what}`),
    ),
  );
}

const migration = (...statements: string[]) => `
  async up(runner) { ${statements.map((sql) => `await runner.query(\`${sql}\`);`).join('\n')} }
  async down(runner) { await runner.query('DROP TABLE anything'); }`;

describe('migrations beside services of the release before', () => {
  it.each(files)('%s blocks no one, and takes nothing away', (name) => {
    expect(offences(readFileSync(new URL(name, folder), 'utf8'))).toEqual([]);
  });

  it.each([
    ['CREATE INDEX some ON events (key)', 'createIndexConcurrently'],
    ['CREATE UNIQUE INDEX some ON events (key)', 'createIndexConcurrently'],
    ['ALTER TABLE events ALTER COLUMN key SET NOT NULL', 'SET NOT NULL'],
    ['ALTER TABLE events ADD CONSTRAINT some CHECK (version > 0)', 'NOT VALID'],
    ['ALTER TABLE events ADD PRIMARY KEY (id)', 'NOT VALID'],
    ['ALTER TABLE events ADD COLUMN more text NOT NULL', 'without a default'],
    ['ALTER TABLE events DROP COLUMN key', 'contract step'],
    ['ALTER TABLE events RENAME COLUMN key TO name', 'contract step'],
    ['ALTER TABLE events RENAME TO log', 'contract step'],
    ['ALTER TABLE events ALTER COLUMN version TYPE bigint', 'in steps'],
    ['DROP TABLE events', 'still uses'],
  ])('would find %s', (statement, offence) => {
    expect(offences(migration(statement))).toEqual([expect.stringContaining(offence)]);
    expect(offences(`/** Contract step: nobody reads it since 0.2. */${migration(statement)}`)).toEqual([]);
  });

  it.each([
    [
      [
        'CREATE TABLE made (id int)',
        'CREATE INDEX by_id ON made (id)',
        'ALTER TABLE made ALTER COLUMN id SET NOT NULL',
      ],
    ],
    [['CREATE INDEX CONCURRENTLY some ON events (key)']],
    [['ALTER TABLE events ADD COLUMN more text']],
    [['ALTER TABLE events ADD COLUMN more int NOT NULL DEFAULT 1']],
    [['ALTER TABLE events ADD COLUMN more int DEFAULT 1 NOT NULL']],
    [['ALTER TABLE events ADD CONSTRAINT some CHECK (version > 0) NOT VALID']],
    [["ALTER TABLE events ADD CONSTRAINT some CHECK (time < '2026-12-01') NOT VALID"]],
    [['ALTER TABLE events ALTER COLUMN version SET DEFAULT 1']],
  ])('has nothing against %p', (statements) => {
    expect(offences(migration(...statements))).toEqual([]);
  });
});
