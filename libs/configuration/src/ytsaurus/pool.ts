import type { Origin } from '../tree.js';
import type { Node } from './node.js';

/** A pool as written, before its place in the tree is known. */
export interface Pool {
  name: string;
  /** Of the pool itself. */
  path: string;
  node: Node;
  origin: Origin;
  /** Undefined for a top pool. */
  parent: Pool | undefined;
  children: Pool[];
}

/** Of a pool with that name below another; names are case-insensitive. */
export const pathBelow = (above: string, name: string): string => `${above}.${name.toLowerCase()}`;
