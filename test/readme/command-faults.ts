import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type Command, CommanderError } from 'commander';
import { parse } from 'yaml';
import { aboutSetting, variablesOf } from '#platform';
import { allCommands } from '../../apps/curtail/src/cli/commands/index.js';
import { buildProgram } from '../../apps/curtail/src/cli/program.js';
import { readOptions } from '../../scripts/distributed/options.js';
import { apps, hasSource, knownNames, settingsOf } from '../deploy/apps.js';
import type { GuideCommand } from './guide-commands.js';
import { type SimpleCommand, shellCommands } from './shell-words.js';

/** What commander says where a sentence names an option without its value, or a group of commands. */
const incomplete = ['commander.optionMissingArgument', 'commander.help', 'commander.helpDisplayed'];
const commands = await allCommands();
/** What guides write for a number. */
const numbers = new Set(['VERSION']);
/** Programs of others, whose options only they know. */
const foreign = new Set(
  'cat chmod chronyc cp createdb curl df echo git grep gunzip head install journalctl kcat ln openssl pg_dump pg_restore pip printf psql python3 rm sed systemctl systemd-sysusers timedatectl'.split(
    ' ',
  ),
);

/** What is wrong with a command of a guide, as far as that shows without running it: options, files, values, names. */
export function faultsOf({ text, place }: GuideCommand): string[] {
  const faults: string[] = [];
  let folder = '.';
  for (const command of shellCommands(text.replaceAll('…', 'x'))) {
    const [program, ...rest] = command.words;
    faults.push(...command.variables.flatMap(([name, value]) => faultsOfVariable(name, value)));
    if (program === 'cd') folder = join(folder, rest[0] ?? '');
    else if (program !== undefined) faults.push(...faultsOfProgram(command, folder, place));
  }
  return faults;
}

function faultsOfProgram({ words }: SimpleCommand, folder: string, place: GuideCommand['place']): string[] {
  const [program = '', ...rest] = words;
  if (program === 'curtail') return faultsOfCurtail(rest, place);
  if (program === 'npx' && rest[0] === '--no-install')
    return faultsOfProgram({ words: rest.slice(1), variables: [], writes: [] }, folder, place);
  if (program === 'npx')
    return rest[0] === 'curtail' ? faultsOfCurtail(rest.slice(1), place) : faultsOfTool(rest);
  if (program === 'npm') return faultsOfNpm(rest, folder, place);
  if (program === 'node') return faultsOfFile(rest.find((word) => !word.startsWith('-')) ?? '');
  if (program === 'docker') return faultsOfDocker(rest, place);
  if (program === 'helm') return faultsOfHelm(rest);
  if (program === 'kubectl') return faultsOfKubectl(rest);
  if (program === 'export')
    return rest.flatMap((word) => {
      const [name = '', ...value] = word.split('=');
      return word.startsWith('$(') ? [] : faultsOfVariable(name, value.join('='));
    });
  if (program.startsWith('./')) return faultsOfFile(join(folder, program));
  // In a folder that the commands before it make.
  if (program.startsWith('.venv/') || program.startsWith('/')) return [];
  return foreign.has(program) || program === 'source'
    ? []
    : [`${program} is no program that this test knows`];
}

function faultsOfVariable(name: string, value: string): string[] {
  const known = [...apps, 'agent'].flatMap((app) => variablesOf(settingsOf(app)));
  if (!knownNames.has(name)) {
    const isRead = /^(PG|NODE_|NEW_DATABASE_URL)/.test(name) || isNamedInCode(name);
    return isRead ? [] : [`${name} is no setting, and no code reads it`];
  }
  if (value.includes('$')) return [];
  const accepted = known.some(
    (setting) => aboutSetting(setting).variable === name && setting.safeParse(value).success,
  );
  return accepted ? [] : [`${name} does not accept ${value}`];
}

function isNamedInCode(name: string): boolean {
  try {
    execFileSync(
      'git',
      [
        'grep',
        '-qF',
        '-e',
        name,
        '--',
        'apps',
        'libs',
        'scripts',
        'test',
        'bench',
        '*.mjs',
        '*.yml',
        ':!test/readme/*.spec.ts',
      ],
      { stdio: 'ignore' },
    );
    return true;
  } catch {
    return false;
  }
}

/** Parses the words as the program itself does, and calls nothing. */
function faultsOfCurtail(words: string[], place: GuideCommand['place']): string[] {
  let said = '';
  const quiet = new PassThrough().resume();
  const stderr = new PassThrough().on('data', (text) => {
    said += text;
  });
  const program = buildProgram(
    { stdin: new PassThrough(), stdout: quiet, stderr } as never,
    () => {},
    commands,
  );
  const disarm = (command: Command): void => {
    if (command.commands.length === 0) command.action(() => {});
    if (place === 'sentence') allOptional(command);
    for (const inner of command.commands) disarm(inner);
  };
  disarm(program);
  const given = words
    .map((word) => (numbers.has(word) ? '1' : word))
    .filter((word) => word !== 'x' || place !== 'sentence');
  try {
    program.parse(given, { from: 'user' });
    return faultsOfFiles(given, place);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0 || (place === 'sentence' && incomplete.includes(error.code))) return [];
    return [`${error.message} ${said}`.trim()];
  }
}

