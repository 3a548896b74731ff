export const explainableKinds = ['enforcement', 'allocation', 'queue'] as const;

/** What is to be explained; its name may stand behind a slash. */
export interface Explainable {
  kind: (typeof explainableKinds)[number];
  name?: string;
}
