import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { findHelm } from '../../scripts/infra/index.js';
import { TestKubernetes, type Thing } from '../support/kubernetes.js';

const chart = 'deploy/helm/curtail';
const helm = findHelm();
const plurals: Record<string, string> = { NetworkPolicy: 'networkpolicies', Ingress: 'ingresses' };
const inCluster = ['ClusterRole', 'ClusterRoleBinding'];

interface Manifest extends Thing {
  apiVersion: string;
  kind: string;
}

/** Reported as skipped without Helm. */
const rendered = helm === undefined ? (it.skip as unknown as typeof it) : it;
const lacking = helm === undefined ? ' (not run: there is no Helm; npm run infra -- helm)' : '';

describe('the Helm chart on a real API server', () => {
  let kubernetes: TestKubernetes;
  let namespace: string;
  beforeAll(async () => {
    kubernetes = await TestKubernetes.open();
    namespace = await kubernetes.namespace();
  });
  afterAll(() => kubernetes?.close());

  async function render(...words: string[]): Promise<Manifest[]> {
    const { stdout } = await promisify(execFile)(helm!, [
      ...['template', 'curtail', chart, '--kube-version', '1.36.0', '--namespace', namespace],
      ...['--set', `agent.yunikorn.namespace=${namespace}`, ...words],
    ]);
    return parseAllDocuments(stdout).flatMap((document) => (document.toJS() as Manifest | null) ?? []);
  }
  /** Checks in a dry run whether it would be created. The server refuses a misspelt field. */
  async function rehearse({ apiVersion, kind, ...rest }: Manifest): Promise<string | undefined> {
    // Objects of an API that is not installed here.
    if (/^(keda\.sh|monitoring\.coreos\.com)\//.test(apiVersion)) return undefined;
    const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const place = inCluster.includes(kind) ? '' : `/namespaces/${namespace}`;
    const path = `${group}${place}/${plurals[kind] ?? `${kind.toLowerCase()}s`}`;
    const { code, body } = await kubernetes.admin.call('POST', path, {
      query: { dryRun: 'All', fieldValidation: 'Strict' },
      body: { apiVersion, kind, ...rest },
    });
    return code === 201 ? undefined : `${kind} ${rest.metadata.name}: ${code} ${JSON.stringify(body)}`;
  }

  rendered.each(readdirSync(`${chart}/ci`))(`makes objects with %s that it takes${lacking}`, async (file) => {
    const manifests = await render('--values', `${chart}/ci/${file}`);
    const refused = await Promise.all(manifests.map(rehearse));
    expect(refused.filter(Boolean)).toEqual([]);
    expect(manifests.length).toBeGreaterThan(7);
  });

  rendered(`lets the agent only read in mode observe, and evict in mode enforce${lacking}`, async () => {
    const verbs = async (mode: string) => {
      const manifests = await render(
        ...['--set', 'existingSecret=curtail', '--set', 'agent.enabled=true', '--set', `agent.mode=${mode}`],
      );
      const { rules } = manifests.find(({ kind }) => kind === 'ClusterRole') as Manifest;
      return [...new Set((rules as { verbs: string[] }[]).flatMap((rule) => rule.verbs))].sort();
    };
    // Unset, it is the CURTAIL_MODE of all services, else their CURTAIL_DEFAULT_MODE, which is observe.
    expect(await verbs('')).toEqual(['list', 'watch']);
    expect(await verbs('enforce')).toEqual(['create', 'get', 'list', 'patch', 'watch']);
  });

  rendered(
    `runs everything in one pod, with the rights of the agent and one database${lacking}`,
    async () => {
      const manifests = await render('--values', `${chart}/ci/single-process-values.yaml`);
      const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
      expect(deployments).toMatchObject([
        {
          spec: {
            replicas: 1,
            strategy: { type: 'Recreate' },
            template: {
              spec: {
                serviceAccountName: 'curtail-agent',
                automountServiceAccountToken: true,
                containers: [{ args: ['dist/apps/curtail/src/main.js'] }],
              },
            },
          },
        },
      ]);
      const { labels } = (deployments[0]!.spec as { template: { metadata: { labels: object } } }).template
        .metadata;
      const services = manifests.filter(({ kind }) => kind === 'Service') as unknown as {
        spec: { selector: object };
      }[];
      expect(services.map(({ spec }) => spec.selector)).toEqual([
        Object.fromEntries(
          Object.entries(labels).filter(([name]) => /\/(name|instance|component)$/.test(name)),
        ),
      ]);
      const refused = render('--set', 'existingSecret=c,singleProcess.enabled=true,autoscaling.enabled=true');
      await expect(refused).rejects.toThrow('there is one process');
    },
  );

  rendered(`has the alerts with links to where the documents are, and the dashboards${lacking}`, async () => {
    const monitoring = await render('--values', `${chart}/ci/full-values.yaml`);
    const one = (kind: string, name: string) =>
      monitoring.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
    const rules = readFileSync('deploy/prometheus/curtail.rules.yaml', 'utf8');
    const published = rules.replaceAll(
      'runbook_url: docs/',
      'runbook_url: https://docs.example.org/curtail/',
    );
    expect(one('PrometheusRule', 'curtail')?.spec).toEqual(parse(published));
    const { data } = one('ConfigMap', 'curtail-dashboards') as unknown as { data: Record<string, string> };
    for (const name of readdirSync('deploy/grafana'))
      expect(data[name]).toBe(readFileSync(`deploy/grafana/${name}`, 'utf8'));
    const metrics = one('Service', 'curtail-metrics');
    expect(metrics?.metadata.labels).toMatchObject(
      (one('ServiceMonitor', 'curtail')!.spec as { selector: { matchLabels: object } }).selector.matchLabels,
    );
    const off = await render('--set', 'existingSecret=curtail');
    expect(off.filter(({ apiVersion }) => apiVersion.startsWith('monitoring.'))).toEqual([]);
  });
});
