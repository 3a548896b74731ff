import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

interface Operation {
  operationId: string;
  responses: Record<string, unknown>;
}
const document = JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8')) as {
  info: { version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
};
const operations = Object.values(document.paths).flatMap((item) => Object.values(item));

/** A status of a problem in the sources. No one reads a 499: its client has left. */
const statusOfProblem = /\bstatus: ([45]\d\d)\b|^ {4}([45]\d\d),$/gm;
const unread = '499';

function statusesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.spec\.ts$|testing\//.test(name))
    .flatMap((name) => [...readFileSync(`${folder}/${name}`, 'utf8').matchAll(statusOfProblem)])
    .map(([, field, listed]) => (field ?? listed)!)
    .filter((status) => status !== unread);
}

describe('docs/reference/openapi.json', () => {
  it('describes each status that the services answer with', () => {
    const answered = ['apps/console/src', 'apps/config-ingest/src', 'libs/clusters/src', 'libs/platform/src'];
    const statuses = new Set(answered.flatMap(statusesOf));
    expect([...statuses]).toEqual(expect.arrayContaining(['404', '408', '410', '431', '502', '504']));
    const described = new Set(operations.flatMap(({ responses }) => Object.keys(responses)));
    expect([...statuses].filter((status) => !described.has(status))).toEqual([]);
  });

  it('leaves none to default, which generated clients would take for any other answer', () => {
    expect(operations.filter(({ responses }) => 'default' in responses)).toEqual([]);
  });

  it('gives each operation an id of its own', () => {
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    expect(document.paths['/v1/events/{id}']?.get?.operationId).toBe('getEventsById');
  });

  it('has the version of the release, and servers', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(document.info.version).toBe(version);
    const asyncApi = JSON.parse(readFileSync('docs/reference/asyncapi.json', 'utf8')) as typeof document;
    expect(asyncApi.info.version).toBe(version);
    expect(document.servers.map(({ url }) => url)).toEqual(['/', 'http://localhost:8080']);
  });

  it('and the schemas of messages have no names with dots, of which generators make nested packages', () => {
    const names = ['inbound', 'events'].flatMap((name) => {
      const { $defs } = JSON.parse(readFileSync(`docs/reference/${name}.schema.json`, 'utf8')) as {
        $defs: object;
      };
      return Object.keys($defs);
    });
    expect(names).toContain('AllocationStarted');
    expect(names.filter((name) => !/^[A-Z]\w*$/.test(name))).toEqual([]);
  });
});
