import { PassThrough } from 'node:stream';
import tab from '@bomb.sh/tab';
import { allCommands } from '../../apps/curtail/src/cli/commands/index.js';
import { buildProgram } from '../../apps/curtail/src/cli/program.js';
import { programVersion } from '../../apps/curtail/src/cli/version.js';
import { manPage } from './man-page.js';

/** The files of the package that are made from the command line, by path: its manual page, and the scripts of `curtail completion`. */
export async function commandDocuments(): Promise<Record<string, string>> {
  const stream = new PassThrough();
  const program = buildProgram(
    { stdin: stream, stdout: stream, stderr: stream, env: {} },
    () => {},
    await allCommands(),
  );
  return {
    'man/curtail.1': manPage(program, programVersion()),
    'completions/curtail.bash': completionOf('bash'),
    'completions/_curtail': completionOf('zsh'),
    'completions/curtail.fish': completionOf('fish'),
  };
}

/** The library prints its scripts. */
function completionOf(shell: string): string {
  const { log } = console;
  let script = '';
  console.log = (text: string) => {
    script += `${text}\n`;
  };
  try {
    tab.setup('curtail', 'curtail', shell);
  } finally {
    console.log = log;
  }
  return script;
}