/** A sentence may name a command without what it needs. */
function allOptional(command: Command): void {
  for (const option of command.options) option.mandatory = false;
  for (const argument of command.registeredArguments) argument.required = false;
}

/** Files of the project that are named must be there; others are the reader's. */
function faultsOfFiles(words: string[], _place: GuideCommand['place']): string[] {
  return words.filter((word) => /^(examples|docs|deploy|test)\//.test(word)).flatMap(faultsOfFile);
}

function faultsOfFile(file: string): string[] {
  return existsSync(file) || (file.startsWith('dist/') && hasSource(file)) ? [] : [`${file} does not exist`];
}

function faultsOfTool([tool = '', ...words]: string[]): string[] {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  // `nest` is the program of @nestjs/cli.
  if (!(tool in devDependencies) && !(`@${tool}js/cli` in devDependencies))
    return [`${tool} is no dependency`];
  const paths = words.filter((word) => /^(apps|libs|test|scripts|bench)\//.test(word));
  return paths.flatMap((path) =>
    existsSync(path) || existsSync(join(path, '..')) ? [] : [`${path} does not exist`],
  );
}

const withoutScript = new Set(['audit', 'ci', 'install', 'pack', 'publish', 'test', 'start']);

function faultsOfNpm(words: string[], folder: string, place: GuideCommand['place']): string[] {
  const [verb = '', ...more] = words.filter((word) => word !== '-s');
  const script = verb === 'run' ? more.shift() : verb;
  const { scripts = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (!(script! in scripts)) return withoutScript.has(verb) ? [] : [`package.json has no script ${script}`];
  const [dashes, ...options] = more;
  if (dashes === undefined) return [];
  if (dashes !== '--') return [`npm keeps ${dashes} for itself: write -- before it`];
  if (script === 'start') return faultsOfCurtail(['start', ...options], place);
  if (script === 'start:distributed') return thrownBy(() => readOptions(options));
  if (script === 'test') return faultsOfTool(['jest', ...options]);
  return options.flatMap((option) =>
    option.startsWith('--') && !isNamedInCode(option) && !isNamedInCode(option.slice(2))
      ? [`${script} does not know ${option}`]
      : [],
  );
}

function thrownBy(call: () => unknown): string[] {
  try {
    call();
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

function faultsOfDocker(words: string[], place: GuideCommand['place']): string[] {
  const { services } = parse(readFileSync('docker-compose.yml', 'utf8')) as { services: object };
  const faults: string[] = [];
  const of = (name: string) => {
    if (!(name in services)) faults.push(`docker-compose.yml has no service ${name}`);
  };
  words.forEach((word, at) => {
    if (word === '--scale') of(words[at + 1]!.split('=')[0]!);
    if (word === 'exec') {
      of(words[at + 1]!);
      if (words[at + 2] === 'curtail') faults.push(...faultsOfCurtail(words.slice(at + 3), place));
    }
  });
  return [...faults, ...words.filter((word) => word.startsWith('dist/')).flatMap(faultsOfFile)];
}

function faultsOfHelm(words: string[]): string[] {
  const charts = words.filter((word) => word.startsWith('deploy/'));
  const values = parse(readFileSync('deploy/helm/curtail/values.yaml', 'utf8')) as object;
  const sets = words.flatMap((word, at) => (/^--set(-string|-json)?$/.test(word) ? [words[at + 1]!] : []));
  return [
    ...charts.flatMap(faultsOfFile),
    ...sets.flatMap((set) => {
      const path = set.split('=')[0]!.split('.');
      const name = path.at(-1)!;
      if (path.at(-2) === 'settings' || path[0] === 'settings')
        return knownNames.has(name) ? [] : [`${name} is no setting`];
      let here: unknown = values;
      for (const step of path) here = (here as Record<string, unknown> | undefined)?.[step];
      return here === undefined ? [`values.yaml has no ${path.join('.')}`] : [];
    }),
  ];
}

/** Curtail's own annotations, and the names of settings in a Secret. */
function faultsOfKubectl(words: string[]): string[] {
  return words.flatMap((word) => {
    const [, own] = /^(curtail\.io\/[a-z-]+)[=-]/.exec(word) ?? [];
    if (own !== undefined && !isNamedInCode(own)) return [`no code reads the annotation ${own}`];
    const [, secret] = /^--from-literal=([^=]+)=/.exec(word) ?? [];
    return secret !== undefined && !knownNames.has(secret) ? [`${secret} is no setting`] : [];
  });
}
