import { CommandError, reportError } from '../errors.js';
import type { Invocation } from '../invocation.js';
import { Client } from '../server/client.js';
import { lookCloser } from '../story/look-closer.js';
import { playStory } from '../story/play-story.js';
import { readStory } from '../story/read-story.js';
import type { Terminal } from '../terminal.js';
import { type ExitStatus, exitStatus } from '../terminal.js';

interface StartOptions {
  data?: string;
  host?: string;
  port?: string;
  sample: boolean;
  mode?: 'observe' | 'enforce';
  story?: string;
  settings?: string;
  cluster?: string;
  context?: string;
  queues?: string;
  yunikornUrl?: string;
}

/** Everything in one process. Resolves when it runs; it ends with the process. */
export async function run(invocation: Invocation, options: StartOptions): Promise<ExitStatus> {
  const { terminal, token } = invocation;
  const { start } = await import('../../start/start.js');
  const story = options.story === undefined ? undefined : await readStory(options.story, terminal);
  // A service goes on when nobody reads any more what it prints.
  terminal.stdout.removeAllListeners('error').on('error', () => {});
  const sample = options.sample && story === undefined;
  const environment = { ...terminal.env, ...given({ ...options, sample, token }) };
  const { url, token: asked } = await start(
    environment,
    (error) => reportError(explained(error), terminal),
    story,
  ).catch((error: unknown) => {
    throw explained(error);
  });
  if (story !== undefined) {
    // It runs and goes on, whatever becomes of the story.
    const policy = await playStory(invocation, new Client(url, asked), story).catch((error: unknown) => {
      reportError(error, terminal);
      return undefined;
    });
    invocation.say('\nCurtail goes on. Look closer, in another terminal:');
    for (const line of lookCloser(story.partition, policy)) invocation.say(line);
  }
  return exitStatus.done;
}

/** Options as the variables that they stand for. */
function given({
  data,
  host,
  port,
  sample,
  mode,
  settings,
  cluster,
  context,
  queues,
  yunikornUrl,
  token,
}: StartOptions & { token: string | undefined }): Terminal['env'] {
  const variables = {
    CURTAIL_DATA: data,
    CURTAIL_HOST: host,
    CURTAIL_PORT: port,
    CURTAIL_SAMPLE: sample ? undefined : 'no',
    CURTAIL_MODE: mode,
    CURTAIL_SETTINGS: settings,
    CURTAIL_CLUSTER: cluster,
    CURTAIL_KUBERNETES_CONTEXT: context,
    CURTAIL_KUBERNETES_QUEUES: queues,
    CURTAIL_YUNIKORN_URL: yunikornUrl,
    CURTAIL_TOKEN: token,
  };
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined));
}

/** Settings that cannot be used are told one a line. */
function explained(error: unknown): unknown {
  if (!(error instanceof Error) || !error.message.includes('\n')) return error;
  const [sentence = '', ...list] = error.message.split('\n').map((line) => line.trim());
  return new CommandError(sentence.replace(/:$/, ''), {
    list,
    next: 'see all settings: curtail start --help',
  });
}
