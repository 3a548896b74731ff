import type { Resources } from '../planning/resources.js';

/** What a replay was asked for: equal requests are one work, and an unfinished one is resumed. */
export interface ReplayRequest {
  from?: string;
  to?: string;
  /** Of a shadow: the settings in place of those recorded; each plan takes those that its policy has. */
  settings?: Record<string, unknown>;
  /** Of a republication. */
  topic?: string;
  /** Of an archive: months that end at this time or before, and the folder below that of the settings. */
  before?: string;
  folder?: string;
}

export interface ReplayView {
  replay: string;
  into: 'projections' | 'digest' | 'shadow' | 'kafka' | 'archive';
  request: ReplayRequest;
  /** `interrupted`: its process has ended before it was done; the same request resumes it. */
  state: 'running' | 'stopped' | 'interrupted' | 'failed' | 'done';
  by: string;
  host: string;
  done: number;
  of: number;
  startedAt: string;
  updatedAt: string;
  endedAt: string | null;
  message: string | null;
  result: unknown;
}

export interface Difference {
  enforcement: string;
  queue: string;
  recorded: string;
  /** Null if no plan came out; `because` says why. */
  replayed: string | null;
  because?: string;
}

export interface DigestReplay {
  plans: number;
  same: number;
  /** The first thousand of them; `plans` without `same` and `notKept` is how many there are. */
  different: Difference[];
  /** Plans whose input is no longer kept: nothing can be said of them. */
  notKept: number;
}

/** What other settings would have made of one run. */
export interface ShadowDifference {
  enforcement: string;
  queue: string;
  /** Outcome as recorded, and with the other settings; null if there no plan came out, and `because` says why. */
  outcome: string;
  shadowOutcome: string | null;
  because?: string;
  victims: number;
  shadowVictims: number;
  /** Allocations that only the shadow chose, and that only the recorded plan did. */
  added: number;
  removed: number;
  /** The first of them. */
  addedFirst: string[];
  removedFirst: string[];
  /** What the victims hold in every type: the shadow's less the recorded ones'. Types without a difference are left out. */
  freedDifference: Resources;
}

export interface ShadowReplay {
  settings: Record<string, unknown>;
  plans: number;
  same: number;
  /** Runs for which the settings make a difference. */
  differ: number;
  /** Runs of a policy that has none of the settings, counted among `same`; absent for none. */
  notConcerned?: number;
  /** The first thousand of them. */
  different: ShadowDifference[];
  /** Plans whose input is no longer kept, with the first of their runs: they cannot be made again. */
  notKept: { count: number; first: string[] };
  /** Of the plans that could be made again: all victims and what they hold, as recorded and with the settings. */
  recorded: { victims: number; freed: Resources };
  shadow: { victims: number; freed: Resources };
  added: number;
  removed: number;
}

/** Events of the log that nobody can read. The live consumer put them aside; so they are left out here. */
export interface Unreadable {
  count: number;
  /** The first of them, in words. */
  first: string[];
}

export interface ProjectionsReplay {
  /** Events of the log that were read. */
  events: number;
  /** Rows of the tables that stand in the place of the old ones now. */
  runs: number;
  victims: number;
  notices: number;
  /** Events of a type or shape that this version does not know. */
  unreadable: Unreadable;
}

export interface Republication {
  topic: string;
  /** Messages that were sent; without any, those that would be. */
  events: number;
}
