import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keptPorts } from '../server/kept-ports.js';
import { launch } from '../server/launch.js';
import { ownFolder } from '../server/own-folder.js';

import { Server } from '../server/server.js';
import { answersOk } from './answers-ok.js';
import { kubeconfigOf, makeKeys, tokenOf, type User } from './keys.js';
import { controlPlaneProgram, sources } from './program.js';

const parts = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok'] as const;
type Part = (typeof parts)[number];

const controllers = [
  'disruption',
  'resourcequota',
  'garbage-collector',
  'namespace',
  'serviceaccount',
  'pod-garbage-collector',
  'job',
  'replicaset',
  'deployment',
  'daemonset',
  'node-lifecycle',
  'taint-eviction',
].map((name) => `${name}-controller`);

const firstNamespace = '/api/v1/namespaces/default/serviceaccounts/default';

/**
 * A Kubernetes cluster on the loopback interface: the real store, API server, controllers and scheduler, with nodes that KWOK
 * pretends. Everything it keeps is in one folder, each part in one of its own.
 */
export class ControlPlane {
  constructor(
    readonly folder: string,
    /** The certificate of the authority that its servers trust, in PEM. */
    private readonly ca: string,
    readonly etcd: Server,
    readonly apiServer: Server,
    readonly controllers: Server,
    readonly scheduler: Server,
    readonly kubelets: Server,
  ) {}

  /** Every eviction that the API server was asked for, one `Event` of audit.k8s.io/v1 a line. */
  get evictionLog(): string {
    return auditLogOf(this.folder);
  }

  /** Of the API server. */
  get url(): string {
    return `https://127.0.0.1:${this.apiServer.ports.api}`;
  }

  /**
   * Writes a kubeconfig.
   *
   * @param to.server of the API server, if it is not to be called directly.
   */
  async writeKubeconfig(
    file: string,
    { user = 'admin', server = this.url }: KubeconfigOptions = {},
  ): Promise<string> {
    await writeFile(file, kubeconfigOf(this.ca, { user, server }), { mode: 0o600 });
    return file;
  }

  /** Some five seconds on a quiet machine. @throws InfraError with the end of the log of what did not start. */
  async start(): Promise<void> {
    await this.etcd.start();
    await this.apiServer.start();
    await Promise.all([this.controllers, this.scheduler, this.kubelets].map((server) => server.start()));
    await this.until(firstNamespace);
  }

  async stop(): Promise<void> {
    for (const server of this.all.reverse()) await server.stop('SIGKILL');
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  private get all(): Server[] {
    return [this.etcd, this.apiServer, this.controllers, this.scheduler, this.kubelets];
  }

  /** Before the first namespace has its account, pods are refused. */
  private async until(path: string): Promise<void> {
    while (!(await answersOk(this.url + path, { ca: this.ca, token: tokenOf('admin') }))) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

export interface KubeconfigOptions {
  user?: User;
  server?: string;
}

export interface ControlPlaneOptions {
  /** Default: one of its own, below the folder for temporary files. Servers started in it before are found again. */
  folder?: string;
  /** False for servers that are to outlive this process. Default true. */
  leashed?: boolean;
}

/** Where the API server of a folder writes down, line by line as JSON, every eviction that it was asked for, before it answers. */
const auditLogOf = (folder: string) => join(folder, 'kube-apiserver', 'evictions.log');

/** Describes a control plane without starting it. Its program has to be built (`buildControlPlane`). */
export async function openControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { folder = ownFolder(), leashed = true } = options;
  const at = (...names: string[]) => join(folder, ...names);
  const [store, api, managers, scheduler, kwok] = await Promise.all([
    keptPorts(at('etcd'), ['client', 'peer'] as const),
    keptPorts(at('kube-apiserver'), ['api'] as const),
    keptPorts(at('kube-controller-manager'), ['health'] as const),
    keptPorts(at('kube-scheduler'), ['health'] as const),
    keptPorts(at('kwok'), ['health'] as const),
  ]);
  const etcdUrl = `http://127.0.0.1:${store.client}`;
  const peerUrl = `http://127.0.0.1:${store.peer}`;
  const apiUrl = `https://127.0.0.1:${api.api}`;
  const keys = await makeKeys(folder, apiUrl);
  const certificate = ['--tls-cert-file', keys.certificate, '--tls-private-key-file', keys.key];
  const asAdmin = ['--kubeconfig', keys.kubeconfig];
  const listening = (port: number) => ['--bind-address', '127.0.0.1', '--secure-port', String(port)];
  const quick = ['--leader-elect=false', '--kube-api-qps', '1000', '--kube-api-burst', '1000'];

  const server = (name: Part, ports: Record<string, number>, health: string, words: string[]) =>
    new Server(
      {
        name,
        folder: at(name),
        log: at(name, 'server.log'),
        ports,
        stopSignal: 'SIGTERM',
        leashSignal: 'KILL',
        launch: async () => {
          return launch(controlPlaneProgram(), [name, ...words], {
            cwd: at(name),
            log: at(name, 'server.log'),
          });
        },
        isReady: async () => answersOk(health, { ca: keys.ca, token: tokenOf('admin') }),
      },
      leashed,
    );
  const etcd = server('etcd', store, `${etcdUrl}/health`, [
    ...['--data-dir', at('etcd', 'data')],
    ...['--listen-client-urls', etcdUrl, '--advertise-client-urls', etcdUrl],
    ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
    ...['--initial-cluster', `default=${peerUrl}`, '--unsafe-no-fsync', '--log-level', 'warn'],
  ]);
  const apiServer = server('kube-apiserver', api, `${apiUrl}/readyz`, [
    ...['--etcd-servers', etcdUrl, '--cert-dir', at('kube-apiserver'), ...certificate, ...listening(api.api)],
    ...['--authorization-mode', 'RBAC', '--token-auth-file', keys.tokens],
    ...['--service-cluster-ip-range', '10.96.0.0/24', '--endpoint-reconciler-type', 'none'],
    ...['--service-account-issuer', 'https://curtail.test'],
    ...['--service-account-key-file', keys.accounts],
    ...['--service-account-signing-key-file', keys.accounts],
    ...['--allow-privileged', '--external-hostname', 'localhost'],
    ...['--audit-policy-file', join(sources, 'audit.yaml'), '--audit-log-path', auditLogOf(folder)],
  ]);
  const managersServer = server(
    'kube-controller-manager',
    managers,
    `https://127.0.0.1:${managers.health}/healthz`,
    [
      ...[...asAdmin, ...certificate, ...listening(managers.health), ...quick],
      ...['--service-account-private-key-file', keys.accounts, '--controllers', controllers.join(',')],
    ],
  );
  const schedulerServer = server(
    'kube-scheduler',
    scheduler,
    `https://127.0.0.1:${scheduler.health}/healthz`,
    [...asAdmin, ...certificate, ...listening(scheduler.health), ...quick],
  );
  const kubelets = server('kwok', kwok, `http://127.0.0.1:${kwok.health}/healthz`, [
    ...[...asAdmin, '--manage-all-nodes', '--node-lease-duration-seconds', '40'],
    ...['--config', join(sources, 'stages.yaml'), '--server-address', `127.0.0.1:${kwok.health}`],
  ]);
  return new ControlPlane(folder, keys.ca, etcd, apiServer, managersServer, schedulerServer, kubelets);
}

/** Starts a control plane and waits until pods can be made. */
export async function startControlPlane(options?: ControlPlaneOptions): Promise<ControlPlane> {
  const plane = await openControlPlane(options);
  try {
    await plane.start();
  } catch (error) {
    await plane.stop();
    throw error;
  }
  return plane;
}
