import { readFile, writeFile } from 'node:fs/promises';
import { commandsOf, type GuideCommand } from './guide-commands.js';
import { lasting } from './lasting.js';
import { answersToSentences, type Preparation } from './preparations.js';
import { escaped, headersOf, type Printed, type Reader, shows } from './reader.js';

/** `CURTAIL_README=write` puts what was printed into the ```console blocks of the pages, instead of comparing. */
export const writes = process.env.CURTAIL_README === 'write';

export interface Playing {
  preparation?: Preparation | undefined;
  /** Whether a command is typed at all. */
  isTyped: (command: GuideCommand) => boolean;
  /** What is wrong with a command that starts a Curtail. */
  start: (command: GuideCommand) => Promise<string | undefined>;
}

/**
 * Types the commands of a page, in its order; what is wrong, for each that is. What a ```console block shows must be what is printed, but for
 * times and ids. Other commands must succeed, and a table must have the columns that the page shows.
 */
export async function playPage(
  reader: Reader,
  page: string,
  { preparation, isTyped, start }: Playing,
): Promise<string[]> {
  const wrong: string[] = [];
  const commands = commandsOf(page).filter(isTyped);
  if (commands.length > 0) await reader.open(preparation);
  for (const command of commands) {
    const act = preparation?.acts?.[command.text];
    if (act) {
      await act();
      continue;
    }
    const fault = isStart(command)
      ? await start(command)
      : await faultOf(reader, command, preparation?.mayAnswer);
    if (fault !== undefined) wrong.push(`${page}:${command.line} $ ${command.text}\n${fault}`);
  }
  return wrong;
}

export const isStart = ({ text }: GuideCommand): boolean => text.startsWith('npm start');

async function faultOf(
  reader: Reader,
  command: GuideCommand,
  mayAnswer: RegExp[] = [],
): Promise<string | undefined> {
  const accepted = command.place === 'sentence' ? [...mayAnswer, ...answersToSentences] : mayAnswer;
  const isRight = (printed: Printed) =>
    command.place === 'compared' && !writes
      ? shows(command.expected, printed.output)
      : accepted.some((answer) => answer.test(printed.output)) || succeeded(command, printed);
  const printed = await reader.type(command, writes ? isSettled(command) : isRight);
  const here = printed.output.match(id) ?? [];
  (command.expected.match(id) ?? []).forEach((onPage, at) => {
    if (here[at]) reader.remember(onPage, here[at]);
  });
  if (writes && command.place === 'compared') await write(command, reader.onPage(printed.output));
  return isRight(printed) ? undefined : `exit status ${printed.status}\n${printed.output}`;
}

const id = /\b[er]-[0-9a-z]{12}\b/g;

function succeeded({ text, expected, interrupted }: GuideCommand, { output, status }: Printed): boolean {
  // With 1 a preview would evict, or a status needs attention.
  const isFine = interrupted || status === 0 || (status === 1 && /^(npx )?curtail /.test(text));
  if (/^error:/m.test(output) || !isFine) return false;
  // A list that is empty here has no columns, and reasons get one of their own only where there is one and room for it.
  const [here, onPage] = [headersOf(output), headersOf(expected)].map((lines) =>
    lines.map((line) => line.replace(/ WHY$/, '')),
  ) as [string[], string[]];
  return here.length === 0 || onPage.every((line) => here.includes(line));
}

/** While pages are written there is nothing to compare with: a list is read again until no queue is above its quota. */
function isSettled({ text }: GuideCommand): (printed: Printed) => boolean {
  return ({ output }) =>
    !/above its max/.test(output) &&
    (!/get enforcements/.test(text) || / ended |waits for approval/.test(lasting(output)));
}

async function write(command: GuideCommand, output: string): Promise<void> {
  const end = command.interrupted ? '^C\n' : '';
  const [before, after] = [command.expected, output].map((shown) => `$ ${command.text}\n${shown}${end}`) as [
    string,
    string,
  ];
  const text = await readFile(command.page, 'utf8');
  // In a list, blocks are indented. The same command may be there before, with other output.
  for (const indent of ['', '   ']) {
    const indented = (lines: string) => lines.replaceAll(/^(?=.)/gm, indent);
    const at = text.search(new RegExp(`^${escaped(indented(before))}(?= *\`\`\`| *\\$ )`, 'm'));
    if (at < 0) continue;
    const rest = text.slice(at + indented(before).length);
    return writeFile(command.page, text.slice(0, at) + indented(after) + rest);
  }
}
