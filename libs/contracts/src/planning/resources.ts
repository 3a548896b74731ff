/**
 * Amounts by resource type, in base units: memory in bytes, `vcore` in millicores, everything else in units.
 * Whole numbers from 0 to 2^53 - 1. A type that is absent is not set: no limit, no guarantee, no use.
 * docs/reference/snapshot.md, "Resources".
 */
export type Resources = { readonly [type: string]: number };
