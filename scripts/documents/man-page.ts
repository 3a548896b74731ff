import type { EventEmitter } from 'node:events';
import type { Command, Help } from 'commander';

/** Text as troff prints it: hyphens that can be copied, and no line that begins a request. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '\\[u2026]')
    .replaceAll(/^(?=[.'])/gm, '\\&');
}

const bold = (text: string): string => `\\fB${roff(text)}\\fR`;

/** A term with its explanation below it. */
const term = (name: string, explanation: string): string[] => ['.TP', bold(name), roff(explanation)];

/** Lines as they are: commands to type. */
const verbatim = (lines: readonly string[]): string[] => [
  '.PP',
  '.nf',
  ...lines.map((line) => `\\&${roff(line)}`),
  '.fi',
];

/** The manual page of section 1: every command with what its `--help` shows, in troff (man(7)). */
export function manPage(program: Command, version: string): string {
  const help = program.createHelp();
  const lines = [
    '.\\" Made from the help of the command line by `npm run docs`: do not edit.',
    `.TH CURTAIL 1 "" "Curtail ${roff(version)}" "Manual of Curtail"`,
    // Names of options and settings are not broken.
    '.nh',
    '.ad l',
    '.SH NAME',
    `curtail \\- ${roff(program.description())}`,
    '.SH SYNOPSIS',
    `${bold('curtail')} ${roff('[options] <command> …')}`,
    '.SH OPTIONS',
    roff('Every command has these.'),
    ...help.visibleOptions(program).flatMap((option) => optionTerm(help, option)),
    ...textAfter(program),
    '.SH COMMANDS',
    ...commandsOf(help, program).flatMap((command) => sectionOf(help, command)),
    '.SH ENVIRONMENT',
    `Options above name their variables. ${bold('curtail start --help')} lists every setting of the service.`,
    '.SH SEE ALSO',
    `${roff('The guides and the reference in the folder')} ${bold('docs')} ${roff('of the package, from docs/README.md on.')}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** Those that do something, in the order of the help: for groups their inner ones. */
function commandsOf(help: Help, command: Command): Command[] {
  return help
    .visibleCommands(command)
    .filter((inner) => inner.name() !== 'help')
    .flatMap((inner) => {
      const own = commandsOf(help, inner);
      return own.length > 0 ? own : [inner];
    });
}

function sectionOf(help: Help, command: Command): string[] {
  return [
    `.SS ${roff(help.commandUsage(command))}`,
    roff(command.description()),
    ...help
      .visibleArguments(command)
      .flatMap((argument) => term(help.argumentTerm(argument), help.argumentDescription(argument))),
    ...help
      .visibleOptions(command)
      .filter(({ long }) => long !== '--help')
      .flatMap((option) => optionTerm(help, option)),
    ...textAfter(command),
  ];
}

const optionTerm = (help: Help, option: Parameters<Help['optionTerm']>[0]): string[] =>
  term(help.optionTerm(option), help.optionDescription(option));

/** What the help has below the options: sentences, and indented examples. */
function textAfter(command: Command): string[] {
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  // It is an emitter, which its types leave out.
  (command as Command & EventEmitter).emit('afterHelp', { error: false, command, write });
  const lines: string[] = [];
  let examples: string[] = [];
  const end = () => {
    if (examples.length > 0) lines.push(...verbatim(examples));
    examples = [];
  };
  for (const line of text.split('\n').filter((one) => one !== '')) {
    if (line.startsWith('  ')) {
      examples.push(line);
      continue;
    }
    end();
    lines.push('.PP', roff(line));
  }
  end();
  return lines;
}
