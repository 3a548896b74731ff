import type { Fact, Facts } from '#contracts';

/** A rule that decided for this many victims, one after the other by rank. */
export interface RuleRun {
  /** Its code, one of those in words.ts. It keeps the code: the log has it. */
  rule: string;
  count: number;
  /** By name: a fact of each victim, by rank, or one that is the same for all of them. Absent: the rule has none. */
  facts?: Record<string, Fact | Fact[]>;
}

/** Why one victim was chosen. */
export interface DecidedCandidate {
  rule: string;
  facts?: Facts;
}

/** The deciding rules of the victims of a plan and their facts, beside it: in the plan they would change its bytes. */
export class DecidingRules {
  /** By rank, from the first. */
  readonly runs: RuleRun[] = [];

  /** Of the next victim by rank. */
  add(rule: string, facts: Facts = {}): void {
    const last = this.runs.at(-1);
    if (last?.rule === rule && hasSameNames(last.facts ?? {}, facts)) {
      for (const name in facts) addFact(last.facts!, name, facts[name]!, last.count);
      last.count++;
    } else {
      this.runs.push({ rule, count: 1, ...(isEmpty(facts) ? {} : { facts: { ...facts } }) });
    }
  }
}

/** The decisions by rank, one for each victim. */
export function* decisionsOf(runs: readonly RuleRun[]): Generator<DecidedCandidate, undefined> {
  for (const { rule, count, facts } of runs) {
    for (let i = 0; i < count; i++) yield facts === undefined ? { rule } : { rule, facts: factsAt(facts, i) };
  }
}

function addFact(facts: Record<string, Fact | Fact[]>, name: string, fact: Fact, before: number): void {
  const known = facts[name]!;
  if (Array.isArray(known)) known.push(fact);
  else if (known !== fact) facts[name] = [...new Array<Fact>(before).fill(known), fact];
}

function factsAt(facts: NonNullable<RuleRun['facts']>, i: number): Facts {
  return Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [name, Array.isArray(fact) ? fact[i]! : fact]),
  );
}

function hasSameNames(a: object, b: object): boolean {
  for (const name in a) if (!Object.hasOwn(b, name)) return false;
  for (const name in b) if (!Object.hasOwn(a, name)) return false;
  return true;
}

function isEmpty(facts: Facts): boolean {
  for (const _ in facts) return false;
  return true;
}
