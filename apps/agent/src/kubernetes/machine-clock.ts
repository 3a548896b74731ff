/**
 * The clock of this machine: an agent has no database. Curtail measures its error, and keeps requests open for longer accordingly. The
 * choice of the active agent does not depend on it.
 */
export const machineNow = (): Date => new Date();
