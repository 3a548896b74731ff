import { describe, expect, it } from '@jest/globals';
import { dashboards } from './dashboards.js';
import { metricFaults } from './rules.js';

describe('the dashboards', () => {
  it('are there, each with an identifier of its own', () => {
    expect(dashboards.length).toBeGreaterThan(1);
    const uids = dashboards.map(({ json }) => json.uid);
    expect(new Set(uids).size).toBe(uids.length);
  });

  it.each(dashboards.map((dashboard) => [dashboard.name, dashboard] as const))(
    '%s has queries for metrics and labels that exist',
    (_, { queries }) => {
      expect(queries.length).toBeGreaterThan(5);
      expect(queries.flatMap(metricFaults)).toEqual([]);
    },
  );

  it.each(dashboards.map((dashboard) => [dashboard.name, dashboard] as const))(
    '%s says what each panel shows, from the Prometheus that is chosen, and no two overlap',
    (_, { json }) => {
      const shown = json.panels.filter(({ type }) => type !== 'row');
      for (const { description, datasource } of shown) {
        expect(description).toMatch(/\.$/);
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana
        expect(datasource).toEqual({ type: 'prometheus', uid: '${datasource}' });
      }
      expect(new Set(json.panels.map(({ id }) => id)).size).toBe(json.panels.length);
      const cells = json.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
      );
      expect(new Set(cells).size).toBe(cells.length);
      for (const { gridPos } of json.panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    },
  );
});
