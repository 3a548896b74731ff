import { Inject, Injectable } from '@nestjs/common';
import { CLUSTER_DRIVER, type ClusterDriver, type LiveGang } from '#clusters';
import {
  type CareFacts,
  gangsOf,
  isRound,
  type OwnerFacts,
  type PlannedVictim,
  type RunState,
  respectsBudgets,
  type VictimFacts,
} from '#enforcement';
import { FindOwnerFacts } from './owner-facts.js';

/** What is read together with the facts of victims; undefined for rounds. */
export type CareReads =
  | { owners: OwnerFacts[] | undefined; gangs: Map<string, LiveGang> | undefined }
  | undefined;

/**
 * Gathers what protects victims right before they are evicted: disruption budgets, gangs, and the victims of their owners in other runs
 * (docs/reference/policies/victim-care.md §4).
 */
@Injectable()
export class FindCareFacts {
  constructor(
    @Inject(CLUSTER_DRIVER) private readonly cluster: ClusterDriver,
    private readonly owners: FindOwnerFacts,
  ) {}

  async read(state: RunState, victims: readonly PlannedVictim[]): Promise<CareReads> {
    if (!state.planned || isRound(state)) return undefined;
    const [owners, gangs] = await Promise.all([
      this.owners.of(state, victims),
      this.gangs(state.planned.partition, state, victims),
    ]);
    return { owners, gangs };
  }

  /**
   * The same facts, with those that protect each victim. Unchanged for rounds.
   *
   * @param reads of the same victims, which were read with the facts.
   */
  async with(
    state: RunState,
    { victims, evictionId }: { victims: readonly PlannedVictim[]; evictionId?: string },
    facts: VictimFacts[],
    reads: CareReads,
  ): Promise<VictimFacts[]> {
    if (!state.planned || !reads || facts.some((found) => 'unreachable' in found)) return facts;
    const { owners, gangs } = reads;
    const budgets = await this.budgets(state.planned.partition, state, facts, evictionId);
    return facts.map((found, i): VictimFacts => {
      const owner = owners?.[i];
      const gang = gangs?.get(victims[i]!.application);
      const own: CareFacts = { ...(owner && { owner }), ...(budgets && { budgets }), ...(gang && { gang }) };
      return Object.keys(own).length === 0 ? found : { ...found, own };
    });
  }

  private async budgets(
    partition: string,
    state: RunState,
    facts: readonly VictimFacts[],
    evictionId: string | undefined,
  ): Promise<CareFacts['budgets']> {
    if (!respectsBudgets(state)) return undefined;
    const of = new Map<number, readonly string[]>();
    for (const found of facts) {
      const named = 'queues' in found ? found.allocation?.budgets : undefined;
      if (named && named.length > 0) of.set(found.rank, named);
    }
    if (of.size === 0) return undefined;
    const named = [...new Set([...of.values()].flat())];
    const known = await this.cluster.budgetsLeft(partition, named, evictionId);
    return { left: new Map(named.map((id) => [id, known.get(id) ?? 0])), of };
  }

  private async gangs(partition: string, state: RunState, victims: readonly PlannedVictim[]) {
    if (gangsOf(state) === 'ignore') return undefined;
    return this.cluster.gangs(partition, [...new Set(victims.map(({ application }) => application))]);
  }
}
