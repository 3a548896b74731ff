import type { Cursor } from '#event-store';

const shape = /^(\d{1,20})-(\d{1,19})$/;

/** The place in the log that the id of a message of `GET /v1/live` stands for; undefined: it is no such id. */
export function lastSeenCursor(id: string): Cursor | undefined {
  const [, transactionId, position] = shape.exec(id) ?? [];
  return transactionId === undefined ? undefined : { transactionId, position: position! };
}

export const idOfCursor = ({ transactionId, position }: Cursor): string => `${transactionId}-${position}`;
