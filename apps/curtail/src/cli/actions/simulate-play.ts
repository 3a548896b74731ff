import type { Invocation } from '../invocation/invocation.js';
import { playScenario } from '../scenario/play-scenario.js';
import { readScenario } from '../scenario/read-scenario.js';
import { followUpCommands } from '../scenario/scenario-lines.js';
import { clientOf } from '../server/client.js';

export async function run(invocation: Invocation, file: string): Promise<undefined> {
  const scenario = await readScenario(file, invocation.terminal);
  const policy = await playScenario(invocation, clientOf(invocation), scenario);
  invocation.report('next: inspect the results:');
  for (const line of followUpCommands(scenario.partition, policy)) invocation.report(line);
}
