import { shownPolicy } from '../policies.js';

/** Commands that show what a story has left in its partition, by the policy whose rounds told it. */
export function lookCloser(partition: string, policy: string | undefined): string[] {
  return [...shownPolicy(policy).kinds, 'enforcements'].map(
    (noun) => `  curtail get ${noun} --partition ${partition}`,
  );
}
