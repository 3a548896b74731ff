import type { Topic } from '../events/catalog.js';

export interface ChannelUse {
  from: string;
  to: string;
  key: string;
  /** Curtail's role on this topic. */
  action: 'send' | 'receive';
  description: string;
}

const queueKey = 'the path of the queue';
const partitionKey = 'the partition';

/** Senders, receivers and key of each topic. Kafka keeps the order only within a key. */
export const channelUses: Record<Topic, ChannelUse> = {
  'curtail.quota': {
    from: 'config-ingest',
    to: 'timer, console, anyone',
    key: `${queueKey}; for ConfigApplied and ConfigRefused ${partitionKey}`,
    action: 'send',
    description: 'Configurations that came into force or were refused, and their changes.',
  },
  'curtail.enforcement': {
    from: 'timer, executor',
    to: 'planner, executor, console, anyone',
    key: queueKey,
    action: 'send',
    description: 'Clocks of queues, and their runs.',
  },
  'curtail.starvation': {
    from: 'planner',
    to: 'timer, console, anyone',
    key: `${queueKey} or of the operation; for nodes root`,
    action: 'send',
    description: 'Pools and operations that are below their fair share or starve, and their timers.',
  },
  'curtail.plans': {
    from: 'planner, console',
    to: 'executor, console, anyone',
    key: queueKey,
    action: 'send',
    description: 'Plans, and decisions of operators on them.',
  },
  'curtail.foresight': {
    from: 'planner',
    to: 'console, anyone',
    key: `${queueKey} of the clock`,
    action: 'send',
    description:
      'Advance notice: which allocations the runs of pending clocks would evict, and when that is withdrawn.',
  },
  'curtail.evictions': {
    from: 'executor',
    to: 'console, anyone',
    key: `${queueKey} that is enforced`,
    action: 'send',
    description: 'The outcome of each victim.',
  },
  'curtail.control': {
    from: 'console',
    to: 'timer, executor, agents, anyone',
    key: `${queueKey}, or ${partitionKey} for a command on all of it`,
    action: 'send',
    description: 'Commands of operators: kill switches, modes, cancelled runs; and answers of owners.',
  },
  'curtail.evictions.requests': {
    from: 'executor',
    to: 'the platform service of the partition',
    key: `${queueKey} of the allocation`,
    action: 'send',
    description:
      'Eviction requests to the platform, and notifications of owners before evictions (CURTAIL_CLUSTER=inventory).',
  },
  'curtail.evictions.answers': {
    from: 'the platform service of the partition',
    to: 'executor',
    key: 'that of the request',
    action: 'receive',
    description: 'Answers of the platform to eviction requests.',
  },
  'curtail.owner.answers': {
    from: 'platform services and agents, for owners',
    to: 'console',
    key: 'the allocation',
    action: 'receive',
    description: 'Answers of owners to upcoming evictions.',
  },
  'curtail.config.submissions': {
    from: 'platform services',
    to: 'config-ingest',
    key: partitionKey,
    action: 'receive',
    description: 'Complete configurations to put in force.',
  },
  'curtail.inventory': {
    from: 'the platform service of the partition',
    to: 'config-ingest',
    key: `${queueKey}; for nodes, listings and confirmations ${partitionKey}`,
    action: 'receive',
    description: 'What runs in the cluster (CURTAIL_CLUSTER=inventory).',
  },
};
