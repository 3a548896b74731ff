import { join } from 'node:path';
import { KubernetesApi } from '../../libs/agents/src/kubernetes/api.js';
import { buildControlPlane, openControlPlane } from '../infra/index.js';
import { makeNamespace, makeNodes, must } from '../infra/kubernetes/fill.js';
import { type Demo, type Stage, secondsSince } from './run-demo.js';

const namespace = 'team-a';
const nodes = 20;
/** Deployments of pods with one CPU each: those of the lower priority go first. */
const deployments = { training: { pods: 300, priority: 1000 }, batch: { pods: 200, priority: 10 } };
const allPods = 500;
const before = 500;
const after = 470;
const delaySeconds = 5;
const shownVictims = 2;

/**
 * A real control plane with 20 nodes and 500 pods, which is built with Go the first time. A ResourceQuota is lowered; the evictions of Curtail
 * and its messages to owners are shown.
 */
export const demo: Demo = {
  cluster: 'Kubernetes',
  build: async (progress) => void (await buildControlPlane(progress)),
  show: async (stage) => {
    const { folder } = stage;
    const plane = await openControlPlane({ folder: join(folder, 'control-plane') });
    stage.atEnd(() => plane.stop());
    stage.progress('starting etcd, API server, controllers, scheduler and simulated kubelets');
    const begun = performance.now();
    await plane.start();
    stage.progress(`Kubernetes is ready after ${secondsSince(begun)}`);
    const kubeconfig = await plane.writeKubeconfig(join(folder, 'kubeconfig'));
    const api = KubernetesApi.open({ kubeconfig });
    await fill(api, stage);
    const url = await stage.startCurtail(['--cluster', 'kubernetes'], {
      ...{ CURTAIL_KUBECONFIG: kubeconfig, CURTAIL_GRACE_SECONDS: '2' },
    });
    await lowerAndShow(api, url, stage);
    api.close();
  },
};

async function fill(api: KubernetesApi, stage: Stage): Promise<void> {
  const begun = performance.now();
  await makeNodes(api, nodes);
  await makeNamespace(api, namespace, { cpus: before, delay: `${delaySeconds}s` });
  for (const [name, { pods, priority }] of Object.entries(deployments)) {
    await must(api, 'POST', '/apis/scheduling.k8s.io/v1/priorityclasses', {
      metadata: { name },
      value: priority,
    });
    const labels = { app: name };
    await must(api, 'POST', `/apis/apps/v1/namespaces/${namespace}/deployments`, {
      metadata: { name },
      spec: {
        replicas: pods,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            priorityClassName: name,
            terminationGracePeriodSeconds: 2,
            containers: [
              { name: 'main', image: 'none', resources: { requests: { cpu: '1', memory: '1Gi' } } },
            ],
          },
        },
      },
    });
  }
  await stage.until('all pods to run', async () => (await runningPods(api)) === allPods);
  stage.progress(
    `${nodes} nodes, and ${allPods} running pods in the namespace ${namespace} (${secondsSince(begun)}):`,
  );
  for (const [name, { pods, priority }] of Object.entries(deployments)) {
    stage.progress(`  Deployment ${name}: ${pods} pods of one CPU, priority ${priority}`);
  }
}

async function lowerAndShow(api: KubernetesApi, url: string, stage: Stage): Promise<void> {
  await stage.until('Curtail to know all pods', async () => (await queueOf(url))?.usage?.pods === allPods);
  stage.progress(
    `the ResourceQuota of ${namespace} is lowered: requests.cpu ${before} -> ${after}. Kubernetes itself evicts no one; ` +
      `the namespace has the annotation curtail.io/quota-preemption-delay: ${delaySeconds}s`,
  );
  const begun = performance.now();
  await must(api, 'PATCH', `/api/v1/namespaces/${namespace}/resourcequotas/quota`, {
    spec: { hard: { 'requests.cpu': `${after}` } },
  });
  const victims = before - after;
  const evicted = await stage.until('the evictions', async () => {
    const events = await eventsOf(api, 'Evicted');
    return events.length >= victims && events;
  });
  await stage.until('the pods to go', async () => (await runningPods(api)) === after);
  stage.progress(
    `${evicted.length} pods were evicted, and are gone ${secondsSince(begun)} later. Each has an Event:`,
  );
  for (const { regarding, note } of evicted.slice(0, shownVictims)) {
    stage.progress(`  ${regarding.kind} ${regarding.name}: ${note}`);
  }
  stage.progress(`  ... and ${evicted.length - shownVictims} more`);
  const [owner] = await eventsOf(api, 'PodEvicted');
  if (owner) {
    stage.progress('and so has what made them:');
    stage.progress(`  ${owner.regarding.kind} ${owner.regarding.name}: ${owner.note}`);
  }
  const left = Object.entries(await podsByApp(api)).map(([app, count]) => `${count} of ${app}`);
  stage.progress(`${left.join(' and ')} run on; the quota keeps the ReplicaSets from making new ones`);
}

interface Noted {
  reason: string;
  note: string;
  regarding: { kind: string; name: string };
}

async function eventsOf(api: KubernetesApi, reason: string): Promise<Noted[]> {
  const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
  const query = { fieldSelector: `reason=${reason},reportingController=curtail.io/agent` };
  return (await api.get<{ items: Noted[] }>(path, { query })).items;
}

interface ShownPod {
  metadata: { labels: { app: string }; deletionTimestamp?: string };
  status: { phase: string };
}

async function pods(api: KubernetesApi): Promise<ShownPod[]> {
  const { items } = await api.get<{ items: ShownPod[] }>(`/api/v1/namespaces/${namespace}/pods`);
  return items.filter(({ metadata, status }) => !metadata.deletionTimestamp && status.phase === 'Running');
}

const runningPods = async (api: KubernetesApi): Promise<number> => (await pods(api)).length;

async function podsByApp(api: KubernetesApi): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { metadata } of await pods(api))
    counts[metadata.labels.app] = (counts[metadata.labels.app] ?? 0) + 1;
  return counts;
}

async function queueOf(url: string): Promise<{ usage?: { pods?: number } } | undefined> {
  const answer = await fetch(`${url}/v1/queues/root.${namespace}`);
  return answer.ok ? ((await answer.json()) as { usage?: { pods?: number } }) : undefined;
}
