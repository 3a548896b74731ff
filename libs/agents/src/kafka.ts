export { EvictionRecords } from './eviction-records.js';
export { GroupLeadership } from './group-leadership.js';
export { KafkaTransport } from './kafka-transport.js';
