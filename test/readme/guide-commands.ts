import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A command that a guide tells its reader to type. */
export interface GuideCommand {
  page: string;
  /** Of the page, from 1. */
  line: number;
  /** As it is printed, without `$`; lines that end in a backslash are joined. */
  text: string;
  /** compared: in a ```console block, with all that it prints. block: in another block. sentence: in a sentence, between backticks. */
  place: 'compared' | 'block' | 'sentence';
  /** The output that the page shows below it. */
  expected: string;
  /** Ended by Ctrl-C once that was printed. */
  interrupted: boolean;
}

/** What a reader may have to type. A block without a `$` is one of commands if it begins with one of these. */
const programs =
  'cd cp createdb curl curtail docker export git gunzip helm kubectl ln node npm npx openssl pg_dump pg_restore printf psql python3 source systemctl';
const isProgram = new Set(programs.split(' '));
/** `NAME=value` before a program, or alone. */
const assignment = /^[A-Z][A-Z0-9_]*=/;
const fences = new Set(['', 'console', 'sh', 'bash', 'shell']);

/** The guides: the pages that tell users, or developers in a checkout, what to type. */
export function guides(): string[] {
  return [
    'README.md',
    'CONTRIBUTING.md',
    'docs/development.md',
    ...pagesIn('docs/tutorial'),
    ...pagesIn('docs/how-to'),
    ...runbookPages(),
    ...pagesIn('examples'),
  ];
}

/** Typed while what they are about is wrong. */
export const runbookPages = (): string[] => pagesIn('docs/runbooks');

function pagesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => join(folder, name))
    .sort();
}

/** The commands of a page, in its order. */
export function commandsOf(page: string, text = readFileSync(page, 'utf8')): GuideCommand[] {
  const commands: GuideCommand[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const fence = /^( *)```(\w*)$/.exec(lines[at] ?? '');
    if (!fence) continue;
    const [, indent = '', kind = ''] = fence;
    const from = at + 1;
    while (++at < lines.length && lines[at] !== `${indent}\`\`\``);
    const block = lines.slice(from, at).map((line) => line.slice(indent.length));
    if (fences.has(kind))
      commands.push(...ofBlock(page, from + 1, block, kind === 'console' ? 'compared' : 'block'));
    lines.fill('', from - 1, at + 1);
  }
  return [...commands, ...ofSentences(page, lines.join('\n'))].sort((a, b) => a.line - b.line);
}

function ofSentences(page: string, text: string): GuideCommand[] {
  const code = /`((?:[A-Z][A-Z0-9_]*=\S+\s)*([a-z][\w-]*)\s(?:(?!\n\s*\n)[^`])+)`/g;
  return [...text.matchAll(code)]
    .filter(([, , program]) => isProgram.has(program!))
    .map(({ index, 1: command }) => ({
      ...{ page, place: 'sentence', expected: '', interrupted: false },
      line: text.slice(0, index).split('\n').length,
      text: command!.replaceAll(/\s+/g, ' '),
    }));
}

function ofBlock(page: string, first: number, block: string[], place: 'compared' | 'block'): GuideCommand[] {
  const prompted = block.some((line) => line.startsWith('$ '));
  if (!prompted && !begins(block.find((line) => line !== '') ?? '')) return [];
  const commands: GuideCommand[] = [];
  let continues = false;
  block.forEach((line, index) => {
    const last = commands.at(-1);
    if (continues) last!.text += `\n${line}`;
    else if (line.startsWith('$ ') || (!prompted && line !== ''))
      commands.push({
        ...{ page, line: first + index, place, expected: '', interrupted: false },
        text: prompted ? line.slice(2) : line,
      });
    else if (line === '^C') last!.interrupted = true;
    else if (prompted && last) last.expected += `${line}\n`;
    continues = (continues || line.startsWith('$ ') || !prompted) && line.endsWith('\\');
  });
  return commands;
}

function begins(line: string): boolean {
  return assignment.test(line) || line.startsWith('/') || isProgram.has(line.split(' ')[0]!);
}
