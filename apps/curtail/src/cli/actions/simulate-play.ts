import type { Invocation } from '../invocation.js';
import { clientOf } from '../server/client.js';
import { lookCloser } from '../story/look-closer.js';
import { playStory } from '../story/play-story.js';
import { readStory } from '../story/read-story.js';
import { type ExitStatus, exitStatus } from '../terminal.js';

export async function run(invocation: Invocation, file: string): Promise<ExitStatus> {
  const story = await readStory(file, invocation.terminal);
  const policy = await playStory(invocation, clientOf(invocation), story);
  invocation.say('next: look closer:');
  for (const line of lookCloser(story.partition, policy)) invocation.say(line);
  return exitStatus.done;
}
