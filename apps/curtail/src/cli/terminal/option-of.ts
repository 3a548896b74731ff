import type { Command, Option } from 'commander';

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
