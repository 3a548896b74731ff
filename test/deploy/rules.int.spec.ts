import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseDocument, stringify } from 'yaml';
import { findPromtool } from '../../scripts/infra/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { dashboards } from './dashboards.js';
import { type RuleCase, ruleCases } from './rule-cases.js';
import { rulesFile, rulesText } from './rules.js';

const promtool = findPromtool();
/** Reported as skipped without promtool. */
const checked = promtool === undefined ? (it.skip as unknown as typeof it) : it;
const lacking = promtool === undefined ? ' (not run: there is no promtool; npm run infra -- promtool)' : '';

describe('the alerting rules, as Prometheus reads them', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => folder?.remove());

  /** The output of promtool. @throws with it where something is wrong */
  async function run(...words: string[]): Promise<string> {
    const { stdout, stderr } = await promisify(execFile)(promtool!, words).catch((error) => {
      throw new Error(`${error.stdout}${error.stderr}`);
    });
    return `${stdout}${stderr}`;
  }

  async function file(name: string, content: unknown): Promise<string> {
    const path = join(folder.path, name);
    await writeFile(path, typeof content === 'string' ? content : stringify(content));
    return path;
  }

  checked(`are valid${lacking}`, async () => {
    expect(await run('check', 'rules', '--lint=all', '--lint-fatal', rulesFile)).toMatch(
      /SUCCESS: \d+ rules found/,
    );
  });

  checked(`fire when they should, and not before, with a summary that says it${lacking}`, async () => {
    await file('rules.yaml', withSummariesOnly());
    const tests = { rule_files: ['rules.yaml'], evaluation_interval: '1m', tests: ruleCases.map(testOf) };
    expect(await run('test', 'rules', await file('tests.yaml', tests))).toContain('SUCCESS');
  });

  checked(`are missed where they do not fire${lacking}`, async () => {
    await file('rules.yaml', withSummariesOnly());
    const [{ firesAt, ...first }] = ruleCases as [RuleCase];
    const tests = {
      rule_files: ['rules.yaml'],
      evaluation_interval: '1m',
      tests: [testOf({ ...first, firesAt: first.quietAt })],
    };
    await expect(run('test', 'rules', await file('tests.yaml', tests))).rejects.toThrow(/FAILED/);
  });

  checked(`have dashboards whose queries are valid${lacking}`, async () => {
    const exprs = [...new Set(dashboards.flatMap(({ queries }) => queries))];
    expect(exprs.length).toBeGreaterThan(20);
    const rules = exprs.map((expr, at) => ({
      record: `query_${at}`,
      // Grafana's own variables.
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '1h'),
    }));
    const path = await file('queries.yaml', { groups: [{ name: 'dashboards', rules }] });
    expect(await run('check', 'rules', path)).toContain(`SUCCESS: ${rules.length} rules found`);
  });
});

/** Descriptions and links are the same whatever was read. */
function withSummariesOnly(): string {
  const document = parseDocument(rulesText);
  const groups = document.toJS().groups as { rules: unknown[] }[];
  groups.forEach(({ rules }, group) => {
    rules.forEach((_, rule) => {
      for (const name of ['description', 'runbook_url'])
        document.deleteIn(['groups', group, 'rules', rule, 'annotations', name]);
    });
  });
  return document.toString({ lineWidth: 0 });
}

function testOf({ alert, series, quietAt, firesAt, severity, labels = {}, summary }: RuleCase): object {
  const expected = { exp_labels: { severity, ...labels }, exp_annotations: { summary } };
  return {
    name: alert,
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [
      { eval_time: `${quietAt}m`, alertname: alert, exp_alerts: [] },
      { eval_time: `${firesAt}m`, alertname: alert, exp_alerts: [expected] },
    ],
  };
}
