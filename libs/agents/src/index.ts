export { Agent, type AgentParts } from './agent.js';
export { InProcessTransport } from './in-process-transport.js';
export { PartitionAgents, type PartitionedCluster } from './partition-agents.js';
export type * from './port.js';
export { Sequence } from './sequence.js';
