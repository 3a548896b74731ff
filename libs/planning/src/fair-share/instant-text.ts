/** A time as plans and notices write it; null for none. */
export function instantText(instant: number): string | null {
  return Number.isNaN(instant) ? null : new Date(instant).toISOString();
}
