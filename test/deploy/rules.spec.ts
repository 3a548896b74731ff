import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ruleCases } from './rule-cases.js';
import { alerts, metricFaults } from './rules.js';

const docs = 'docs/';
/** As GitHub and GitLab name the section of a heading. */
const anchorsOf = (page: string) =>
  [...readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );

describe('the alerts', () => {
  it.each(alerts.map((rule) => [rule.alert, rule] as const))(
    '%s names metrics and labels that exist, and what to do first',
    (_, { expr, labels, annotations }) => {
      expect(metricFaults(expr)).toEqual([]);
      expect(['critical', 'warning']).toContain(labels.severity);
      expect(Object.keys(annotations)).toEqual(['summary', 'description', 'runbook_url']);
      const [page = '', section] = annotations.runbook_url.split('#');
      expect(page.startsWith(docs)).toBe(true);
      expect(page).toMatch(/\.md$/);
      // That the page is there is checked for all of them by test/documents/links.spec.ts.
      if (section !== undefined) expect(anchorsOf(page)).toContain(section);
    },
  );

  it('have a name of their own, and a case that they are tested with', () => {
    const names = alerts.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
    expect([...new Set(ruleCases.map(({ alert }) => alert))].sort()).toEqual([...names].sort());
  });

  it.each([
    ['curtail_quotas_unmet > 0', 'curtail_quotas_unmet is no metric'],
    ['max(curtail_waiting{code="overdue"})', 'curtail_waiting has no label code'],
  ])('could not have the expression %s', (expr, fault) => {
    expect(metricFaults(expr)).toEqual([fault]);
  });
});

describe('docs/how-to/monitor.md', () => {
  it('names metrics and labels that exist', () => {
    const page = readFileSync('docs/how-to/monitor.md', 'utf8');
    const named = [...page.matchAll(/`(curtail_\w+)(?:\{([\w,]+)\})?`/g)];
    expect(named.length).toBeGreaterThan(40);
    const exprs = named.map(
      ([, name, labels]) =>
        `${name}{${(labels ?? '')
          .split(',')
          .filter(Boolean)
          .map((label) => `${label}="x"`)
          .join(',')}}`,
    );
    expect(exprs.flatMap(metricFaults)).toEqual([]);
  });
});
