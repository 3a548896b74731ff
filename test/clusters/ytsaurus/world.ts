import { randomBytes } from 'node:crypto';

/** Amounts as YTsaurus writes them: cores, bytes, numbers of slots. */
export interface Amounts {
  cpu?: number;
  memory?: number;
  user_slots?: number;
  gpu?: number;
  network?: number;
}

export interface FakePool {
  name: string;
  attributes: Record<string, unknown>;
  children: Map<string, FakePool>;
  parent: FakePool | undefined;
  revision: number;
}

export interface FakeTree {
  name: string;
  attributes: Record<string, unknown>;
  root: FakePool;
  revision: number;
}

export interface FakeNode {
  address: string;
  limits: Amounts;
  tags: string[];
  tree: string;
  state: 'online' | 'offline';
}

export interface FakeJob {
  id: string;
  allocation: string;
  operation: string;
  task: string;
  node: string;
  resources: Amounts;
  startedAt: number;
  state: 'running' | 'completed' | 'aborted';
  /** When an interrupt was asked for. */
  interruptedAt?: number;
  /** When the interrupt turns into an abort. */
  abortAt?: number;
}

export interface FakeOperation {
  id: string;
  user: string;
  tree: string;
  pool: string;
  weight: number;
  state: string;
  startedAt: number;
  suspended: boolean;
  isGang: boolean;
  preemptionMode: 'normal' | 'graceful';
  limits: Amounts;
  tagFilter: string;
  /** What one job asks for. */
  job: Amounts;
  pending: number;
  /** Whether a job that was aborted is asked for again. */
  retries: boolean;
  /** Whether its jobs take interrupts: they finish their row after that time. undefined: they refuse them. */
  finishesAfterMs: number | undefined;
  jobs: Set<string>;
}

const types = ['cpu', 'memory', 'user_slots', 'gpu', 'network'] as const;

export const sum = (...all: Amounts[]): Required<Amounts> =>
  Object.fromEntries(
    types.map((type) => [type, all.reduce((total, one) => total + (one[type] ?? 0), 0)]),
  ) as unknown as Required<Amounts>;

export const times = (amounts: Amounts, count: number): Amounts =>
  Object.fromEntries(types.map((type) => [type, (amounts[type] ?? 0) * count])) as Amounts;

const fits = (asked: Amounts, room: Amounts): boolean =>
  types.every((type) => (asked[type] ?? 0) <= (room[type] ?? 0));

/** `1a2b-3c4d-5e6f-7a8b`, as YTsaurus writes them. */
export const newId = (): string =>
  [...Array(4)].map(() => randomBytes(4).readUInt32BE().toString(16)).join('-');

/** A cluster of YTsaurus: trees, nodes, operations and their jobs, with a scheduler that starts work where it fits and never preempts. */
export class World {
  readonly trees = new Map<string, FakeTree>();
  readonly nodes = new Map<string, FakeNode>();
  readonly operations = new Map<string, FakeOperation>();
  readonly jobs = new Map<string, FakeJob>();
  /** false: the scheduler has lost its masters, and its orchid is old. */
  connected = true;
  /** false: pending jobs wait, whatever fits. */
  schedules = true;
  private readonly interrupted = new Set<FakeJob>();
  private isScheduling = false;
  private revision = 1;
  now: () => number = Date.now;

  addTree(name: string, config: Record<string, unknown> = { main_resource: 'cpu' }): FakeTree {
    const root: FakePool = {
      name: '<Root>',
      attributes: {},
      children: new Map(),
      parent: undefined,
      revision: ++this.revision,
    };
    const tree: FakeTree = { name, attributes: { config }, root, revision: ++this.revision };
    this.trees.set(name, tree);
    return tree;
  }

  /** @param path from the top: `prod/batch`. */
  addPool(tree: string, path: string, attributes: Record<string, unknown> = {}): FakePool {
    const parts = path.split('/');
    const name = parts.at(-1) ?? '';
    const parent = this.pool(tree, parts.slice(0, -1).join('/'));
    const pool = { name, attributes, children: new Map(), parent, revision: ++this.revision };
    parent.children.set(name, pool);
    return pool;
  }

  pool(tree: string, path: string): FakePool {
    let pool = this.trees.get(tree)?.root;
    for (const part of path.split('/').filter((one) => one !== '')) pool = pool?.children.get(part);
    if (pool === undefined) throw new Error(`there is no pool ${path} in ${tree}`);
    return pool;
  }

  setAttribute(of: FakePool | FakeTree, name: string, value: unknown): void {
    of.attributes[name] = value;
    of.revision = ++this.revision;
  }

  removeAttribute(of: FakePool | FakeTree, name: string): void {
    delete of.attributes[name];
    of.revision = ++this.revision;
  }

  addNode(address: string, limits: Amounts, tree: string, tags: string[] = []): FakeNode {
    const node: FakeNode = { address, limits, tags, tree, state: 'online' };
    this.nodes.set(address, node);
    return node;
  }

  addOperation(of: Partial<FakeOperation> & Pick<FakeOperation, 'pool' | 'job' | 'pending'>): FakeOperation {
    const operation: FakeOperation = {
      id: newId(),
      user: 'alice',
      tree: [...this.trees.keys()][0] ?? '',
      weight: 1,
      state: 'running',
      startedAt: this.now(),
      suspended: false,
      isGang: false,
      preemptionMode: 'normal',
      limits: {},
      tagFilter: '',
      retries: true,
      finishesAfterMs: 0,
      jobs: new Set(),
      ...of,
    };
    operation.job = { user_slots: 1, ...operation.job };
    this.operations.set(operation.id, operation);
    this.schedule();
    return operation;
  }

