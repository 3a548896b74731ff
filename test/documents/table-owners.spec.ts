import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from '@jest/globals';

/** Whose each table is: all SQL that writes it stands there. Triggers of migrations write sums and heads of streams beside that. */
const owners = {
  'libs/event-store': [
    ...['events', 'events_rest', 'event_ids', 'stream_heads', 'log_partitions', 'log_epoch'],
    ...['snapshots', 'snapshot_chunks', 'log_chain', 'log_blocks'],
  ],
  'libs/messaging': [...['subscriptions', 'inbox', 'attempts', 'dead_letters', 'relays', 'applied_offsets']],
  'libs/holds': ['kill_switches', 'partition_modes', 'freezes', 'configuration_decisions'],
  'libs/runs': [
    ...['clocks', 'runs', 'planned_victims', 'recent_victims', 'eviction_rates'],
    'service_limits',
  ],
  'libs/rounds': [
    ...['rounds', 'victim_notes', 'exempt_work', 'preempted_applications', 'preemptive_nodes'],
    ...['starvation_clocks', 'starvation_observations', 'fair_share_views', 'departures'],
  ],
  'libs/timers': ['timers'],
  'libs/clusters': [
    ...['inventory_partitions', 'inventory_nodes', 'inventory_applications', 'inventory_allocations'],
    ...['inventory_budgets', 'simulated_budgets'],
    ...['inventory_listings', 'inventory_pages', 'inventory_clocks', 'inventory_evictions', 'feeds'],
    ...['simulated_nodes', 'simulated_applications', 'simulated_allocations', 'simulated_evictions'],
    ...['simulated_announcements', 'simulated_nominations'],
  ],
  'apps/config-ingest': [
    ...['partitions', 'queues', 'quota_changes', 'configurations', 'configuration_texts'],
  ],
  'apps/planner': ['foresights', 'foreseen_owners'],
  'apps/console': [
    ...['read_runs', 'read_victims', 'read_victims_missing', 'read_notices'],
    ...['replays'],
    ...['setting_overrides', 'webhook_conditions', 'webhook_messages'],
    ...['owner_answers', 'revoked_links'],
  ],
};
const ownerOf = new Map(Object.entries(owners).flatMap(([owner, of]) => of.map((table) => [table, owner])));
const tables = [...ownerOf.keys()];

/** Deletes from the table that it is given: its caller writes that table. */
const deleteOldest = 'libs/event-store/src/database-statements.ts';

const name = String.raw`([\w.$\{\}]+)`;
const writes = [
  new RegExp(String.raw`\b(?:INSERT INTO|DELETE FROM|MERGE INTO|TRUNCATE(?: TABLE)?|COPY)\s+${name}`, 'g'),
  new RegExp(String.raw`\bUPDATE\s+(?:ONLY\s+)?${name}(?:\s+(?:AS\s+)?\w+)?\s+SET\b`, 'g'),
  /\bdeleteOldest\(\s*\w+,\s*'(\w+)'/g,
];

/** Through an entity: by a repository or the manager of a transaction, or by a query builder. */
const entityWrites = [
  /\bgetRepository\((\w+)\)\s*\.(?:insert|upsert|update|delete|save|remove|increment|decrement|clear)\(/g,
  /\.(?:insert|upsert|update|delete|increment|decrement|into)\(\s*([A-Z]\w+)\b/g,
  /\.delete\(\)\s*\.from\(\s*([A-Z]\w+)\b/g,
];

interface Write {
  file: string;
  table: string;
}
let found: Write[];
/** The entities that stand outside of the owner of their table. */
let strayEntities: string[];

beforeAll(async () => {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '--', 'apps/*.ts', 'libs/*.ts']);
  const files = stdout
    .split('\n')
    .filter((file) => file.endsWith('.ts') && !/\.spec\.ts$|\/(testing|test)\//.test(file));
  const texts = new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')] as const)),
  );
  const entities = [...texts].flatMap(([file, text]) =>
    [...text.matchAll(/@Entity\('(\w+)'\)\s*(?:export )?class (\w+)/g)].map(([, table, entity]) => ({
      file,
      table: table!,
      entity: entity!,
    })),
  );
  strayEntities = entities
    .filter(({ file, table }) => !file.startsWith(`${ownerOf.get(table)}/`))
    .map(({ file, table }) => `${file} maps ${table} of ${ownerOf.get(table) ?? 'no one'}`);
  const tableOf = new Map(entities.map(({ entity, table }) => [entity, table]));
  const throughEntities = [...texts].flatMap(([file, text]) =>
    entityWrites
      .flatMap((pattern) => [...text.matchAll(pattern)].map(([, entity]) => tableOf.get(entity!)))
      .flatMap((table) => (table === undefined ? [] : [{ file, table }])),
  );
  const bySql = [...texts].flatMap(([file, text]) =>
    writes
      .flatMap((pattern) => [...text.matchAll(pattern)].map(([, written]) => written!))
      .flatMap((written) => tablesOf(written, file, texts))
      .map((table) => ({ file, table })),
  );
  found = [...throughEntities, ...bySql];
});

/** The tables that SQL writes under a name, which may be filled in: `inventory_${table}` is each that begins so. */
function tablesOf(written: string, file: string, texts: ReadonlyMap<string, string>): string[] {
  const [prefix = ''] = written.split('${');
  if (prefix === written) return [written];
  if (prefix !== '') return tables.filter((table) => table.startsWith(prefix));
  if (file === deleteOldest) return [];
  // It gets the name, in its own file or else by one beside it.
  const beside = [...texts].filter(([other]) => dirname(other) === dirname(file)).map(([, text]) => text);
  const named = [[texts.get(file)!], beside]
    .map((tellers) => tables.filter((table) => tellers.some((text) => text.includes(`'${table}'`))))
    .find((some) => some.length > 0);
  return named ?? [written];
}

it('a table is written by its owner only', () => {
  const strangers = found
    .filter(({ file, table }) => !file.startsWith(`${ownerOf.get(table)}/`))
    .map(({ file, table }) => `${file} writes ${table} of ${ownerOf.get(table) ?? 'no one'}`);
  expect([...new Set(strangers)].sort()).toEqual([]);
});

it('an entity stands with the owner of its table', () => {
  expect(strayEntities).toEqual([]);
});

it('an owner writes each of its tables', () => {
  const written = new Set(found.map(({ table }) => table));
  expect(tables.filter((table) => !written.has(table))).toEqual([]);
});
