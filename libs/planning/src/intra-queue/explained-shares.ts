import type { ApplicationShare, Share, UserShare } from '#contracts';
import { resourcesOf } from '../writing/resources.js';
import type { AmountTable } from './amounts.js';
import type { QueuePlan } from './queue-plan.js';
import type { Round } from './round.js';

/** The entry of a planned queue; with `explain` also its users, by name, and its applications, the most entitled first. */
export function shareOf(round: Round, { shares, target, claimed }: QueuePlan): Share {
  const { names } = round.arithmetic;
  const written = (table: AmountTable, row = 0) =>
    resourcesOf(names, (place) => table[row * names.length + place]!);
  const { leaf, ranked, ideals, offers, matching, releasable } = shares;
  const share: Share = {
    queue: leaf.path,
    releasable: written(releasable),
    target: written(target),
    claimed: written(claimed),
  };
  if (!round.settings.explain) return share;
  const { ids } = round.snapshot.applications;
  const { used, limit } = leaf.users;
  const users = leaf.users.names
    .map((user, i): UserShare => ({ user, used: written(used, i), limit: written(limit, i) }))
    .sort((a, b) => (a.user < b.user ? -1 : 1));
  const applications = Array.from(
    ranked,
    (application, rank): ApplicationShare => ({
      application: ids[application]!,
      used: written(round.usage.used, application),
      pending: written(round.pending, application),
      ideal: written(ideals.ideal, rank),
      need: written(ideals.need, rank),
      offer: written(offers.offer, rank),
      give: written(matching.give, rank),
    }),
  );
  return { ...share, users, applications };
}
