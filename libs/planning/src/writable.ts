/** Columns while they are read: their arrays can still be written. */
export type Writable<Columns> = {
  -readonly [Name in keyof Columns]: Columns[Name] extends readonly (infer Item)[] ? Item[] : Columns[Name];
};
