import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
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

  rendered.each([['minimal-values.yaml'], ['full-values.yaml']])(
    `makes objects with %s that it takes${lacking}`,
    async (file) => {
      const manifests = await render('--values', `${chart}/ci/${file}`);
      const refused = await Promise.all(manifests.map(rehearse));
      expect(refused.filter(Boolean)).toEqual([]);
      expect(manifests.length).toBeGreaterThan(10);
    },
  );

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
});
