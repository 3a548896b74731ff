export { Agent } from './agent.js';
export { AgentError } from './agent-error.js';
export { InProcessTransport } from './in-process-transport.js';
export { PartitionAgents, type PartitionedCluster } from './partition-agents.js';
export type * from './port.js';
export { Sequence } from './sequence.js';
export type { ActInTerm, Term } from './term.js';
