import { existsSync, readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { isIPv6 } from 'node:net';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Cluster, Context, KubeConfig, User } from '@kubernetes/client-node';
// Not from the package's index: that loads the models of the whole API, which takes 70 MB.
import { newClusters, newContexts, newUsers } from '@kubernetes/client-node/dist/config_types.js';
import { ExecAuth } from '@kubernetes/client-node/dist/exec_auth.js';
import { LineCounter, parseDocument } from 'yaml';
import { InputError, yamlFaults } from '#contracts';
import { holdSecret } from '#platform/secrets';
import { keepToken } from './client-node-patches/keep-token.js';
import { IdentityProvider } from './identity-provider.js';
import { KubernetesError } from './kubernetes-error.js';

/** `tokenFile` is read for each request, because it may be renewed. */
type Account = User & { tokenFile?: string | undefined };

const podServiceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Clusters and our credentials for them: from kubeconfig files, or from the service account of the pod that this runs in. */
export class Kubeconfig {
  private readonly clusters: Cluster[] = [];
  private readonly users: Account[] = [];
  private readonly contexts: Context[] = [];
  private currentContext = '';
  private readonly missing: string[] = [];
  private exec = new ExecAuth();
  /** By user. */
  private readonly providers = new Map<Account, IdentityProvider>();
  private whole: KubeConfig | undefined;

  /** @param serviceAccount the folder of the pod's service account. */
  constructor(private readonly serviceAccount = podServiceAccount) {}

  /**
   * The files of KUBECONFIG that exist, or ~/.kube/config, or the service account of the pod that this runs in.
   *
   * @throws Error if none of them exists, or an existing one cannot be read.
   */
  loadFromDefault(): void {
    const files = (process.env.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
    const ofUser = join(homedir(), '.kube', 'config');
    if (files.length > 0) this.loadFromList(files);
    else if (existsSync(ofUser)) this.loadFromFile(ofUser);
    else if (existsSync(`${this.serviceAccount}/token`)) this.loadFromPod();
    else
      throw new KubernetesError(
        'kubeconfig-missing',
        'KUBECONFIG is not set, there is no ~/.kube/config, and this does not run in a pod',
      );
  }

  private loadFromList(files: readonly string[]): void {
    for (const file of files) {
      try {
        this.loadFromFile(file);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        this.missing.push(file);
      }
    }
    if (this.missing.length === files.length) {
      throw new KubernetesError('kubeconfig-missing', `no file of KUBECONFIG exists: ${files.join(', ')}`);
    }
  }

  /** Files that KUBECONFIG names and that do not exist. They are ignored, as kubectl does. */
  get missingFiles(): readonly string[] {
    return this.missing;
  }

  /** Adds the content of the file; the first of several things with one name counts. @throws Error if it cannot be read. */
  loadFromFile(file: string): void {
    const content = readYaml(file);
    const beside = (other: string | null | undefined) => (other ? resolve(dirname(file), other) : undefined);
    for (const cluster of newClusters(content.clusters)) {
      this.clusters.push({ ...cluster, caFile: beside(cluster.caFile) } as Cluster);
    }
    const written = content.users as { user?: { tokenFile?: string } }[];
    newUsers(content.users).forEach((user, index) => {
      this.users.push({
        ...user,
        certFile: beside(user.certFile),
        keyFile: beside(user.keyFile),
        tokenFile: beside(written[index]?.user?.tokenFile),
      } as Account);
    });
    this.contexts.push(...newContexts(content.contexts));
    this.currentContext ||= String(content['current-context'] ?? '');
  }

  getContexts(): readonly Context[] {
    return this.contexts;
  }

  getContextObject(name: string): Context | undefined {
    return this.contexts.find((one) => one.name === name);
  }

  getCurrentContext(): string {
    return this.currentContext;
  }

  setCurrentContext(name: string): void {
    this.currentContext = name;
  }

  getCurrentCluster(): Cluster | undefined {
    const name = this.getContextObject(this.currentContext)?.cluster;
    return this.clusters.find((one) => one.name === name);
  }

  /**
   * Adds certificates and current credentials.
   *
   * @throws Error if the credentials are not available.
   */
  async applyToHTTPSOptions(options: RequestOptions): Promise<void> {
    const cluster = this.getCurrentCluster();
    const name = this.getContextObject(this.currentContext)?.user;
    const user = this.users.find((one) => one.name === name);
    if (cluster?.skipTLSVerify) options.rejectUnauthorized = false;
    else if (cluster?.server.startsWith('http:')) {
      throw new InputError(
        'server',
        `${cluster.server} is not encrypted: write https, or insecure-skip-tls-verify: true if that is meant`,
      );
    }
    if (cluster?.tlsServerName) options.servername = cluster.tlsServerName;
    const ca = bytes(cluster?.caData, cluster?.caFile);
    if (ca) options.ca = ca;
    if (user?.authProvider && user.authProvider.name !== 'oidc') {
      await this.applyWholeClient(user, options);
      return;
    }
    if (user) await this.identify(user, options);
    if (cluster?.proxyUrl) {
      // Its proxy alone: credentials are applied above.
      const proxied: RequestOptions = {};
      await this.applyWholeClient({ name: '' } as Account, proxied);
      options.agent = proxied.agent;
    }
  }

  /** Call it when the server refuses the credentials: those of a program without an expiry time are then dropped. */
  refused(): void {
    this.exec = new ExecAuth();
  }

  private async identify(user: Account, options: RequestOptions): Promise<void> {
    const headers: Record<string, string> = {};
    const [cert, key] = [bytes(user.certData, user.certFile), bytes(user.keyData, user.keyFile)];
    if (cert) options.cert = cert;
    if (key) options.key = key;
    if (user.username) options.auth = `${user.username}:${user.password ?? ''}`;
    if (user.impersonateUser) headers['Impersonate-User'] = user.impersonateUser;
    const token = user.tokenFile ? readFileSync(user.tokenFile, 'utf8').trim() : await this.tokenOf(user);
    if (token) {
      holdSecret(token);
      headers.Authorization = `Bearer ${token}`;
    }
    options.headers = { ...options.headers, ...headers } as Record<string, string>;
    if (user.exec && !token) await this.applyProgram(user, options);
  }

  private async applyProgram(user: Account, options: RequestOptions): Promise<void> {
    await this.exec.applyAuthentication(user, options);
    keepToken(this.exec, user.name);
  }

  private async tokenOf(user: Account): Promise<string | undefined> {
    if (user.authProvider?.name !== 'oidc') return user.token;
    const provider = this.providers.get(user) ?? new IdentityProvider(user.authProvider.config ?? {});
    this.providers.set(user, provider);
    return provider.idToken();
  }

  /** Loads the whole client only for proxies and other providers, which are rare. */
  private async applyWholeClient(user: Account, options: RequestOptions): Promise<void> {
    if (this.whole === undefined) {
      const { KubeConfig } = await import('@kubernetes/client-node');
      const cluster = this.getCurrentCluster()!;
      const contexts = [{ name: 'current', cluster: cluster.name, user: user.name }];
      this.whole = new KubeConfig();
      this.whole.loadFromOptions({ clusters: [cluster], users: [user], contexts, currentContext: 'current' });
    }
    await this.whole.applyToHTTPSOptions(options);
  }

  private loadFromPod(): void {
    const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '443' } = process.env;
    const [cluster, user] = ['in-cluster', 'service-account'];
    this.clusters.push({
      name: cluster,
      server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
      caFile: `${this.serviceAccount}/ca.crt`,
      skipTLSVerify: false,
    });
    this.users.push({ name: user, tokenFile: `${this.serviceAccount}/token` });
    const namespace = podNamespace(this.serviceAccount);
    this.contexts.push({
      name: cluster,
      cluster,
      user,
      ...(namespace !== undefined && { namespace }),
    });
    this.currentContext = cluster;
  }
}

