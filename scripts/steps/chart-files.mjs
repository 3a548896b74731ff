import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

/**
 * Files of `deploy` that the chart has, too, by their path in it: a chart reads nothing outside of its folder. `npm run docs` writes them.
 *
 * @returns {Record<string, string>}
 */
export function chartFiles() {
  const text = (path) => readFileSync(join(root, path), 'utf8');
  const dashboards = readdirSync(join(root, 'deploy/grafana')).filter((name) => name.endsWith('.json'));
  return Object.fromEntries([
    ['deploy/helm/curtail/files/curtail.rules.yaml', text('deploy/prometheus/curtail.rules.yaml')],
    ...dashboards.map((name) => [
      `deploy/helm/curtail/files/dashboards/${name}`,
      text(`deploy/grafana/${name}`),
    ]),
  ]);
}
