import type { Invocation } from '../invocation.js';
import { clientOf } from '../server/client.js';
import { playStory } from '../story/play-story.js';
import { readStory } from '../story/read-story.js';
import { type ExitStatus, exitStatus } from '../terminal.js';

export async function run(invocation: Invocation, file: string): Promise<ExitStatus> {
  const story = await readStory(file, invocation.terminal);
  await playStory(invocation, clientOf(invocation), story);
  invocation.say(
    `next: look closer: curtail get rounds --partition ${story.partition}, curtail get enforcements --partition ${story.partition}`,
  );
  return exitStatus.done;
}
