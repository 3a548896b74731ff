import type { ClusterSnapshot, Resources, Trigger } from '#contracts';

/** A vector of kind plan; the words of its expectation are explained in `about.format` of the vector file. */
export interface PlanVector {
  name: string;
  kind: 'plan';
  snapshot: ClusterSnapshot;
  trigger: Trigger;
  settings: Record<string, unknown>;
  expect: PlanExpectation;
  expectDocument?: PlanExpectation;
  gate: 'both' | 'document' | 'peer' | 'none';
}

export interface ExpectedShare {
  queue: string;
  releasable?: Resources;
  target?: Resources;
  tolerance?: Resources;
}

export interface PlanExpectation {
  outcome?: string;
  target?: Resources;
  targetAnyOf?: Resources[];
  claimed?: Resources;
  claimedAtLeast?: Resources;
  claimedAtMost?: Resources;
  shortfall?: Resources;
  victims?: string[];
  victimsUnordered?: string[];
  victimsGroups?: string[][];
  victimsCount?: number;
  mustInclude?: string[];
  mustNotInclude?: string[];
  shares?: ExpectedShare[];
  sharesAbsent?: string[];
  sharesAbsentOrZero?: string[];
  sharesNear?: ExpectedShare[];
  sharesAtMost?: ExpectedShare[];
  sharesSum?: { leaves: string[] } & { [type: string]: number | string[] };
  floorsRespected?: boolean;
  permutationInvariant?: boolean;
  acceptable?: PlanExpectation[];
  collateral?: Resources;
  /** The reason by allocation. */
  spared?: Record<string, string>;
  /** The victims that have the field, and its value. */
  units?: Record<string, number>;
  overBudget?: Record<string, string[]>;
  /** For each, one notice with the code and all of the names. */
  notices?: { code: string; names: string[] }[];
  noticesAbsent?: string[];
  /** A part of the reason of a victim. */
  reasons?: Record<string, string>;
  /** The plan is refused. */
  error?: { path: string };
}

/** The expectations of a vector; null = the vector is for information. */
export function heldTo(
  vector: Pick<PlanVector, 'gate' | 'expect' | 'expectDocument'>,
): PlanExpectation | null {
  if (vector.gate === 'none') return null;
  return vector.gate === 'peer' ? vector.expect : (vector.expectDocument ?? vector.expect);
}
