export { EvictionRecords } from './eviction-records.js';
export { electionRights, GroupLeadership } from './group-leadership.js';
export { agentRights, KafkaTransport } from './kafka-transport.js';
