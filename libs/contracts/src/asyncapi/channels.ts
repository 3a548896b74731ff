import type { Topic } from '../events/catalog.js';

export interface ChannelUse {
  from: string;
  to: string;
  key: string;
  /** Who Curtail is on this topic. */
  action: 'send' | 'receive';
  description: string;
}

const queueKey = 'the path of the queue';
const partitionKey = 'the partition';

/** Who sends on each topic, who receives, and what the key is: within a key, and only there, Kafka keeps the order. */
export const channelUses: Record<Topic, ChannelUse> = {
  'curtail.quota': {
    from: 'config-ingest',
    to: 'timer, console, anyone',
    key: `${queueKey}; of ConfigApplied and ConfigRefused ${partitionKey}`,
    action: 'send',
    description: 'What configurations came into force or were refused, and what they changed.',
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
    key: `${queueKey} or of the operation; of nodes root`,
    action: 'send',
    description: 'Who is below a fair share or starves, and the timers of that (policy fair-share).',
  },
  'curtail.plans': {
    from: 'planner, console',
    to: 'executor, console, anyone',
    key: queueKey,
    action: 'send',
    description: 'Plans, and what operators said of them.',
  },
  'curtail.evictions': {
    from: 'executor',
    to: 'console, anyone',
    key: `${queueKey} that is enforced`,
    action: 'send',
    description: 'What becomes of each victim.',
  },
  'curtail.control': {
    from: 'console',
    to: 'timer, executor, anyone',
    key: `${queueKey}, or ${partitionKey} where the whole partition is meant`,
    action: 'send',
    description: 'What operators said: kill switches, modes, runs called off.',
  },
  'curtail.evictions.requests': {
    from: 'executor',
    to: 'the platform service of the partition',
    key: `${queueKey} of the allocation`,
    action: 'send',
    description:
      'Evictions that the platform is asked for, and those that owners are told of before (CURTAIL_CLUSTER=inventory).',
  },
  'curtail.evictions.answers': {
    from: 'the platform service of the partition',
    to: 'executor',
    key: 'that of the request',
    action: 'receive',
    description: 'What the platform says to requests for eviction.',
  },
  'curtail.config.submissions': {
    from: 'platform services',
    to: 'config-ingest',
    key: partitionKey,
    action: 'receive',
    description: 'Whole configurations that are to come into force.',
  },
  'curtail.inventory': {
    from: 'the platform service of the partition',
    to: 'config-ingest',
    key: `${queueKey}; of nodes, listings and confirmations ${partitionKey}`,
    action: 'receive',
    description: 'What runs in the cluster (CURTAIL_CLUSTER=inventory).',
  },
};