/** The namespace of the pod that this runs in; undefined outside a cluster. */
export function podNamespace(serviceAccount = podServiceAccount): string | undefined {
  const file = `${serviceAccount}/namespace`;
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/**
 * The parser's own message quotes the text, which may be a token or a key: the error names only the place and the kind of the mistake.
 *
 * @throws Error with the file and the line.
 */
function readYaml(file: string): Record<string, unknown> {
  const lineCounter = new LineCounter();
  const text = readFileSync(file, 'utf8');
  const document = parseDocument(text, {
    lineCounter,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const [fault] = yamlFaults(text, document.errors);
  if (fault !== undefined) {
    const { line, col } = lineCounter.linePos(fault.offset);
    throw new KubernetesError(
      'kubeconfig-unusable',
      `${file}, line ${line}, column ${col}: ${fault.message}`,
    );
  }
  let content: unknown;
  try {
    content = document.toJS() ?? {};
  } catch {
    throw new KubernetesError(
      'kubeconfig-unusable',
      `${file}: this is not valid YAML: an alias has no anchor, or there are too many`,
    );
  }
  if (typeof content === 'object' && !Array.isArray(content)) return content as Record<string, unknown>;
  throw new KubernetesError(
    'kubeconfig-unusable',
    `${file}: this is not a kubeconfig: expected clusters, users and contexts`,
  );
}

/** Inline data of the kubeconfig overrides a file that it names. */
function bytes(data: string | null | undefined, file: string | null | undefined): Buffer | undefined {
  if (data) return Buffer.from(data, 'base64');
  return file ? readFileSync(file) : undefined;
}
