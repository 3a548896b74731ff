import { sourceOfCluster } from '#contracts';
import { ClusterPoll } from '../cluster-poll.js';
import { polledPartition } from '../polled-inventory.js';
import type { ConfigurationSource, ReportSource, SourceConfiguration } from '../port.js';
import { makeConfiguration } from './configuration.js';
import { JobEvictor } from './evictor.js';
import { type TreeLook, takeLook } from './look.js';
import { chooseTree } from './pool-tree.js';
import type { YtApi } from './yt-api.js';
import { YtError } from './yt-error.js';
import { YtInventory } from './yt-inventory.js';

export interface YtsaurusClusterOptions {
  api: YtApi;
  /** The pool tree, whose name is also that of its partition; undefined: the default tree of the cluster, once it answers. */
  tree: string | undefined;
  /** Milliseconds after which lowered limits are enforced; undefined: at once, as YTsaurus does. */
  delayMs?: number | undefined;
  mode: () => 'observe' | 'enforce';
  /** The clock of this machine. */
  now: () => Date;
  /** Milliseconds of a monotonic clock; default: that of the process. */
  elapsed?: () => number;
  /** From the beginning of one look to that of the next; default 5 s. */
  everyMs?: number;
  onTrouble: (what: string, error: Error) => void;
}

const listAgainMs = 30_000;
const mostNamed = 5;

/** Polls one pool tree of YTsaurus, whose API reports no changes. A look that fails changes nothing, and confirms nothing that was known before. */
export class YtsaurusCluster {
  readonly evictor: JobEvictor;
  private readonly inventory: YtInventory;
  private readonly poll: ClusterPoll;
  private readonly elapsed: () => number;
  /** Once it is known. */
  private tree: string | undefined;
  /** The last look. */
  private look: TreeLook | undefined;
  private submission: { revision: string; data: SourceConfiguration } | undefined;
  private unsettled = '';

  constructor(private readonly options: YtsaurusClusterOptions) {
    this.elapsed = options.elapsed ?? (() => performance.now());
    this.poll = new ClusterPoll({
      look: () => this.lookOnce(),
      elapsed: options.elapsed,
      everyMs: options.everyMs,
      onFailure: (error) =>
        options.onTrouble('Could not read YTsaurus; nothing is concluded from that', error),
    });
    this.evictor = new JobEvictor(options.api, {
      mode: options.mode,
      preemptionTimeoutMs: () => this.look?.tree.preemptionTimeoutMs ?? 0,
      queueOf: (job) => this.inventory.queueOf(job),
      operationOf: (job) => this.inventory.operationOf(job),
      now: options.now,
      elapsed: this.elapsed,
      onTrouble: options.onTrouble,
    });
    this.inventory = new YtInventory({
      hasEnding: () => this.evictor.hasEnding,
      isEnding: (job) => this.evictor.isEnding(job),
    });
  }

  /** The name of the tree, once it is known. */
  get partitions(): readonly string[] {
    return this.tree === undefined ? [] : [this.tree];
  }

  /** The CloudEvents source of a sender for this cluster: the addresses of its proxies identify it. */
  speaksAs(sender: string): string {
    const cluster = this.options.api.urls.map((url) => new URL(url).host).sort();
    return sourceOfCluster(cluster.join(','), `agents/${encodeURIComponent(sender)}`);
  }

  /** Resolves when the tree is known. Tries until then. */
  start(onChange: () => void): Promise<void> {
    return this.poll.start(onChange);
  }

  stop(): Promise<void> {
    return this.poll.stop();
  }

  /** The number of known jobs, and how long ago the state was current that they are known from. */
  status(): { jobs: number; ageMs: number } {
    return { jobs: this.inventory.size, ageMs: this.poll.ageMs() };
  }

  partition(_name: string): ReportSource & ConfigurationSource {
    return polledPartition(this.poll, this.inventory, {
      configuration: () => this.submission?.data,
      onRefused: (message) =>
        this.options.onTrouble(
          'Curtail refused the configuration of YTsaurus',
          new YtError('configuration-refused', message),
        ),
    });
  }

  private async lookOnce(): Promise<boolean> {
    const { api, delayMs } = this.options;
    this.tree ??= await chooseTree(api, this.options.tree);
    const { tree } = this;
    const look = await takeLook(api, this.look, { tree, elapsed: this.elapsed, listAgainMs });
    if (look.nodes.length === 0) {
      throw new YtError(
        'no-nodes',
        `The pool tree ${tree} at ${api.url} has no node that is online: nothing can be planned there. Check the tree's filter of nodes, and whether its nodes are online.`,
      );
    }
    api.forgetUnused();
    await this.evictor.followUp(
      (operation, job) => look.operations.get(operation)?.jobs.some(({ id }) => id === job) === true,
    );
    const isSame = look.operations === this.look?.operations;
    this.look = look;
    this.inventory.show(look);
    if (!isSame) this.tellUnsettled(look);
    if (this.submission?.revision !== look.tree.revision) {
      this.submission = { revision: look.tree.revision, data: makeConfiguration(look.tree, delayMs) };
    }
    return true;
  }

  /** Says once which operations nothing is planned on. */
  private tellUnsettled({ operations }: TreeLook): void {
    const ids = [...operations.values()].filter((one) => !one.isSettled).map(({ id }) => id);
    const text = ids.sort().join();
    if (text === this.unsettled) return;
    this.unsettled = text;
    if (ids.length === 0) return;
    const named = ids.slice(0, mostNamed).join(', ');
    this.options.onTrouble(
      'Lists of YTsaurus do not fit what its scheduler shows; nothing is planned on these operations until they do',
      new YtError('unsettled', `${ids.length} operations, such as ${named}`),
    );
  }
}
