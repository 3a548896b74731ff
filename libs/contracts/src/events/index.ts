/** Schemas and the catalog of events; types of events are in `#contracts` as well. */
export { ownerAnswers } from './answers.js';
export * from './catalog.js';
export { checkData } from './check-data.js';
export { inboundLimits, moment, partitionName, queuePath } from './inbound-shapes.js';
export { eventName, schemaVersion, typesOf, upcast, upcasters } from './upcasters.js';
