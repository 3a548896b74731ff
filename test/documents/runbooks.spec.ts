import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { pageOfRunbook, runbookByCode, runbookOf, runbooks, withRunbook } from '#contracts';
import { runbookPages } from '../readme/guide-commands.js';

const index = readFileSync('docs/runbooks/README.md', 'utf8');
const statusCodes = readFileSync('docs/reference/cli.md', 'utf8');

describe('runbooks', () => {
  it('are the pages of docs/runbooks, each in their index', () => {
    const pages = runbookPages().filter((page) => !page.endsWith('README.md'));
    expect(runbooks.map(pageOfRunbook)).toEqual(pages);
    expect(runbooks.filter((name) => !index.includes(`(${name}.md)`))).toEqual([]);
  });

  it('name the codes that lead to them', () => {
    const missing = Object.entries(runbookByCode).flatMap(([code, runbook]) => {
      const [name] = code.split('/') as [string];
      return runbook && !readFileSync(pageOfRunbook(runbook), 'utf8').includes(`\`${name}\``)
        ? [`${runbook}: ${name}`]
        : [];
    });
    expect(missing).toEqual([]);
  });

  it('are named for each code of status that the reference has', () => {
    const [, section = ''] = /^### curtail status\n(.*?)^### /ms.exec(statusCodes) ?? [];
    const codes = [...section.matchAll(/^- (`[a-z-]+`(?:, `[a-z-]+`)*): /gm)].flatMap(([, cell]) =>
      [...cell!.matchAll(/`([a-z-]+)`/g)].map(([, code]) => code!),
    );
    expect(codes.length).toBeGreaterThan(12);
    // One whose reason depends on the reports has the page of their code.
    const ofReports = new Set(['cluster-unknown']);
    expect(codes.filter((code) => !ofReports.has(code) && !Object.hasOwn(runbookByCode, code))).toEqual([]);
  });

  it('are found by code, and by the server that it is about', () => {
    expect(runbookOf('database-full')).toBe('docs/runbooks/disk-full.md');
    expect(['database', 'kafka', 'redis', 'consumers'].map((name) => runbookOf('server-down', name))).toEqual(
      [
        'docs/runbooks/postgresql-down.md',
        'docs/runbooks/kafka-down.md',
        'docs/runbooks/redis-down.md',
        undefined,
      ],
    );
    expect(withRunbook('node-labels')).toEqual({});
    expect(withRunbook('toString')).toEqual({});
    expect(
      Object.values(runbookByCode).every((name) => name === null || existsSync(pageOfRunbook(name))),
    ).toBe(true);
  });
});
