import { shownPolicy } from '../resources/policies.js';

/** Commands that show the results of a scenario in its partition, by the policy whose rounds ran. */
export function followUpCommands(partition: string, policy: string | undefined): string[] {
  return [...shownPolicy(policy).kinds, 'enforcements'].map(
    (noun) => `  curtail get ${noun} --partition ${partition}`,
  );
}
