import { type Delay, InputError, nodeLabelsProperty, parseDelayDuration } from '#contracts';
import { quoted } from '../field.js';
import type { Problems } from '../problems.js';
import type { Amounts, Origin, PartitionTree, QueueTree } from '../tree.js';
import { Capacities, type QueueCapacities } from './capacities.js';
import { readInQueuePolicy } from './in-queue-settings.js';
import { delayKey, Keys, scheduler, schedulerClass } from './keys.js';
import { readNodeLabels } from './node-labels.js';
import { byName, type Property } from './properties.js';
import { readQueueProperties } from './queue-properties.js';
import { type NamedQueue, readQueueTree } from './queue-tree.js';
import { warnOfUnknownKeys } from './unknown-keys.js';

/**
 * The configuration of YARN's Capacity Scheduler as one partition: its queues with their guarantees and limits, and in-queue preemption
 * with its settings. docs/reference/configuration.md, "capacity-scheduler.xml"
 *
 * @param partition its name; the format has none.
 */
export function readCapacityScheduler(
  properties: Iterable<Property>,
  partition: string,
  problems: Problems,
): PartitionTree {
  const keys = new Keys(byName(properties, problems), problems);
  checkSchedulerClass(keys);
  const queues = readQueueTree(keys);
  const capacities = new Capacities(keys).read(queues);
  const propertiesOf = readQueueProperties(queues, keys);
  const labels = readNodeLabels(keys);
  const policies = readInQueuePolicy(keys, labels.length === 0);
  let delayed = false;
  const build = (queue: NamedQueue): QueueTree => {
    const { guaranteed, max, clusterShare }: QueueCapacities = capacities.get(queue) ?? {};
    const prefix = `${scheduler}${queue.writtenPath}.`;
    const here = originOf(`${prefix}capacity`, keys, queue.origin);
    const maxOrigin = originOf(`${prefix}maximum-capacity`, keys, here);
    const delay = readDelay(`${prefix}${delayKey}`, keys);
    if (delay !== undefined && delay.ms > 0n) delayed = true;
    const properties =
      queue === queues && labels.length > 0
        ? { ...propertiesOf.get(queue), [nodeLabelsProperty]: labels }
        : propertiesOf.get(queue);
    return {
      path: queue.path,
      field: `${scheduler}${queue.writtenPath}`,
      origin: queue.origin,
      max: amountsOf(max, maxOrigin),
      maxOrigin,
      guaranteed: amountsOf(guaranteed, here),
      guaranteedOrigin: here,
      ...(clusterShare === undefined ? {} : { clusterShare }),
      ...(properties === undefined ? {} : { properties }),
      delay,
      delayOrigin: originOf(`${prefix}${delayKey}`, keys, queue.origin),
      maxApplications: 0,
      maxApplicationsOrigin: queue.origin,
      parent: queue.children.length > 0,
      children: queue.children.map(build),
    };
  };
  const root = build(queues);
  warnOfUnknownKeys(queues, keys);
  return {
    name: partition,
    origin: queues.origin,
    // YARN has no such delay: a key written for Curtail must not get lost. With node labels every sum would be wrong.
    quotaPreemptionEnabled: delayed && labels.length === 0,
    isSwitchedOff: false,
    policies,
    root,
  };
}

function readDelay(key: string, keys: Keys): Delay | undefined {
  const property = keys.take(key);
  if (property === undefined) return undefined;
  try {
    return parseDelayDuration({ type: 'text', text: property.value }, key);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    keys.problems.error(key, error.message, property);
    return undefined;
  }
}

function originOf(key: string, keys: Keys, otherwise: Origin): Origin {
  const property = keys.get(key);
  if (property === undefined) return otherwise;
  const { line, column, file } = property;
  return { path: key, line, column, ...(file === undefined ? {} : { file }) };
}

function amountsOf(amounts: ReadonlyMap<string, bigint> | undefined, origin: Origin): Amounts {
  return new Map([...(amounts ?? [])].map(([type, value]) => [type, { value, origin }]));
}

const capacityScheduler =
  'org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler';

/**
 * Refuses queues that the scheduler does not know: with the Fair or the FIFO Scheduler YARN reads no capacity-scheduler.xml, so none of its
 * limits is in force. A class of another name may be a scheduler made from the Capacity Scheduler. docs/reference/configuration.md,
 * "capacity-scheduler.xml"
 */
function checkSchedulerClass(keys: Keys): void {
  const property = keys.take(schedulerClass);
  const name = property?.value.split(/[.$]/).at(-1) ?? '';
  if (property === undefined || /CapacityScheduler$/.test(name)) return;
  const [, other] = /(Fair|Fifo)Scheduler$/i.exec(name) ?? [];
  if (other === undefined) {
    const message = `${quoted(name)} is not a scheduler that Curtail knows; if it does not read capacity-scheduler.xml, none of these queues limits anything`;
    keys.problems.warning('other-scheduler', property.name, message, property);
    return;
  }
  const title = other.toLowerCase() === 'fair' ? 'the Fair Scheduler' : 'the FIFO Scheduler';
  keys.refuse(
    property.name,
    `YARN runs ${title} and reads no capacity-scheduler.xml, so none of these queues is in force; write ${capacityScheduler} if it is to, or leave yarn-site.xml out to prepare the change`,
  );
}
