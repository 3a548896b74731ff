import type { ApplicationShare, Share, UserShare } from '@curtail/contracts';
import { resourcesOf } from '../writing/resources.js';
import type { Amounts } from './amounts.js';
import type { QueuePlan } from './queue-plan.js';
import type { Round } from './round.js';

/** The entry of a planned queue; with `explain` also its users, by name, and its applications, the most entitled first. */
export function shareOf(round: Round, { shares, target, claimed }: QueuePlan): Share {
  const { names } = round.arithmetic;
  const written = (amounts: Amounts) => resourcesOf(names, (place) => amounts[place]!);
  const { leaf, ranked, ideals, offers, matching, releasable } = shares;
  const share: Share = {
    queue: leaf.path,
    releasable: written(releasable),
    target: written(target),
    claimed: written(claimed),
  };
  if (!round.settings.explain) return share;
  const users = leaf.users
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, used, limit }): UserShare => ({ user: name, used: written(used), limit: written(limit) }));
  const applications = ranked.map(
    ({ id, used, pending }, rank): ApplicationShare => ({
      application: id,
      used: written(used),
      pending: written(pending),
      ideal: written(ideals.ideal[rank]!),
      need: written(ideals.need[rank]!),
      offer: written(offers.offer[rank]!),
      give: written(matching.give[rank]!),
    }),
  );
  return { ...share, users, applications };
}
