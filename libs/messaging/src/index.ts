export { trimAttempts } from './attempts.js';
export { type Consumer, type Effects, EventNotReady, HandleApart } from './consumer.js';
export { advanceCursor, lockCursor } from './cursor-table.js';
export { askForRetries, discardLetters, trimDeadLetters } from './dead-letter-table.js';
export {
  BusError,
  ComposedBus,
  type ConsumerStatus,
  EVENT_BUS,
  type EventBus,
  type ForgedMessage,
  REPUBLISHER,
  type Republisher,
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
export { LINE_SENDER, type LineSender } from './line-sender.js';
