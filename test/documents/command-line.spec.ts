import { readdirSync, readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { allCommands } from '../../apps/curtail/src/cli/commands/index.js';
import { buildProgram } from '../../apps/curtail/src/cli/program.js';

const page = readFileSync('docs/reference/cli.md', 'utf8');
const [, ...sections] = page.split(/^### /m);

const program = buildProgram(
  { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() } as never,
  () => {},
  await allCommands(),
);
const flagsOf = (command: Command) => command.options.map(({ long, short }) => [long, short].filter(Boolean));
/** A command with all of its own: `inventory` has `inventory reset`. */
const withInner = (command: Command) => [command, ...command.commands];

/** The section whose heading names the command, such as `### curtail stop, resume, mode`. */
function sectionOf(command: Command): string | undefined {
  return sections.find((section) => section.split('\n')[0]!.split(/[ ,]+/).includes(command.name()));
}

describe('docs/reference/cli.md', () => {
  it('has a section for each command', () => {
    const shown = program
      .createHelp()
      .visibleCommands(program)
      .filter((one) => one.name() !== 'help');
    expect(shown.filter((command) => !sectionOf(command)).map((one) => one.name())).toEqual([]);
  });

  it('names no option that no command has', () => {
    const known = new Set([program, ...program.commands.flatMap(withInner)].flatMap(flagsOf).flat());
    const unknown = [...page.matchAll(/(?<![\w-])--[a-z][\w-]*/g)]
      .map(([flag]) => flag)
      .filter((flag) => !known.has(flag) && flag !== '--help');
    expect([...new Set(unknown)]).toEqual([]);
  });
});

describe('commands in the documents', () => {
  const pages = ['README.md', ...['how-to', 'tutorial', 'explanation'].flatMap(pagesIn)];
  const written = pages.flatMap((name) =>
    commandsOf(readFileSync(name, 'utf8')).map((words) => ({ name, words })),
  );

  it('are commands of the program, with options that they have', () => {
    expect(written.length).toBeGreaterThan(100);
    const wrong = written.filter(({ words }) => !isKnown(program, words));
    expect(wrong.map(({ name, words }) => `${name}: ${words.join(' ')}`)).toEqual([]);
  });
});

function pagesIn(folder: string): string[] {
  return readdirSync(`docs/${folder}`)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${folder}/${name}`);
}

/** The commands in its blocks of code and in its sentences, as words. */
function commandsOf(text: string): string[][] {
  const written = /^ *(?:\$ )?(?:npx )?curtail ([a-z][^|>#\n]*)|`(?:npx )?curtail\s([a-z][^`]*)`/gm;
  return [...text.replaceAll('\\\n', ' ').matchAll(written)].map(([, line, inSentence]) =>
    (line ?? inSentence!).trim().split(/\s+/),
  );
}

function isKnown(command: Command, words: readonly string[]): boolean {
  const [first = '', ...rest] = words;
  const inner = command.commands.find((one) => [one.name(), ...one.aliases()].includes(first));
  if (inner) return isKnown(inner, rest);
  if (command.commands.length > 0 && /^[a-z]/.test(first)) return false;
  const flags = new Set([program, command].flatMap(flagsOf).flat());
  return words.every((word) => !/^--?[a-z]/.test(word) || flags.has(word.split('=')[0]));
}
