import { type Amounts, type FakeOperation, type FakePool, sum, times, type World } from './world.js';
import type { Value } from './yson.js';

/** A node of the tree that paths name: attributes, and either children or a value. Children are made when they are asked for. */
export interface Place {
  attributes?: Record<string, Value>;
  children?: () => Map<string, () => Place>;
  value?: () => Value;
}

const leaf = (value: () => Value): Place => ({ value });
const folder = (entries: Record<string, () => Place>): Place => ({
  children: () => new Map(Object.entries(entries)),
});
const record = (value: () => Record<string, Value>): Place => ({
  children: () => new Map(Object.entries(value()).map(([key, item]) => [key, () => leaf(() => item)])),
  value,
});

/**
 * The parts of Cypress that agents read. Paths and fields of the orchid are those that the public web interface of YTsaurus reads
 * (`pool_trees/TREE/operations`, `pools` with `fields`, `resource_usage`, `resource_demand`, `starvation_status`), and those of nodes that
 * the client library's `scheduler_utilization` and the integration tests of the server read (`nodes` with `resource_limits`,
 * `resource_usage`, `scheduler_state`, `master_state`, `tags`; `node_addresses` of a tree; `allocations/ID/initial_resource_demand` of a node).
 */
export function cypress(world: World): Place {
  const pool = (of: FakePool): Place => ({
    attributes: { ...of.attributes, name: of.name, type: 'scheduler_pool', revision: of.revision },
    children: () => new Map([...of.children].map(([name, child]) => [name, () => pool(child)])),
  });
  const trees = new Map(
    [...world.trees.values()].map((tree) => [
      tree.name,
      (): Place => ({
        attributes: {
          ...tree.attributes,
          name: tree.name,
          type: 'scheduler_pool_tree',
          revision: tree.revision,
        },
        children: () => new Map([...tree.root.children].map(([name, child]) => [name, () => pool(child)])),
      }),
    ]),
  );
  return folder({
    sys: () =>
      folder({
        pool_trees: () => ({
          attributes: { default_tree: [...world.trees.keys()][0] ?? null, type: 'scheduler_pool_tree_map' },
          children: () => trees,
        }),
        scheduler: () => folder({ orchid: () => folder({ scheduler: () => scheduler(world) }) }),
        cluster_nodes: () => ({
          children: () =>
            new Map([...world.nodes.keys()].map((address) => [address, () => nodeOrchid(world, address)])),
        }),
      }),
  });
}

function scheduler(world: World): Place {
  const ofTrees = (make: (tree: string) => Place): Place => ({
    children: () => new Map([...world.trees.keys()].map((tree) => [tree, () => make(tree)])),
  });
  return folder({
    connected: () => leaf(() => world.connected),
    pool_trees: () =>
      ofTrees((tree) =>
        folder({
          operations: () => ({
            children: () =>
              new Map(
                world.operationsIn(tree).map((one) => [one.id, () => record(() => orchidOf(world, one))]),
              ),
          }),
          pools: () => ({ children: () => pools(world, tree) }),
          resource_limits: () => record(() => totalOf(world, tree)),
        }),
      ),
    scheduling_info_per_pool_tree: () =>
      ofTrees((tree) =>
        folder({
          node_addresses: () =>
            leaf(() =>
              [...world.nodes.values()].filter((one) => one.tree === tree).map((one) => one.address),
            ),
        }),
      ),
    nodes: () => ({
      children: () =>
        new Map(
          [...world.nodes.values()].map(({ address, limits, tags, state }) => [
            address,
            () =>
              record(() => ({
                resource_limits: sum(limits),
                resource_usage: world.usageOn(address),
                scheduler_state: state,
                master_state: state,
                tags,
              })),
          ]),
        ),
    }),
  });
}

const totalOf = (world: World, tree: string): Required<Amounts> =>
  sum(...[...world.nodes.values()].filter((one) => one.tree === tree).map(({ limits }) => limits));

function orchidOf(world: World, operation: FakeOperation): Record<string, Value> {
  const usage = world.usage(operation);
  const demand = operation.suspended ? usage : sum(usage, times(operation.job, operation.pending));
  return {
    pool: operation.pool,
    weight: operation.weight,
    resource_usage: usage,
    resource_demand: demand,
    ...shares(world, operation.tree, { usage, demand }),
    is_gang: operation.isGang,
    preemption_mode: operation.preemptionMode,
    type: 'vanilla',
    user: operation.user,
    title: 'test',
    scheduling_status: operation.suspended ? 'suspended' : 'normal',
    starvation_status: 'non_starving',
  };
}

function pools(world: World, tree: string): Map<string, () => Place> {
  const all = new Map<string, () => Place>();
  const visit = (pool: FakePool) => {
    all.set(pool.name, () =>
      record(() => {
        const operations = world.operationsIn(tree, pool);
        const usage = sum(...operations.map((one) => world.usage(one)));
        const demand = sum(usage, ...operations.map((one) => times(one.job, one.pending)));
        return {
          ...(pool.parent && { parent: pool.parent.name, mode: pool.attributes.mode ?? 'fair_share' }),
          resource_usage: usage,
          resource_demand: demand,
          ...shares(world, tree, { usage, demand }),
          operation_count: operations.length,
          running_operation_count: operations.length,
          is_ephemeral: pool.attributes.is_ephemeral === true,
          starvation_status: 'non_starving',
        };
      }),
    );
    for (const child of pool.children.values()) visit(child);
  };
  const { root } = world.trees.get(tree) ?? {};
  if (root) visit(root);
  return all;
}

/** The dominant shares, and a satisfaction that is only shown. */
function shares(world: World, tree: string, { usage, demand }: { usage: Amounts; demand: Amounts }) {
  const total = totalOf(world, tree);
  const dominant = (of: Amounts) =>
    Math.max(
      ...(['cpu', 'memory', 'user_slots'] as const).map((type) =>
        total[type] === 0 ? 0 : (of[type] ?? 0) / total[type],
      ),
    );
  return {
    usage_ratio: dominant(usage),
    demand_ratio: dominant(demand),
    fair_share_ratio: Math.min(1, dominant(demand)),
    satisfaction_ratio: 1,
  };
}

function nodeOrchid(world: World, address: string): Place {
  const allocations = () =>
    new Map(
      [...world.jobs.values()]
        .filter((job) => job.node === address && job.state === 'running')
        .map((job) => [
          job.allocation,
          () =>
            record(() => ({
              initial_resource_demand: sum(job.resources),
              base_resource_usage: sum(job.resources),
            })),
        ]),
    );
  return folder({
    orchid: () =>
      folder({
        exec_node: () =>
          folder({ job_controller: () => folder({ allocations: () => ({ children: allocations }) }) }),
      }),
  });
}
