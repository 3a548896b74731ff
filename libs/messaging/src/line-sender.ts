/** Sends a line to a topic of the operator, which is not one of Curtail's. @throws Error with the reason. */
export type LineSender = (topic: string, line: string) => Promise<void>;

/** Nest token of the port; null is provided where there is no Kafka. */
export const LINE_SENDER = Symbol('LineSender');
