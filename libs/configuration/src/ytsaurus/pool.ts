import type { Origin } from '../tree.js';
import type { Node } from './node.js';

/** A pool as it is written, before it is known where in the tree it stands. */
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

/** Of a pool by that name below another; case counts nowhere. */
export const pathBelow = (above: string, name: string): string => `${above}.${name.toLowerCase()}`;
