import { Command, type ErrorOptions, type Option } from 'commander';
import { didYouMean } from '#contracts/ground';
import { shellWord } from './called.js';
import { UsageError } from './errors.js';
import { kindOfWord, stepFor, type WordKind } from './word-kind.js';

/** Options that take what others call otherwise. */
const otherNames: Record<string, readonly string[]> = {
  '--from': ['--since'],
  '--to': ['--until'],
  '--since': ['--from'],
  '--until': ['--to'],
  '--before': ['--until'],
  '--after': ['--since'],
  '--owner': ['--user'],
  '--app': ['--application'],
  '--job': ['--application'],
  '--group-by': ['--by'],
  '--force': ['--yes'],
  '--wait': ['--timeout'],
  '--config': ['--file'],
  '--format': ['--output'],
};

/** The options by which a command takes what was given to it as an argument. */
const optionsFor: Partial<Record<WordKind, readonly string[]>> = {
  queue: ['--queue', '--under'],
  enforcement: ['--enforcement'],
  file: ['--file', '--input', '--scenario'],
};

/** A command whose errors end with the next step, like all others: commander reports what is wrong with a call. */
export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** @throws UsageError always. */
  override error(message: string, { code = 'commander.error' }: ErrorOptions = {}): never {
    const [sentence, next] = this.explained(message, code);
    throw new UsageError(sentence, code, next ?? this.nextStep());
  }

  private explained(message: string, code: string): [sentence: string, next?: string] {
    if (code === 'commander.missingArgument') return [this.missingSentence()];
    if (code === 'commander.excessArguments') return this.excess();
    return [bare(message)];
  }

  /** Called by commander for an option that neither this command nor those above it have. @throws UsageError always. */
  unknownOption(flag: string): never {
    const other = otherNames[flag]?.find((name) => this.has(name));
    const meant = other === undefined ? didYouMean(flag, this.longNames()) : `; did you mean ${other}?`;
    return this.error(`error: unknown option '${flag}'${meant}`, { code: 'commander.unknownOption' });
  }

  /** Called by commander for a word that is none of the commands. @throws UsageError always. */
  unknownCommand(): never {
    const [word = ''] = this.args;
    const known = this.createHelp()
      .visibleCommands(this)
      .map((command) => command.name());
    return this.error(`error: unknown command '${word}'${didYouMean(word, known)}`, {
      code: 'commander.unknownCommand',
    });
  }

  private longNames(): string[] {
    const own = this.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));
    return this.parent instanceof CliCommand ? [...own, ...this.parent.longNames()] : own;
  }

  /** Commander gives only the name of the argument, and most say little without their description. */
  private missingSentence(): string {
    const missing = this.registeredArguments.find(
      ({ required }, i) => required && this.args[i] === undefined,
    );
    const choices = missing?.argChoices ? `, one of ${missing.argChoices.join(', ')}` : '';
    return `<${missing?.name()}> is missing: ${missing?.description}${choices}`;
  }

  /** An argument that the command does not take: often it takes it as an option, or another command does. */
  private excess(): [string, string?] {
    const taken = this.registeredArguments.length;
    const word = this.args[taken] ?? '';
    const { parent } = this;
    // The group was called without a command, and this is the one that runs then.
    if (taken === 0 && parent instanceof CliCommand && parent.args[0] !== this.name()) {
      const known = parent.commands.map((command) => command.name());
      return [`unknown command '${word}'${didYouMean(word, known)}`, parent.nextStep()];
    }
    const what = taken === 0 ? 'no arguments' : counted[taken];
    const sentence = `${this.called()} takes ${what ?? `${taken} arguments`}, and '${word}' is too many`;
    const kind = kindOfWord(word);
    if (kind === undefined) return [sentence];
    const option = optionsFor[kind]?.find((name) => this.has(name));
    const before = [this.called(), ...this.args.slice(0, taken).map(shellWord)].join(' ');
    return [
      sentence,
      option
        ? `give it as an option: ${before} ${option} ${shellWord(word)}`
        : stepFor(kind, this.topName(), shellWord(word)),
    ];
  }

  private has(option: string): boolean {
    return (
      this.options.some(({ long }) => long === option) ||
      (this.parent instanceof CliCommand && this.parent.has(option))
    );
  }

  private topName(): string {
    const { parent } = this;
    return parent instanceof CliCommand && parent.parent ? parent.topName() : this.name();
  }

  private nextStep(): string {
    const help = `${this.called()} --help`;
    return this.commands.length > 0 ? `see the commands: ${help}` : `see its arguments and options: ${help}`;
  }

  private called(): string {
    return this.parent instanceof CliCommand ? `${this.parent.called()} ${this.name()}` : this.name();
  }
}

const counted: Record<number, string> = { 1: 'one argument', 2: 'two arguments' };

/** Commander begins its texts like the lines that `reportError` writes. */
const bare = (text: string) => (text.startsWith('error: ') ? text.slice('error: '.length) : text);

const key = /"(?:[^"\\]|\\.)*"|[^.[\]]+/g;

/**
 * What the caller wrote for a field of a request: `--time-zone` for `timeZone`, `--max mem=…` for `alternatives[0].quotas[0].max.mem`,
 * `<queue>` for an argument. The field itself if nothing on the command line has its name.
 */
export function optionOf(command: Command, path: string): string {
  const keys = [...path.matchAll(key)].map(({ 0: text, index }) => {
    return {
      name: text.startsWith('"') ? (JSON.parse(text) as string) : text,
      from: index,
      to: index + text.length,
    };
  });
  // A pair that was given: its option may have another name than the field, as `--set` has.
  for (const { name, from } of keys) {
    const pair = command.options.find((option) => namesOfPairs(command, option).includes(name));
    if (pair) return `${pair.long} ${path.slice(from)}=…`;
  }
  for (const { name, to } of keys) {
    const option = command.options.find((one) => one.long && one.attributeName() === name);
    if (option) return [option.long, path.slice(to).replace(/^\./, '')].filter(Boolean).join(' ');
    if (command.registeredArguments.some((argument) => argument.name() === name)) return `<${name}>`;
  }
  return path.replace(/^query\./, '');
}

/** The same for fields inside a sentence, as far as they are no words of a language. */
export function withOptions(command: Command, text: string): string {
  return text.replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, (word) => {
    return command.options.find((option) => option.attributeName() === word)?.long ?? word;
  });
}

/** The names of `--max memory=120G` or `--set fit=within`. */
function namesOfPairs(command: Command, option: Option): string[] {
  if (!option.flags.includes('=')) return [];
  const given: unknown = command.getOptionValue(option.attributeName());
  if (Array.isArray(given)) return given.map((pair) => String(pair).split('=')[0] ?? '');
  return typeof given === 'object' && given !== null ? Object.keys(given) : [];
}
