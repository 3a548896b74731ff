import tab from '@bomb.sh/tab';
import fromCommander from '@bomb.sh/tab/commander';
import { Command } from 'commander';
import { within } from '#waiting';
import { type NamesWanted, namesWanted } from '../input/names-wanted.js';
import type { Action, Invocation } from '../invocation/invocation.js';
import { clientOf } from '../server/client.js';
import { fullNamesLike } from '../server/full-name.js';

/** A shell that waits longer for a completion seems to hang. */
const answerMs = 2000;
const mostNames = 100;

/** The script of a shell. */
export const script: Action = {
  run: async (_invocation: Invocation, shell: string) => {
    tab.setup('curtail', 'curtail', shell);
  },
};

/** The completions of a line, as the script of any shell reads them. */
export const completionsOf = (program: Command): Action => ({
  run: async (invocation: Invocation, words: string[]) => {
    const completions = fromCommander(withoutCompletion(program), { completionCommandName: 'completion' });
    const wanted = namesWanted(words, partitionOf(invocation));
    if (wanted) {
      const names = await namesOf(invocation, wanted);
      const command = completions.commands.get(wanted.command);
      const offer = (add: (value: string, description: string) => void) => {
        for (const name of names) add(name, '');
      };
      if (wanted.option !== undefined) command?.option(wanted.option, '', offer);
      else for (const argument of command?.arguments.values() ?? []) argument.handler ??= offer;
    }
    completions.parse([...words]);
  },
});

/** The library adds commands for completion of its own. */
function withoutCompletion({ commands, options }: Command): Command {
  const bare = new Command('curtail');
  for (const option of options) bare.addOption(option);
  for (const command of commands) {
    if (!['completion', 'complete'].includes(command.name())) bare.addCommand(command);
  }
  return bare;
}

/** Undefined where the configuration of contexts has an error: the shell shows none. */
function partitionOf(invocation: Invocation): string | undefined {
  try {
    return invocation.connection.partition.value;
  } catch {
    return undefined;
  }
}

/** None where the server cannot be reached: the shell shows no errors. */
async function namesOf(invocation: Invocation, { kind, prefix, partition }: NamesWanted): Promise<string[]> {
  try {
    const client = clientOf(invocation);
    return await within({ ms: answerMs, signals: [] }, (signal) =>
      fullNamesLike(client, kind, prefix, partition, signal, mostNames),
    );
  } catch {
    return [];
  }
}
