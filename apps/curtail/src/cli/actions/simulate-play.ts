import type { Invocation } from '../invocation/invocation.js';
import { playScenario } from '../scenario/play-scenario.js';
import { readScenario } from '../scenario/read-scenario.js';
import { followUpCommands } from '../scenario/scenario-lines.js';
import { clientOf } from '../server/client.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';

export async function run(invocation: Invocation, file: string): Promise<ExitStatus> {
  const scenario = await readScenario(file, invocation.terminal);
  const policy = await playScenario(invocation, clientOf(invocation), scenario);
  invocation.report('next: inspect the results:');
  for (const line of followUpCommands(scenario.partition, policy)) invocation.report(line);
  return exitStatus.done;
}
