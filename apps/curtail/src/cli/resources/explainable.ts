export const explainableKinds = ['enforcement', 'allocation', 'application', 'user', 'queue'] as const;

/** The kind to explain; its name may follow a slash. */
export interface Explainable {
  kind: (typeof explainableKinds)[number];
  name?: string;
}
