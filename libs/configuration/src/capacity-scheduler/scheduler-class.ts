import { quoted } from '../field.js';
import { schedulerClass } from './key-names.js';
import type { Keys } from './keys.js';

const capacityScheduler =
  'org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler';

/**
 * Refuses queues that the scheduler does not know: with the Fair or the FIFO Scheduler YARN reads no capacity-scheduler.xml, so none of its
 * limits is in force. A class of another name may be a scheduler made from the Capacity Scheduler. docs/reference/configuration.md,
 * "capacity-scheduler.xml"
 */
export function checkSchedulerClass(keys: Keys): void {
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
