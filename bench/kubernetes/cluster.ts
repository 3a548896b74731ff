import { join } from 'node:path';
import { KubernetesApi } from '#agents/kubernetes';
import { buildControlPlane, startControlPlane } from '../../scripts/infra/index.js';
import { makeNamespace, makeNodes, must, together } from '../../scripts/infra/kubernetes/fill.js';
import { withFolder } from '../temporary-folder.js';

export const nodes = 20;

/** A real control plane for measuring, with hands on it. */
export interface BenchCluster {
  kubeconfig: string;
  admin: KubernetesApi;
  /** Makes pods of one CPU that run, so many at the same time as the server takes. */
  pods(namespace: string, count: number): Promise<string[]>;
  namespace(name: string, cpus?: number): Promise<void>;
}

export const progress = (line: string) => console.log(`kubernetes: ${line}`);

/** Does the work on a control plane of its own, which is gone afterwards, however it ends. */
export async function withCluster<T>(work: (cluster: BenchCluster) => Promise<T>): Promise<T> {
  await buildControlPlane(progress);
  return withFolder(async (folder) => {
    const plane = await startControlPlane({ folder: join(folder, 'control-plane') });
    const kubeconfig = await plane.writeKubeconfig(join(folder, 'kubeconfig'));
    const admin = KubernetesApi.open({ kubeconfig });
    try {
      await makeNodes(admin, nodes);
      return await work({
        kubeconfig,
        admin,
        namespace: (name, cpus) => makeNamespace(admin, name, { cpus, delay: '10m' }),
        pods: (namespace, count) => makePods(admin, namespace, count),
      });
    } finally {
      admin.close();
      await plane.stop();
    }
  });
}

async function makePods(admin: KubernetesApi, namespace: string, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `pod-${String(index).padStart(5, '0')}`);
  const path = `/api/v1/namespaces/${namespace}/pods`;
  await together([...names.entries()], 24, ([index, name]) =>
    must(admin, 'POST', path, {
      metadata: { name, labels: { app: 'bench', 'app.kubernetes.io/part-of': 'load' } },
      spec: {
        nodeName: `node-${index % nodes}`,
        containers: [{ name: 'main', image: 'none', resources: { requests: { cpu: '1', memory: '1Gi' } } }],
        terminationGracePeriodSeconds: 1,
      },
    }),
  );
  for (;;) {
    const query = { fieldSelector: 'status.phase!=Running', limit: 1 };
    const { items } = await admin.get<{ items: unknown[] }>(path, { query });
    if (items.length === 0) return names;
    await new Promise((done) => setTimeout(done, 200));
  }
}
