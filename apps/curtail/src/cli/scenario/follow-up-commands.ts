/** Commands that show what a scenario has left in its partition, by the policy whose rounds ran. */
export function followUpCommands(partition: string, policy: string | undefined): string[] {
  const what = policy === 'fair-share' ? ['pools', 'operations', 'enforcements'] : ['rounds', 'enforcements'];
  return what.map((noun) => `  curtail get ${noun} --partition ${partition}`);
}
