/** Deeper causes are omitted. */
const deepest = 4;

/**
 * The log entry of an error. It omits most properties: those of a driver include the whole connection, and every lost
 * one would fill pages.
 */
export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return {
    type: error.name === 'Error' ? error.constructor.name : error.name,
    message: error.message,
    ...(typeof code === 'string' ? { code } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(cause instanceof Error && depth < deepest ? { cause: describeError(cause, depth + 1) } : {}),
  };
}