  /** Starts a job at once, whatever fits. */
  startJob(operation: FakeOperation, node: string, own: Partial<FakeJob> = {}): FakeJob {
    const job: FakeJob = {
      id: newId(),
      allocation: newId(),
      operation: operation.id,
      task: 'map',
      node,
      resources: operation.job,
      startedAt: this.now(),
      state: 'running',
      ...own,
    };
    this.jobs.set(job.id, job);
    operation.jobs.add(job.id);
    return job;
  }

  running(operation: FakeOperation): FakeJob[] {
    this.passTime();
    return [...operation.jobs]
      .flatMap((id) => this.jobs.get(id) ?? [])
      .filter((job) => job.state === 'running');
  }

  endJob(job: FakeJob, state: 'completed' | 'aborted'): void {
    if (job.state !== 'running') return;
    job.state = state;
    const operation = this.operations.get(job.operation);
    operation?.jobs.delete(job.id);
    if (state === 'aborted' && operation?.retries && operation.state === 'running') operation.pending++;
    this.schedule();
  }

  endOperation(operation: FakeOperation): void {
    operation.state = 'completed';
    operation.pending = 0;
    for (const job of this.running(operation)) this.endJob(job, 'completed');
  }

  usage(operation: FakeOperation): Required<Amounts> {
    return sum(...this.running(operation).map(({ resources }) => resources));
  }

  usageOn(address: string): Required<Amounts> {
    const here = [...this.operations.values()].flatMap((operation) =>
      this.running(operation).filter(({ node }) => node === address),
    );
    return sum(...here.map(({ resources }) => resources));
  }

  isIn(operation: FakeOperation, pool: FakePool): boolean {
    for (let at: FakePool | undefined = this.poolOf(operation); at !== undefined; at = at.parent)
      if (at === pool) return true;
    return false;
  }

  poolOf({ tree, pool }: FakeOperation): FakePool | undefined {
    const find = (at: FakePool): FakePool | undefined => {
      if (at.name === pool) return at;
      for (const child of at.children.values()) {
        const found = find(child);
        if (found !== undefined) return found;
      }
      return undefined;
    };
    const { root } = this.trees.get(tree) ?? {};
    return root && find(root);
  }

  operationsIn(tree: string, pool?: FakePool): FakeOperation[] {
    return [...this.operations.values()].filter(
      (one) => one.tree === tree && one.state === 'running' && (pool === undefined || this.isIn(one, pool)),
    );
  }

  /** What time has brought: interrupted jobs that finished, or were aborted at the end of their timeout. */
  passTime(): void {
    const now = this.now();
    for (const job of this.interrupted) {
      if (job.state !== 'running' || job.interruptedAt === undefined) {
        this.interrupted.delete(job);
        continue;
      }
      const finishes = this.operations.get(job.operation)?.finishesAfterMs;
      if (finishes !== undefined && now >= job.interruptedAt + finishes) this.endJob(job, 'completed');
      else if (job.abortAt !== undefined && now >= job.abortAt) this.endJob(job, 'aborted');
    }
  }

  interrupt(job: FakeJob, timeoutMs: number): void {
    job.interruptedAt ??= this.now();
    job.abortAt = this.now() + timeoutMs;
    this.interrupted.add(job);
  }

  schedule(): void {
    if (!this.schedules || this.isScheduling) return;
    this.isScheduling = true;
    try {
      this.start();
    } finally {
      this.isScheduling = false;
    }
  }

  /** Starts what fits, the operation that has least for its weight first. */
  private start(): void {
    const free = new Map(
      [...this.nodes.values()].map((node) => {
        const used = times(this.usageOn(node.address), -1);
        return [node.address, sum(node.limits, used)] as const;
      }),
    );
    const blocked = new Set<FakeOperation>();
    for (;;) {
      const waiting = [...this.operations.values()]
        .filter((one) => one.state === 'running' && !one.suspended && one.pending > 0 && !blocked.has(one))
        .sort((a, b) => a.jobs.size / a.weight - b.jobs.size / b.weight);
      const [next] = waiting;
      if (next === undefined) return;
      const place = [...this.nodes.values()].find(
        ({ address, state, tree, tags }) =>
          state === 'online' &&
          tree === next.tree &&
          (next.tagFilter === '' || tags.includes(next.tagFilter)) &&
          fits(next.job, free.get(address) ?? {}),
      );
      if (place === undefined || !this.isWithinLimits(next)) {
        blocked.add(next);
        continue;
      }
      next.pending--;
      this.startJob(next, place.address);
      free.set(place.address, sum(free.get(place.address) ?? {}, times(next.job, -1)));
    }
  }

  private isWithinLimits(operation: FakeOperation): boolean {
    for (let pool = this.poolOf(operation); pool !== undefined; pool = pool.parent) {
      const limits = pool.attributes.resource_limits as Amounts | undefined;
      if (limits === undefined) continue;
      const used = sum(
        operation.job,
        ...this.operationsIn(operation.tree, pool).map((one) => this.usage(one)),
      );
      if (types.some((type) => limits[type] !== undefined && used[type] > (limits[type] ?? 0))) return false;
    }
    return true;
  }
}
