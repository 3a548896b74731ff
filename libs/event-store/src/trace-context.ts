import type { Tx } from './database.js';
import type { StoredEvent } from './stored-event.js';

/** W3C Trace Context, as in the headers of a message. */
export interface EventTrace {
  traceparent: string;
  tracestate?: string | null;
}

const traces = new WeakMap<object, (key: string) => EventTrace | undefined>();

/**
 * Assigns the events of a transaction to traces: events appended to it from now on carry the trace that `find` returns
 * for their key, with a span of their own.
 */
export function traceOn(tx: Tx, find: (key: string) => EventTrace | undefined): void {
  traces.set(tx.queryRunner ?? tx, find);
}

/** The trace of an event that is appended now; undefined if it begins one. */
export function traceOf(
  tx: Tx,
  { key, cause = traces.get(tx.queryRunner ?? tx)?.(key) }: { key: string; cause?: EventTrace | undefined },
  id: string,
): EventTrace | undefined {
  if (!cause) return undefined;
  const { traceparent, tracestate } = cause;
  const span = bare(id).slice(0, 16);
  return {
    traceparent: `${traceparent.slice(0, traceIdEnd)}-${span}${traceparent.slice(-3)}`,
    tracestate: tracestate ?? null,
  };
}

/** The trace that an event begins: its id is the trace id, so that it is the same whenever the event is sent. */
export function rootTrace(id: string): EventTrace {
  return { traceparent: `00-${bare(id)}-${bare(id).slice(16)}-01` };
}

/** The trace that what follows from an event belongs to. */
export function traceOfEvent({
  id,
  traceparent,
  tracestate,
}: Pick<StoredEvent, 'id' | 'traceparent' | 'tracestate'>): EventTrace {
  return traceparent ? { traceparent, tracestate: tracestate ?? null } : rootTrace(id);
}

/** `00-` and 32 digits, followed by the span (16 digits) and the flags (2). */
const traceIdEnd = 35;

function bare(uuid: string): string {
  return uuid.replaceAll('-', '');
}
