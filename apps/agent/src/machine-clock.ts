/**
 * The clock of this machine: an agent has no database. Curtail measures by how much it is off, and keeps requests open for
 * longer by that; which agent acts is decided without it.
 */
export const machineNow = (): Date => new Date();
