import { openDatabase } from '@curtail/event-store';
import type { DataSource } from 'typeorm';

/** Nest token of the database as operators' commands reach it: by connections that nothing else uses. */
export const OPERATOR_DATABASE = Symbol('OperatorDatabase');

/** One command at a time is one transaction of a few statements; the second connection is for who asks meanwhile. */
const poolSize = 2;
/** A command that waits for a lock for longer is given up and told so, and leaves its connection to the next. */
const statementTimeoutMs = 5000;

/**
 * Opens the connections of operators' commands, and keeps them open: queries that have taken all others, or all that the server
 * grants, do not stand in the way of a stop.
 */
export function openOperatorDatabase(url: string, onPoolError: (error: Error) => void): Promise<DataSource> {
  return openDatabase(url, {
    poolSize,
    statementTimeoutMs,
    keepsConnections: true,
    applicationName: 'curtail-operator',
    onPoolError,
  });
}
