import type { KubernetesApi } from '../../../libs/agents/src/kubernetes/api.js';

/** A call that has to succeed. */
export async function must(
  api: KubernetesApi,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const patch = method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {};
  const answer = await api.call(method, path, { ...(body !== undefined && { body }), ...patch });
  if (answer.code < 300) return answer.body;
  throw new Error(`${method} ${path}: ${answer.code} ${JSON.stringify(answer.body)}`);
}

/** Does the work for all, so many at the same time. */
export async function together<T>(
  all: readonly T[],
  atOnce: number,
  work: (one: T) => Promise<unknown>,
): Promise<void> {
  const rest = all.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const one of rest) await work(one);
    }),
  );
}

/** Nodes with room for everything, ready to take pods. */
export async function makeNodes(admin: KubernetesApi, count: number): Promise<void> {
  const capacity = { cpu: '1000', memory: '4Ti', pods: '5000' };
  for (let node = 0; node < count; node++) {
    const status = { capacity, allocatable: capacity };
    await must(admin, 'POST', '/api/v1/nodes', { metadata: { name: `node-${node}` }, status });
  }
}

/** A namespace in which pods can be made. */
export async function makeNamespace(
  admin: KubernetesApi,
  name: string,
  { cpus, delay = '0' }: { cpus?: number; delay?: string } = {},
): Promise<void> {
  const annotations = { 'curtail.io/quota-preemption-delay': delay };
  await must(admin, 'POST', '/api/v1/namespaces', { metadata: { name, annotations } });
  if (cpus !== undefined) {
    const spec = { hard: { 'requests.cpu': `${cpus}` } };
    await must(admin, 'POST', `/api/v1/namespaces/${name}/resourcequotas`, {
      metadata: { name: 'quota' },
      spec,
    });
  }
  // Before it has an account, pods are refused.
  const account = `/api/v1/namespaces/${name}/serviceaccounts/default`;
  while ((await admin.call('GET', account)).code !== 200) await new Promise((done) => setTimeout(done, 20));
}
