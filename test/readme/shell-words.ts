/** Separates one command of a shell from the next. */
const operators = /^(&&|\|\||[|;&\n])/;
const redirection = /^(\d?>>?|<)/;

export interface SimpleCommand {
  /** `NAME=value` before the program. */
  variables: [name: string, value: string][];
  /** The program and its arguments, without quotes. */
  words: string[];
  /** Files that its output goes to. */
  writes: string[];
}

/**
 * The simple commands of a line for a shell, those in `$(…)` before the one that they are part of. Knows what guides use: quotes,
 * backslashes, `$(…)`, pipes, lists, redirections, comments. `$(…)` itself stays in its word as it is.
 */
export function shellCommands(line: string): SimpleCommand[] {
  const commands: SimpleCommand[] = [];
  const inner: SimpleCommand[] = [];
  let words: string[] = [];
  let writes: string[] = [];
  let word: string | undefined;
  let redirects = false;
  const endWord = () => {
    if (word === undefined) return;
    (redirects ? writes : words).push(word);
    redirects = false;
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push(simple(words, writes));
    [words, writes] = [[], []];
  };
  for (let rest = line; rest !== ''; ) {
    const take = (length: number) => {
      const taken = rest.slice(0, length);
      rest = rest.slice(length);
      return taken;
    };
    const nested = /^\$\(/.test(rest) ? nestedLength(rest) : 0;
    if (nested > 0) {
      const text = take(nested);
      inner.push(...shellCommands(text.slice(2, -1)));
      word = (word ?? '') + text;
    } else if (rest.startsWith("'")) word = (word ?? '') + take(rest.indexOf("'", 1) + 1).slice(1, -1);
    else if (rest.startsWith('"')) {
      const text = take(/^"(\\.|\$\((?:[^()]*)\)|[^"\\])*"/s.exec(rest)?.[0].length ?? rest.length);
      for (const [, command] of text.matchAll(/\$\(([^()]*)\)/g)) inner.push(...shellCommands(command!));
      word = (word ?? '') + text.slice(1, -1).replaceAll(/\\(["\\$`])/g, '$1');
    } else if (rest.startsWith('\\\n')) take(2);
    else if (rest.startsWith('\\')) word = (word ?? '') + take(2).slice(1);
    else if (rest.startsWith('#') && word === undefined) take(/^[^\n]*/.exec(rest)![0].length);
    else if (redirection.test(rest) && (word === undefined || !/^\d/.test(rest))) {
      endWord();
      redirects = true;
      take(redirection.exec(rest)![0].length);
    } else if (operators.test(rest)) {
      endCommand();
      take(operators.exec(rest)![0].length);
    } else if (/^\s/.test(rest)) {
      endWord();
      take(1);
    } else word = (word ?? '') + take(1);
  }
  endCommand();
  return [...inner, ...commands];
}

/** Of a `$(…)` at the beginning, with the `$(…)` in it. */
function nestedLength(text: string): number {
  let depth = 0;
  for (let at = 1; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')' && --depth === 0) return at + 1;
  }
  return 0;
}

function simple(all: string[], writes: string[]): SimpleCommand {
  const first = all.findIndex((word) => !/^[A-Z][A-Z0-9_]*=/.test(word));
  const count = first < 0 ? all.length : first;
  const variables = all.slice(0, count).map((word): [string, string] => {
    const at = word.indexOf('=');
    return [word.slice(0, at), word.slice(at + 1)];
  });
  return { variables, words: all.slice(count), writes };
}
