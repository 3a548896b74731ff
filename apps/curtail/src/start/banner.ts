/** What a person sees when everything runs: where it is, and what to try. */
export function banner({ url, seeded, mode }: { url: string; seeded: boolean; mode: string }): string {
  const lines = [
    '',
    `Curtail is running at ${url}  (mode: ${mode}, cluster: simulated)`,
    `  API and its description   ${url}/docs`,
    `  Metrics                   ${url}/metrics`,
    ...(seeded ? ['  A sample cluster is loaded, with the quotas of examples/queues.yaml.'] : []),
    '',
    'Try, in another terminal:',
    '  npx curtail get queues                                       what is used, and the quotas',
    '  npx curtail apply -f examples/queues-lowered.yaml --dry-run  what a lower quota would lead to',
    '  npx curtail apply -f examples/queues-lowered.yaml            lower it',
    '  npx curtail get timers --watch                               the delay runs',
    '  npx curtail get enforcements                                 what became of it',
    '',
    'Ctrl-C ends it; what was under way goes on at the next start.',
    '',
  ];
  return `${lines.join('\n')}\n`;
}
