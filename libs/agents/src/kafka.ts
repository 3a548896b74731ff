export { EvictionRecords } from './eviction-records.js';
export { GroupLeadership } from './group-leadership.js';
export { agentRights, KafkaTransport } from './kafka-transport.js';
