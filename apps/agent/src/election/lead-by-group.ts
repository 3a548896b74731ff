import type { ActInTerm } from '#agents';
import { GroupLeadership } from '#agents/kafka';
import { machineNow } from '../kubernetes/open-kubernetes.js';
import type { WatchingOptions } from '../watching/watched.js';

/**
 * Elects the active agent over Kafka, for clusters without leases: calls `act` whenever this agent is the active one, until `signal` aborts.
 *
 * @param agents the consumer group of the cluster's agents.
 */
export async function leadByGroup(
  agents: string,
  { kafka, log, onTrouble }: WatchingOptions,
  act: ActInTerm,
  signal: AbortSignal,
): Promise<void> {
  const group = `${agents}.active`;
  const leadership = new GroupLeadership({
    connection: kafka,
    group,
    now: machineNow,
    onTrouble: (error) =>
      onTrouble('Could not take part in the election of the active agent, or act as it', error),
  });
  log.info({ group }, `The agent is on standby in the group ${kafka.groupName(group)} of Kafka.`);
  await leadership.run(act, signal);
}
