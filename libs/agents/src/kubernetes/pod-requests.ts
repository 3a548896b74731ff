import type { Resources } from '#contracts';
import type { ContainerStatus, Pod, ResourceList } from './objects.js';
import { baseUnits, parseKubernetesQuantity, resourceTypeOf } from './quantity.js';

type Amounts = Map<string, number>;

/**
 * The resources of a pod on its node, in base units, as the scheduler counts them: the sum of its containers and sidecars, or the
 * maximum of its init containers if that is more; for a pod that is being resized, the largest of its requested, allocated and actual
 * amounts; pod-level requests instead of the sum; and the overhead of its runtime. Every pod counts as one of `pods`.
 *
 * Each amount is rounded up before it is added, so a sum may exceed the exact one by less than a unit for each container.
 *
 * @throws InputError if an amount is not a quantity; the API server accepts no such pod.
 */
export function podRequests(pod: Pod): Resources {
  const statuses = new Map<string, ContainerStatus>();
  for (const status of pod.status?.containerStatuses ?? []) statuses.set(status.name, status);
  for (const status of pod.status?.initContainerStatuses ?? []) statuses.set(status.name, status);

  const sum: Amounts = new Map();
  for (const { name, resources } of pod.spec.containers) {
    add(sum, effective(pod, amounts(resources?.requests), statuses.get(name)));
  }
  const sidecars: Amounts = new Map();
  const beforeStart: Amounts = new Map();
  for (const { name, resources, restartPolicy } of pod.spec.initContainers ?? []) {
    const asked = amounts(resources?.requests);
    if (restartPolicy === 'Always') {
      const held = effective(pod, asked, statuses.get(name));
      add(sum, held);
      add(sidecars, held);
      raise(beforeStart, sidecars);
    } else {
      // It runs beside the sidecars started before it.
      add(asked, sidecars);
      raise(beforeStart, asked);
    }
  }
  raise(sum, beforeStart);
  replaceByPodLevel(pod, sum);
  add(sum, amounts(pod.spec.overhead));
  sum.set('pods', 1);
  return Object.fromEntries([...sum].filter(([, amount]) => amount > 0));
}

/** The allocatable amounts of a node, in base units. */
export function allocatable(list: ResourceList | undefined): Resources {
  return Object.fromEntries(amounts(list));
}

function replaceByPodLevel(pod: Pod, sum: Amounts): void {
  const asked = amounts(pod.spec.resources?.requests);
  const { resources, allocatedResources } = pod.status ?? {};
  const held =
    resources && effective(pod, asked, { name: '', resources, allocatedResources: allocatedResources ?? {} });
  for (const type of asked.keys()) {
    if (type !== 'vcore' && type !== 'memory' && !type.startsWith('hugepages-')) continue;
    sum.set(type, (held ?? asked).get(type) ?? 0);
  }
}

/** The amounts of a container during a resize; a request that is infeasible does not count. */
function effective(pod: Pod, asked: Amounts, status: ContainerStatus | undefined): Amounts {
  if (status?.resources === undefined) return asked;
  const held = amounts(status.resources.requests);
  raise(held, amounts(status.allocatedResources));
  const resize = pod.status?.conditions?.find(({ type }) => type === 'PodResizePending');
  if (resize?.reason !== 'Infeasible') raise(held, asked);
  return held;
}

/** A cache: pods of a cluster have few different amounts, and exact parsing is slow. */
const read = new Map<string, number>();
const mostRead = 10_000;

function amounts(list: ResourceList | undefined): Amounts {
  return new Map(
    Object.entries(list ?? {}).map(([name, text]) => [resourceTypeOf(name), amount(name, text)]),
  );
}

function amount(name: string, text: string): number {
  const key = `${name} ${text}`;
  const known = read.get(key);
  if (known !== undefined) return known;
  const exact = baseUnits(name, parseKubernetesQuantity(text, name));
  if (read.size === mostRead) read.clear();
  read.set(key, exact);
  return exact;
}

function add(sum: Amounts, more: Amounts): void {
  for (const [type, amount] of more) sum.set(type, (sum.get(type) ?? 0) + amount);
}

function raise(sum: Amounts, to: Amounts): void {
  for (const [type, amount] of to) sum.set(type, Math.max(sum.get(type) ?? 0, amount));
}
