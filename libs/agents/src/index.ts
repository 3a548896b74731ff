export { Agent } from './agent.js';
export { AgentError } from './agent-error.js';
export type { ActInTerm, Term } from './group-leadership.js';
export { Sequence } from './inventory-changes.js';
export { PartitionAgents, type PartitionedCluster } from './partition-agents.js';
export type * from './port.js';
