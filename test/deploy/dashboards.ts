import { readdirSync, readFileSync } from 'node:fs';

export const dashboardsFolder = 'deploy/grafana';

interface Panel {
  id: number;
  title: string;
  type: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
  datasource?: { type: string; uid: string };
  targets?: { expr: string }[];
}

export interface Dashboard {
  uid: string;
  title: string;
  panels: Panel[];
  templating: { list: { name: string; type: string; query: unknown }[] };
}

export const dashboards = readdirSync(dashboardsFolder)
  .filter((name) => name.endsWith('.json'))
  .sort()
  .map((name) => {
    const json = JSON.parse(readFileSync(`${dashboardsFolder}/${name}`, 'utf8')) as Dashboard;
    const queries = json.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    return { name, json, queries };
  });
