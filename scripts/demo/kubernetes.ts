import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hanging } from '../../apps/curtail/src/cli/output/width.js';
import { KubernetesApi } from '../../libs/agents/src/kubernetes/api.js';
import { Ending } from '../distributed/ending.js';
import { root } from '../infra/folders.js';
import {
  buildControlPlane,
  type ControlPlane,
  InfraError,
  openControlPlane,
  ownFolder,
} from '../infra/index.js';
import { makeNamespace, makeNodes, must } from '../infra/kubernetes/fill.js';

type Progress = (line: string) => void;

const namespace = 'team-a';
const nodes = 20;
/** Deployments of pods with one CPU each: those of the lower priority go first. */
const deployments = { training: { pods: 300, priority: 1000 }, batch: { pods: 200, priority: 10 } };
const allPods = 500;
const before = 500;
const after = 470;
const delaySeconds = 5;
const shownVictims = 2;
const waitMs = 120_000;

/** Resolves to the exit status, when everything it has started has ended. */
export async function demoKubernetes(print: Progress): Promise<number> {
  const progress = (text: string) => {
    const columns = Math.min(process.stdout.columns || 80, 100) - 'demo: '.length;
    for (const line of hanging(text, columns, /^ */.exec(text)?.[0])) print(line);
  };
  const ending = new Ending();
  ending.listen();
  const folder = ownFolder();
  let plane: ControlPlane | undefined;
  let curtail: ChildProcess | undefined;
  const show = async () => {
    const started = await openControlPlane({ folder: join(folder, 'control-plane') });
    plane = started;
    progress('starting etcd, API server, controllers, scheduler and simulated kubelets');
    const begun = performance.now();
    await started.start();
    progress(`Kubernetes is ready after ${seconds(begun)}`);
    const kubeconfig = await started.writeKubeconfig(join(folder, 'kubeconfig'));
    const api = KubernetesApi.open({ kubeconfig });
    await fill(api, progress);
    if (ending.reason) return;
    const log = join(folder, 'curtail.log');
    curtail = await startCurtail({ folder, kubeconfig, log });
    const url = await addressOf(curtail, log);
    progress(`Curtail runs beside it, mode enforce: ${url}`);
    await lowerAndShow(api, url, progress);
    api.close();
  };
  try {
    progress('about a minute, once the programs are built; Ctrl-C ends it at any time');
    await Promise.race([buildControlPlane(progress), ending.asked]);
    if (!ending.reason) await Promise.race([show(), ending.asked]);
    return ending.reason && 'signal' in ending.reason ? 128 + constants.signals[ending.reason.signal] : 0;
  } catch (error) {
    if (!(error instanceof InfraError)) throw error;
    console.error(error.message);
    return 1;
  } finally {
    if (plane) progress('stopping Curtail and Kubernetes, and removing what they kept');
    if (curtail && curtail.exitCode === null) {
      curtail.kill('SIGTERM');
      await once(curtail, 'exit');
    }
    await plane?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function fill(api: KubernetesApi, progress: Progress): Promise<void> {
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
  await until('all pods to run', async () => (await runningPods(api)) === allPods);
  progress(`${nodes} nodes, and ${allPods} running pods in the namespace ${namespace} (${seconds(begun)}):`);
  for (const [name, { pods, priority }] of Object.entries(deployments)) {
    progress(`  Deployment ${name}: ${pods} pods of one CPU, priority ${priority}`);
  }
}

async function startCurtail(of: { folder: string; kubeconfig: string; log: string }): Promise<ChildProcess> {
  const file = await open(of.log, 'a', 0o600);
  const words = ['dist/apps/curtail/src/main.js', 'start', '--cluster', 'kubernetes', '--mode', 'enforce'];
  const child = spawn(process.execPath, words, {
    cwd: root,
    // Ctrl-C reaches it through us.
    detached: true,
    stdio: ['ignore', file.fd, file.fd],
    env: {
      PATH: process.env.PATH,
      CURTAIL_DATA: join(of.folder, 'data'),
      // A cluster of its own, which ends with it.
      CURTAIL_AUTH: 'none',
      CURTAIL_PORT: '0',
      CURTAIL_KUBECONFIG: of.kubeconfig,
      CURTAIL_GRACE_SECONDS: '2',
    },
  });
  await file.close();
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

async function addressOf(curtail: ChildProcess, log: string): Promise<string> {
  return until('Curtail to run', async () => {
    const output = await readFile(log, 'utf8');
    if (curtail.exitCode !== null)
      throw new InfraError('Curtail has ended.', 'Its last output:', output.slice(-2000));
    return /Curtail is running at (http:\/\/\S+)/.exec(output)?.[1];
  });
}

async function lowerAndShow(api: KubernetesApi, url: string, progress: Progress): Promise<void> {
  await until('Curtail to know all pods', async () => (await queueOf(url))?.usage?.pods === allPods);
  progress(
    `the ResourceQuota of ${namespace} is lowered: requests.cpu ${before} -> ${after}. Kubernetes itself evicts no one; ` +
      `the namespace has the annotation curtail.io/quota-preemption-delay: ${delaySeconds}s`,
  );
  const begun = performance.now();
  await must(api, 'PATCH', `/api/v1/namespaces/${namespace}/resourcequotas/quota`, {
    spec: { hard: { 'requests.cpu': `${after}` } },
  });
  const victims = before - after;
  const evicted = await until('the evictions', async () => {
    const events = await eventsOf(api, 'Evicted');
    return events.length >= victims && events;
  });
  await until('the pods to go', async () => (await runningPods(api)) === after);
  progress(`${evicted.length} pods were evicted, and are gone ${seconds(begun)} later. Each has an Event:`);
  for (const { regarding, note } of evicted.slice(0, shownVictims)) {
    progress(`  ${regarding.kind} ${regarding.name}: ${note}`);
  }
  progress(`  ... and ${evicted.length - shownVictims} more`);
  const [owner] = await eventsOf(api, 'PodEvicted');
  if (owner) {
    progress('and so has what made them:');
    progress(`  ${owner.regarding.kind} ${owner.regarding.name}: ${owner.note}`);
  }
  const left = Object.entries(await podsByApp(api)).map(([app, count]) => `${count} of ${app}`);
  progress(`${left.join(' and ')} run on; the quota keeps the ReplicaSets from making new ones`);
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

async function until<T>(what: string, read: () => Promise<T | undefined | false>): Promise<T> {
  for (const end = performance.now() + waitMs; performance.now() < end; await delay(200)) {
    const found = await read();
    if (found !== undefined && found !== false) return found;
  }
  throw new InfraError(
    `${what} took longer than ${waitMs / 1000} s.`,
    'Try it again on a machine that is less busy.',
  );
}

const seconds = (begun: number): string => `${((performance.now() - begun) / 1000).toFixed(1)} s`;
