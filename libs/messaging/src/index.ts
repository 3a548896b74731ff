export { trimAttempts } from './attempts.js';
export { BusError } from './bus-error.js';
export { ComposedBus } from './composed-bus.js';
export { type Consumer, type Effects, EventNotReady } from './consumer.js';
export { advanceCursor, lockCursor } from './cursor-table.js';
export { askForRetries, discardLetters, trimDeadLetters } from './dead-letter-table.js';
export {
  type ConsumerStatus,
  EVENT_BUS,
  type EventBus,
  type ForgedMessage,
  type WaitingConsumer,
} from './event-bus.js';
export { EventBusTransport, startEventHandlers } from './event-bus-transport.js';
export {
  type ConsumerOptions,
  consumerOf,
  EVENT_BUS_TRANSPORT,
  type GivenUp,
  givenUpBy,
  handledLateBy,
  subscriptionsOf,
} from './event-handlers.js';
export { InProcessBus } from './in-process-bus.js';
export { trimInbox } from './inbox.js';
export { REPUBLISHER, type Republisher } from './republisher.js';
