/** The class of a cell with a name: a short one stays in one line, a long one is broken, so that other columns have room. */
export const nameClass = (name: string | null | undefined): string =>
  (name ?? '').length <= 24 ? 'foreign whole' : 'foreign';
